// Token counts: this wire tells cached input beside `input_tokens`, and thinking inside `output_tokens`.
import { areCounts, tokenCount, totalInput, totalOutput, type Usage, zeroUsage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"] as const;

/** Counts as they came in, field by field: a later report overrides only the fields that it has. */
export function mergeCounts(known: JsonObject | null, report: Json | undefined): JsonObject | null {
  if (!isObject(report)) return known;
  const merged: JsonObject = { ...known };
  for (const name of names) if (report[name] !== undefined && report[name] !== null) merged[name] = report[name];
  if (isObject(report["output_tokens_details"])) merged["output_tokens_details"] = report["output_tokens_details"];
  if (isObject(report["cache_creation"])) merged["cache_creation"] = report["cache_creation"];
  return merged;
}

function cacheWrites(counts: JsonObject): number {
  const total = counts["cache_creation_input_tokens"];
  if (typeof total === "number") return tokenCount(total);
  const parts = isObject(counts["cache_creation"]) ? Object.values(counts["cache_creation"]) : [];
  return parts.reduce<number>((sum, part) => sum + tokenCount(part), 0);
}

/** True for counts that cannot be; a report in a stream may hold a part of them. */
export const isMiscounted = (counts: JsonObject): boolean => !areCounts(...names.map((name) => counts[name]));

/** The disjoint buckets of a `usage` object; undefined when there is none, or it cannot be true: no request has an empty input. */
export function readUsage(counts: Json | undefined): Usage | undefined {
  if (!isObject(counts) || isMiscounted(counts)) return undefined;
  const details = counts["output_tokens_details"];
  const output = tokenCount(counts["output_tokens"]);
  const thinking = Math.min(isObject(details) ? tokenCount(details["thinking_tokens"]) : 0, output);
  const usage = {
    inputTokens: tokenCount(counts["input_tokens"]),
    cacheReadTokens: tokenCount(counts["cache_read_input_tokens"]),
    cacheWriteTokens: cacheWrites(counts),
    outputTokens: output - thinking,
    reasoningTokens: thinking,
  };
  return totalInput(usage) === 0 ? undefined : usage;
}

/** The counts of `usage`, as the last event of a stream tells them: every member, because clients copy only what is present. */
export function writeCounts(usage: Usage | undefined, inputEstimate: number): JsonObject {
  const known = usage ?? { ...zeroUsage, inputTokens: inputEstimate };
  return {
    input_tokens: known.inputTokens,
    cache_creation_input_tokens: known.cacheWriteTokens,
    cache_read_input_tokens: known.cacheReadTokens,
    output_tokens: totalOutput(known),
    output_tokens_details: known.reasoningTokens > 0 ? { thinking_tokens: known.reasoningTokens } : null,
    server_tool_use: null,
  };
}

/** The `usage` object of a message. What only Anthropic knows is null, as its types allow (@anthropic-ai/sdk 1.10.0, `Usage`). */
export function writeUsage(usage: Usage | undefined, inputEstimate: number): JsonObject {
  const unknown = { cache_creation: null, inference_geo: null, service_tier: null, speed: null };
  return { ...writeCounts(usage, inputEstimate), ...unknown };
}
