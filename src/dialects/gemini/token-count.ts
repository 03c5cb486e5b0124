// Counting the tokens of a request that is not sent: the question as an ask, and the figure as an answer.
import type { ChatRequest } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, RequestMeta, UpstreamRequest } from "../dialect.ts";
import { missing } from "../errors.ts";
import { inCamelCase } from "./field-case.ts";
import { passthroughBody } from "./passthrough.ts";
import { CountTokensRequest, callPath, readRequest } from "./request.ts";

const countVerb = "countTokens";

export const countSchema = CountTokensRequest;

/** The ask whose input is to be counted: the whole request where the client gave one, else the contents alone. */
export function parseCount(wire: JsonObject, envelope: RequestMeta): ChatRequest {
  const said = inCamelCase(wire);
  const request = isObject(said.generateContentRequest) ? said.generateContentRequest : said;
  if (!Array.isArray(request.contents) || request.contents.length === 0) throw missing("contents");
  return readRequest(request, envelope.params.model ?? "", false);
}

/** The client's own question, for an upstream of this dialect. */
export function countCall(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const member = isObject(wire.generate_content_request) ? "generate_content_request" : "generateContentRequest";
  const request = wire[member];
  const model = `models/${context.model}`;
  const body = isObject(request)
    ? { ...wire, [member]: { ...passthroughBody(request, context), model } }
    : passthroughBody(wire, context);
  return { path: callPath(context.model, countVerb), body };
}

/** The figure in an upstream's answer; null when it has none. */
export function readCount(reply: JsonObject): number | null {
  const { totalTokens } = reply;
  return typeof totalTokens === "number" && Number.isInteger(totalTokens) && totalTokens >= 0 ? totalTokens : null;
}

/** The answer for a client. */
export function renderCount(totalTokens: number): JsonObject {
  return { totalTokens };
}
