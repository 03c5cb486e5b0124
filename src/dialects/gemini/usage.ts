// Token counts: this wire tells cached input inside the prompt's count, and thinking beside the candidates'.
import { areCounts, tokenCount, totalInput, totalOutput, type Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";

const names = [
  "promptTokenCount",
  "cachedContentTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "toolUsePromptTokenCount",
  "totalTokenCount",
] as const;

/** Visible output; some relays only tell the total. */
function visible(counts: JsonObject, input: number, thoughts: number): number {
  if (typeof counts.candidatesTokenCount === "number") return tokenCount(counts.candidatesTokenCount);
  return Math.max(0, tokenCount(counts.totalTokenCount) - input - thoughts);
}

/** The disjoint buckets of `usageMetadata`; undefined when it tells nothing, or what cannot be true. Input of server tools counts as input. */
export function readUsage(counts: Json | undefined): Usage | undefined {
  if (!isObject(counts)) return undefined;
  if (typeof counts.promptTokenCount !== "number" && typeof counts.totalTokenCount !== "number") return undefined;
  if (!areCounts(...names.map((name) => counts[name]))) return undefined;
  const prompt = tokenCount(counts.promptTokenCount);
  const cached = tokenCount(counts.cachedContentTokenCount);
  const tools = tokenCount(counts.toolUsePromptTokenCount);
  const thoughts = tokenCount(counts.thoughtsTokenCount);
  if (prompt + tools === 0) return undefined;
  return {
    inputTokens: (cached > prompt ? prompt : prompt - cached) + tools,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: visible(counts, prompt + tools, thoughts),
    reasoningTokens: thoughts,
  };
}

/** `usageMetadata` for a client. */
export function writeUsage(usage: Usage): JsonObject {
  return omitUndefined({
    promptTokenCount: totalInput(usage),
    cachedContentTokenCount: usage.cacheReadTokens > 0 ? usage.cacheReadTokens : undefined,
    candidatesTokenCount: usage.outputTokens,
    thoughtsTokenCount: usage.reasoningTokens > 0 ? usage.reasoningTokens : undefined,
    totalTokenCount: totalInput(usage) + totalOutput(usage),
  });
}
