// Token counts: on this wire `input_tokens` excludes cached input, and `output_tokens` includes thinking.
import {
  areCounts,
  cacheWrites,
  oneUnit,
  rareBuckets,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
  uncachedInput,
  zeroUsage,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"] as const;

/** The counts so far, field by field: a later report replaces only the fields that it has. */
export function mergeCounts(known: JsonObject | null, report: Json | undefined): JsonObject | null {
  if (!isObject(report)) return known;
  const merged: JsonObject = { ...known };
  for (const name of names) if (report[name] !== undefined && report[name] !== null) merged[name] = report[name];
  if (isObject(report["output_tokens_details"])) merged["output_tokens_details"] = report["output_tokens_details"];
  if (isObject(report["cache_creation"])) merged["cache_creation"] = report["cache_creation"];
  if (isObject(report["server_tool_use"])) merged["server_tool_use"] = report["server_tool_use"];
  return merged;
}

/** The total is used where the parts differ from it. Without parts, all writes count as 5 minute writes. */
function cacheCreation(counts: JsonObject): { readonly total: number; readonly hour: number } {
  const parts = isObject(counts["cache_creation"]) ? counts["cache_creation"] : {};
  const reported = counts["cache_creation_input_tokens"];
  const sum = Object.values(parts).reduce<number>((before, part) => before + tokenCount(part), 0);
  const total = typeof reported === "number" ? tokenCount(reported) : sum;
  return { total, hour: Math.min(tokenCount(parts["ephemeral_1h_input_tokens"]), total) };
}

/** Whether counts contradict each other. A report in a stream may have only some of them. */
const isMiscounted = (counts: JsonObject): boolean => !areCounts(...names.map((name) => counts[name]));

const inputNames = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/**
 * Whether a report cannot be true, because no request has an empty input. A report without an input count is not
 * checked.
 */
export const isFalseReport = (counts: JsonObject): boolean =>
  isMiscounted(counts) || (counts["input_tokens"] === 0 && inputNames.every((name) => tokenCount(counts[name]) === 0));

/**
 * The disjoint buckets of a `usage` object; undefined when it is missing or cannot be true (no request has an empty
 * input).
 */
export function readUsage(counts: Json | undefined): Usage | undefined {
  if (!isObject(counts) || isMiscounted(counts)) return undefined;
  const details = counts["output_tokens_details"];
  const output = tokenCount(counts["output_tokens"]);
  const thinking = Math.min(isObject(details) ? tokenCount(details["thinking_tokens"]) : 0, output);
  const { total: written, hour } = cacheCreation(counts);
  const tools = counts["server_tool_use"];
  const usage: Usage = {
    inputTokens: tokenCount(counts["input_tokens"]),
    cacheReadTokens: tokenCount(counts["cache_read_input_tokens"]),
    cacheWriteTokens: written - hour,
    outputTokens: output - thinking,
    reasoningTokens: thinking,
    ...rareBuckets({ cacheWrite1hTokens: hour }),
    ...oneUnit("searches", isObject(tools) ? tools["web_search_requests"] : undefined),
  };
  return totalInput(usage) === 0 ? undefined : usage;
}

/** The counts of the last event of a stream, with every member, because clients copy only those that are present. */
export function writeCounts(usage: Usage | undefined, inputEstimate: number): JsonObject {
  const known = usage ?? { ...zeroUsage, inputTokens: inputEstimate };
  return {
    input_tokens: uncachedInput(known),
    cache_creation_input_tokens: cacheWrites(known),
    cache_read_input_tokens: known.cacheReadTokens,
    output_tokens: totalOutput(known),
    output_tokens_details: known.reasoningTokens > 0 ? { thinking_tokens: known.reasoningTokens } : null,
    server_tool_use: null,
  };
}

/**
 * The `usage` object of a message. Members that only Anthropic can fill are null (@anthropic-ai/sdk 1.10.0, `Usage`).
 */
export function writeUsage(usage: Usage | undefined, inputEstimate: number): JsonObject {
  const unknown = { cache_creation: null, inference_geo: null, service_tier: null, speed: null };
  return { ...writeCounts(usage, inputEstimate), ...unknown };
}
