// Token counts: here the prompt count includes cached input, and the candidates' count excludes thinking.
import {
  areCounts,
  rareBuckets,
  splitTokens,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
  visibleOutput,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";

const names = [
  "promptTokenCount",
  "cachedContentTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "toolUsePromptTokenCount",
  "totalTokenCount",
] as const;

/** Visible output; some relays return only the total. */
function visible(counts: JsonObject, input: number, thoughts: number): number {
  if (typeof counts.candidatesTokenCount === "number") return tokenCount(counts.candidatesTokenCount);
  return Math.max(0, tokenCount(counts.totalTokenCount) - input - thoughts);
}

/** Tokens of one modality in the lists that break down a total. Video and documents are priced as text. */
function tokensOf(modality: "AUDIO" | "IMAGE", ...lists: readonly (Json | undefined)[]): number {
  const entries = lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject);
  return entries.reduce((sum, entry) => (entry.modality === modality ? sum + tokenCount(entry.tokenCount) : sum), 0);
}

/** The same for the input that was not cached. */
const uncachedOf = (counts: JsonObject, modality: "AUDIO" | "IMAGE"): number =>
  Math.max(
    0,
    tokensOf(modality, counts.promptTokensDetails, counts.toolUsePromptTokensDetails) -
      tokensOf(modality, counts.cacheTokensDetails),
  );

/**
 * The disjoint buckets of `usageMetadata`; undefined when it is empty or cannot be true. Input of server tools counts
 * as input.
 */
export function readUsage(counts: Json | undefined): Usage | undefined {
  if (!isObject(counts)) return undefined;
  if (typeof counts.promptTokenCount !== "number" && typeof counts.totalTokenCount !== "number") return undefined;
  if (!areCounts(...names.map((name) => counts[name]))) return undefined;
  const prompt = tokenCount(counts.promptTokenCount);
  const cached = tokenCount(counts.cachedContentTokenCount);
  const tools = tokenCount(counts.toolUsePromptTokenCount);
  const thoughts = tokenCount(counts.thoughtsTokenCount);
  if (prompt + tools === 0) return undefined;
  const uncached = (cached > prompt ? prompt : prompt - cached) + tools;
  const input = splitTokens(uncached, uncachedOf(counts, "AUDIO"), uncachedOf(counts, "IMAGE"));
  const { candidatesTokensDetails: details } = counts;
  const seen = visible(counts, prompt + tools, thoughts);
  const output = splitTokens(seen, tokensOf("AUDIO", details), tokensOf("IMAGE", details));
  return {
    inputTokens: input.text,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: output.text,
    reasoningTokens: thoughts,
    ...rareBuckets({
      audioInputTokens: input.audio,
      imageInputTokens: input.image,
      audioOutputTokens: output.audio,
      imageOutputTokens: output.image,
    }),
  };
}

/** `usageMetadata` for a client. */
export function writeUsage(usage: Usage): JsonObject {
  return omitUndefined({
    promptTokenCount: totalInput(usage),
    cachedContentTokenCount: usage.cacheReadTokens > 0 ? usage.cacheReadTokens : undefined,
    candidatesTokenCount: visibleOutput(usage),
    thoughtsTokenCount: usage.reasoningTokens > 0 ? usage.reasoningTokens : undefined,
    totalTokenCount: totalInput(usage) + totalOutput(usage),
  });
}
