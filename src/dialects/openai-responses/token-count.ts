// Token counting for a response request: `POST /v1/responses/input_tokens`.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { TokenCountRequest, TokenCountResponse } from "../../canonical/token-count.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { openaiResponses } from "./index.ts";

const path = "responses/input_tokens";
const object = "response.input_tokens";

/** The fields of the endpoint (`InputTokenCountParams` of the npm package openai 7.55.0), without stored state. */
const counted = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "truncation",
  "personality",
];

function countBody(body: JsonObject): JsonObject {
  return Object.fromEntries(counted.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

/** Limits on a reply do not affect the count, so they are removed and cannot cause an error. */
function inputOnly(chat: ChatRequest): ChatRequest {
  const { maxOutputTokens: _bound, media: _media, logprobs: _logprobs, ...rest } = chat;
  return { ...rest, stream: false, stopSequences: [], choices: 1, sampling: {} };
}

function readCount(wire: unknown): TokenCountResponse {
  const inputTokens = isObject(wire) ? wire.input_tokens : undefined;
  if (typeof inputTokens !== "number" || !Number.isInteger(inputTokens) || inputTokens < 0)
    throw invalidUpstreamResponse("the response has no token count");
  return { operation: "count", inputTokens, usage: zeroUsage };
}

export const openaiCount: Dialect<TokenCountRequest, TokenCountResponse> = {
  name: "openai-count",
  operation: "count",
  request: {
    schema: openaiResponses.request.schema,
    parse(wire, envelope) {
      const chat = openaiResponses.request.parse(wire, envelope);
      return { operation: "count", model: chat.model, stream: false, chat, unmappedFields: [] };
    },
    render({ chat }, context) {
      const { call, warnings } = openaiResponses.request.render(inputOnly(chat), context);
      return { call: { path, body: countBody(call.body) }, warnings };
    },
    fieldPath: openaiResponses.request.fieldPath,
  },
  response: {
    parse: readCount,
    render: ({ inputTokens }) => ({ object, input_tokens: inputTokens }),
  },
  passthrough: {
    render(wire, context, envelope) {
      const { body } = openaiResponses.passthrough.render(wire, context, envelope);
      return { path, body: countBody(body) };
    },
  },
  error: openaiResponses.error,
};
