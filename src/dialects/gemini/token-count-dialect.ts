// The dialect of Google's countTokens.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { TokenCountRequest, TokenCountResponse } from "../../canonical/token-count.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RequestMeta, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse, missing } from "../errors.ts";
import { geminiErrors } from "./error.ts";
import { inCamelCase } from "./field-case.ts";
import { passthroughBody } from "./passthrough.ts";
import { CountTokensRequest, callPath, fieldPath, readRequest, renderRequest } from "./request.ts";

const countVerb = "countTokens";

export const countSchema = CountTokensRequest;

/** The request whose input is counted: the whole request if the client sent one, otherwise the contents only. */
export function parseCount(wire: JsonObject, envelope: RequestMeta): ChatRequest {
  const camelWire = inCamelCase(wire);
  const request = isObject(camelWire.generateContentRequest) ? camelWire.generateContentRequest : camelWire;
  if (!Array.isArray(request.contents) || request.contents.length === 0) throw missing("contents");
  return readRequest(request, envelope.params.model ?? "", false);
}

/** The client's request, for an upstream of this dialect. */
export function countCall(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const member = isObject(wire.generate_content_request) ? "generate_content_request" : "generateContentRequest";
  const request = wire[member];
  const model = `models/${context.model}`;
  const body = isObject(request)
    ? { ...wire, [member]: { ...passthroughBody(request, context), model } }
    : passthroughBody(wire, context);
  return { path: callPath(context.model, countVerb), body };
}

/** The count in an upstream's reply; null when it has none. */
export function readCount(reply: JsonObject): number | null {
  const { totalTokens } = reply;
  return typeof totalTokens === "number" && Number.isInteger(totalTokens) && totalTokens >= 0 ? totalTokens : null;
}

/** The reply for a client. */
export function renderCount(totalTokens: number): JsonObject {
  return { totalTokens };
}

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
