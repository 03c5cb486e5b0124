// The dialect of compaction: forwarded to upstreams of the Responses API, a summary by the same model elsewhere.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { invalidUpstreamResponse, unsupported } from "../errors.ts";
import { estimatedUsage } from "../shared/usage-estimate.ts";
import { compactSchema } from "./compact.ts";
import { openaiResponses } from "./index.ts";
import { inputItems } from "./parse-input.ts";
import { summaryAsk, summaryIn, transcriptOf } from "./transcript.ts";
import { parseUsage, renderUsage } from "./usage.ts";

const compactPath = "responses/compact";

/** The members of the endpoint; other requests that contain a compaction have more. */
const taken = [
  "model",
  "input",
  "instructions",
  "tools",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "service_tier",
];

/** The whole conversation as one transcript. Callers with a size limit send it in pieces. */
function parse(wire: JsonObject, envelope: Parameters<typeof openaiResponses.request.parse>[1]): ChatRequest {
  const { model } = openaiResponses.request.parse(wire, envelope);
  const { instructions } = wire;
  const [transcript = ""] = transcriptOf(inputItems(wire.input), Number.POSITIVE_INFINITY);
  return summaryAsk({ model, transcript, ...(typeof instructions === "string" ? { instructions } : {}) });
}

const isCompaction = (item: Json): boolean =>
  isObject(item) && item.type === "compaction" && Boolean(item.encrypted_content ?? item.summary);

/** The reply of a provider that compacts, before the gateway encrypts it: only its usage has a canonical form. */
function read(wire: unknown): ChatResponse {
  if (!isObject(wire) || !Array.isArray(wire.output)) throw invalidUpstreamResponse("the response has no output");
  if (!wire.output.some(isCompaction)) throw invalidUpstreamResponse("the response has no compaction item");
  const usage = parseUsage(wire.usage);
  const id = typeof wire.id === "string" ? wire.id : "";
  return { operation: "chat", id, model: "", choices: [], ...(usage === undefined ? {} : { usage }) };
}

/** A summary as a compaction that is not encrypted yet: `summary` is replaced by the encrypted text later. */
const render: Dialect<ChatRequest, ChatResponse>["response"]["render"] = (response, context) => {
  const summary = summaryIn(response);
  const usage = response.usage ?? estimatedUsage(context.inputEstimate, summary.length);
  const output = [{ type: "compaction", summary }];
  return { object: "response.compaction", model: response.model, output, usage: renderUsage(usage) };
};

/** Requests a summary, whatever dialect the provider uses. */
export const openaiSummary: Dialect<ChatRequest, ChatResponse> = {
  name: "openai-compaction",
  operation: "chat",
  request: {
    schema: compactSchema,
    parse,
    render() {
      throw unsupported("input", "compaction has a separate endpoint");
    },
    fieldPath: openaiResponses.request.fieldPath,
  },
  response: { parse: read, render },
  passthrough: {
    render(wire, context, envelope) {
      const { body } = openaiResponses.passthrough.render(wire, context, envelope);
      const members: JsonObject = {};
      for (const name of taken) if (body[name] !== undefined) members[name] = body[name];
      return { path: compactPath, body: members };
    },
  },
  error: openaiResponses.error,
};

export const openaiCompaction: Dialect<ChatRequest, ChatResponse> = { ...openaiSummary, variantOf: openaiResponses };
