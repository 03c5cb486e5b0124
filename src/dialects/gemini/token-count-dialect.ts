// The dialect of Google's countTokens.
import type { TokenCountRequest, TokenCountResponse } from "../../canonical/token-count.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { isObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { geminiErrors } from "./error.ts";
import { callPath, fieldPath, renderRequest } from "./request.ts";
import { countCall, countSchema, parseCount, readCount, renderCount } from "./token-count.ts";

function parseReply(wire: unknown): TokenCountResponse {
  const inputTokens = isObject(wire) ? readCount(wire) : null;
  if (inputTokens === null) throw invalidUpstreamResponse("the response has no token count");
  return { operation: "count", inputTokens, usage: zeroUsage };
}

export const geminiCount: Dialect<TokenCountRequest, TokenCountResponse> = {
  name: "gemini-count",
  operation: "count",
  request: {
    schema: countSchema,
    parse(wire, envelope) {
      const chat = parseCount(wire, envelope);
      return { operation: "count", model: chat.model, stream: false, chat, unmappedFields: [] };
    },
    render(request, context) {
      const { call, warnings } = renderRequest(request.chat, context);
      const generateContentRequest = { ...call.body, model: `models/${context.model}` };
      return { call: { path: callPath(context.model, "countTokens"), body: { generateContentRequest } }, warnings };
    },
    fieldPath,
  },
  response: { parse: parseReply, render: (response) => renderCount(response.inputTokens) },
  passthrough: { render: countCall },
  error: geminiErrors,
};
