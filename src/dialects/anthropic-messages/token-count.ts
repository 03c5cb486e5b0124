// Token counting: a Messages request without its limits on the reply.

import { type TObject, Type } from "typebox";
import type { TokenCountRequest, TokenCountResponse } from "../../canonical/token-count.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { isObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { errorFrames, parseError, renderError } from "./error.ts";
import { passthroughRequest } from "./passthrough.ts";
import { fieldPath, parseRequest, renderRequest, schema } from "./request.ts";

const path = "v1/messages/count_tokens";
/** Limits on a reply have no effect here, and the service refuses them. */
const replyBounds = ["max_tokens", "stream"] as const;

function readCount(wire: unknown): TokenCountResponse {
  const inputTokens = isObject(wire) ? wire.input_tokens : undefined;
  if (typeof inputTokens !== "number" || !Number.isInteger(inputTokens) || inputTokens < 0)
    throw invalidUpstreamResponse("the response has no token count");
  return { operation: "count", inputTokens, usage: zeroUsage };
}

function withoutReplyBounds<Body extends object>(body: Body): Body {
  const counted = { ...body };
  for (const name of replyBounds) delete (counted as Record<string, unknown>)[name];
  return counted;
}

export const anthropicCount: Dialect<TokenCountRequest, TokenCountResponse> = {
  name: "anthropic-count",
  operation: "count",
  request: {
    schema: Type.Omit(schema as TObject, ["max_tokens"]),
    parse(wire) {
      const chat = parseRequest(wire);
      return { operation: "count", model: chat.model, stream: false, chat, unmappedFields: [] };
    },
    render(request, context) {
      const { call, warnings } = renderRequest(request.chat, context);
      return { call: { ...call, path, body: withoutReplyBounds(call.body) }, warnings };
    },
    fieldPath,
  },
  response: {
    parse: readCount,
    render: (response) => ({ input_tokens: response.inputTokens }),
  },
  passthrough: {
    render(wire, context, envelope) {
      const call = passthroughRequest(wire, context, envelope);
      return { ...call, path, body: withoutReplyBounds(call.body) };
    },
  },
  error: { parse: parseError, render: renderError, frames: errorFrames },
};
