// Why a reply ended and what it used, in this dialect's words and in the Messages API's.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** Words of this wire that the Messages API has none for. The others are the same on both. */
const filtered = new Set<Json | undefined>(["content_filtered", "guardrail_intervened"]);
const malformed = new Set<Json | undefined>(["malformed_model_output", "malformed_tool_use"]);

/** True for a reply that the model itself spoiled. */
export function isMalformed(reason: Json | undefined): boolean {
  return malformed.has(reason);
}

/** The stop that this reason makes of what the Messages API's rules made of it. */
export function settledStop(finishReason: FinishReason, reason: Json | undefined): FinishReason {
  return filtered.has(reason)
    ? { ...finishReason, kind: "filter", detail: { stopReason: reason ?? null } }
    : finishReason;
}

/** `stop_reason` and `stop_sequence`; the stop text stands in the fields that were asked for beside the common ones. */
export function readReason(reason: Json | undefined, additional: Json | undefined): JsonObject {
  const fields = isObject(additional) ? additional : {};
  const delta = isObject(fields.delta) ? fields.delta : {};
  return { stop_reason: reason, stop_sequence: fields.stop_sequence ?? delta.stop_sequence ?? null };
}

const counts = [
  ["inputTokens", "input_tokens"],
  ["outputTokens", "output_tokens"],
  ["cacheReadInputTokens", "cache_read_input_tokens"],
  ["cacheWriteInputTokens", "cache_creation_input_tokens"],
] as const;

/**
 * `usage` in the Messages API's words: on both wires cached input is told beside the rest.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function readUsage(usage: Json | undefined): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const figures = Object.fromEntries(counts.map(([here, there]) => [there, usage[here]]));
  return { ...figures, ...cacheCreation(usage.cacheDetails) };
}

/** Cache writes by how long they are stored. */
function cacheCreation(details: Json | undefined): JsonObject {
  if (!Array.isArray(details)) return {};
  const written = details
    .filter(isObject)
    .map(({ ttl, inputTokens }) => [`ephemeral_${String(ttl)}_input_tokens`, inputTokens]);
  return { cache_creation: Object.fromEntries(written) };
}
