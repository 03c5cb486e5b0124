// Token usage: on this wire totals include cached and reasoning tokens, the canonical buckets are disjoint.
import {
  areCounts,
  cacheWrites,
  oneUnit,
  rareBuckets,
  splitTokens,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const none: JsonObject = {};

function detailsOf(usage: JsonObject, name: string): JsonObject {
  const details = usage[name];
  return isObject(details) ? details : none;
}

/** Output missing from the counts: Google's compatible endpoint includes thinking only in the total. */
function uncounted(total: number, counted: number, hasCache: boolean): number {
  return hasCache ? 0 : Math.max(0, total - counted);
}

/** Input and output, one of which may only follow from the total. */
function protocolsOf({ prompt_tokens, completion_tokens, total_tokens }: JsonObject): readonly [number, number] | null {
  if (!areCounts(prompt_tokens, completion_tokens, total_tokens)) return null;
  const prompt = tokenCount(prompt_tokens);
  const completion = tokenCount(completion_tokens);
  const total = tokenCount(total_tokens);
  if (typeof completion_tokens === "number")
    return prompt > 0 ? [prompt, completion] : [total - completion, completion];
  return typeof prompt_tokens === "number" && total >= prompt ? [prompt, total - prompt] : null;
}

/** Web searches, as Perplexity, xAI and OpenRouter count them. */
function searchesIn(usage: JsonObject): Json | undefined {
  return usage.num_search_queries ?? usage.num_sources_used ?? detailsOf(usage, "server_tool_use").web_search_requests;
}

/**
 * The counts of a server; undefined when input or output is missing or cannot be true: no request has an empty input.
 * Servers differ in what includes what.
 */
export function parseUsage(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const sides = protocolsOf(usage);
  if (sides === null || sides[0] <= 0) return undefined;
  const [prompt, completion] = sides;
  const input = detailsOf(usage, "prompt_tokens_details");
  const total = tokenCount(usage.total_tokens);
  const cacheReadTokens = tokenCount(input.cached_tokens ?? usage.prompt_cache_hit_tokens);
  const cacheWriteTokens = tokenCount(input.cache_write_tokens);
  const cached = cacheReadTokens + cacheWriteTokens;
  const output = detailsOf(usage, "completion_tokens_details");
  const { reasoning_tokens } = output;
  if (!areCounts(input.cached_tokens, usage.prompt_cache_hit_tokens, input.cache_write_tokens, reasoning_tokens))
    return undefined;
  const reasoning = tokenCount(reasoning_tokens);
  const isSeparate = reasoning === 0 || reasoning > completion || total === prompt + completion + reasoning;
  const uncached = splitTokens(cached > prompt ? prompt : prompt - cached, input.audio_tokens, input.image_tokens);
  const visible = splitTokens(
    isSeparate ? completion : completion - reasoning,
    output.audio_tokens,
    output.image_tokens,
  );
  return {
    inputTokens: uncached.text,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: visible.text,
    reasoningTokens: reasoning === 0 ? uncounted(total, prompt + completion, cached > 0) : reasoning,
    ...rareBuckets({
      audioInputTokens: uncached.audio,
      imageInputTokens: uncached.image,
      audioOutputTokens: visible.audio,
      imageOutputTokens: visible.image,
    }),
    ...oneUnit("searches", searchesIn(usage)),
  };
}

/** The totals and their details. */
export function renderUsage(usage: Usage): JsonObject {
  const prompt = totalInput(usage);
  const completion = totalOutput(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: cacheWrites(usage) },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
