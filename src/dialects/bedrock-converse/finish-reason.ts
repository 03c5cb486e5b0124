// Finish reasons and usage, converted from Converse to the Messages API.
import type { FinishReason } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** Finish reasons that the Messages API does not have. The others are the same in both. */
const filtered = new Set<Json | undefined>(["content_filtered", "guardrail_intervened"]);
const malformed = new Set<Json | undefined>(["malformed_model_output", "malformed_tool_use"]);

/** Whether the model produced an invalid reply. */
export function isMalformed(reason: Json | undefined): boolean {
  return malformed.has(reason);
}

/** The finish reason, corrected for reasons that exist only in Converse. */
export function settledStop(finishReason: FinishReason, reason: Json | undefined): FinishReason {
  return filtered.has(reason)
    ? { ...finishReason, kind: "filter", detail: { stopReason: reason ?? null } }
    : finishReason;
}

/** `stop_reason` and `stop_sequence`. The matched sequence is in the additional model response fields. */
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
 * `usage` as in the Messages API: in both, cached input is not part of the input count.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function readUsage(usage: Json | undefined): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const figures = Object.fromEntries(counts.map(([here, there]) => [there, usage[here]]));
  return { ...figures, ...cacheCreation(usage.cacheDetails) };
}

/** Cache writes by lifetime. */
function cacheCreation(details: Json | undefined): JsonObject {
  if (!Array.isArray(details)) return {};
  const written = details
    .filter(isObject)
    .map(({ ttl, inputTokens }) => [`ephemeral_${String(ttl)}_input_tokens`, inputTokens]);
  return { cache_creation: Object.fromEntries(written) };
}
