// Token usage on this wire, where cached and reasoning tokens are parts of the totals, and canon's disjoint buckets.
import { tokenCount, totalInput, totalOutput, type Usage } from "../../canon/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const none: JsonObject = {};

function detailsOf(usage: JsonObject, name: string): JsonObject {
  const details = usage[name];
  return isObject(details) ? details : none;
}

/** Output beyond the totals' parts: Google's compatible endpoint counts thinking in the total alone. */
function unsaid(total: number, said: number, hasCache: boolean): number {
  return hasCache ? 0 : Math.max(0, total - said);
}

/** What a server counted; undefined when it gave no figure for either side. Servers disagree on what is a part of what. */
export function parseUsage(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  if (typeof usage.prompt_tokens !== "number" && typeof usage.completion_tokens !== "number") return undefined;
  const input = detailsOf(usage, "prompt_tokens_details");
  const prompt = tokenCount(usage.prompt_tokens);
  const completion = tokenCount(usage.completion_tokens);
  const total = tokenCount(usage.total_tokens);
  const cacheReadTokens = tokenCount(input.cached_tokens ?? usage.prompt_cache_hit_tokens);
  const cacheWriteTokens = tokenCount(input.cache_write_tokens);
  const cached = cacheReadTokens + cacheWriteTokens;
  const told = tokenCount(detailsOf(usage, "completion_tokens_details").reasoning_tokens);
  const isBeside = told === 0 || told > completion || total === prompt + completion + told;
  return {
    inputTokens: cached > prompt ? prompt : prompt - cached,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: isBeside ? completion : completion - told,
    reasoningTokens: told === 0 ? unsaid(total, prompt + completion, cached > 0) : told,
  };
}

/** The totals, and the parts that are told apart. */
export function renderUsage(usage: Usage): JsonObject {
  const prompt = totalInput(usage);
  const completion = totalOutput(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
