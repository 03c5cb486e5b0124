// Log probabilities of a chat completion, token by token, between the wire and the canonical model.
import type { TokenLogprob } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { parseTokens, renderTokens } from "../shared/openai-logprobs.ts";

/** The log probabilities of the content; null if the choice has none. */
export function parseLogprobs(logprobs: Json | undefined): TokenLogprob[] | null {
  return isObject(logprobs) ? parseTokens(logprobs.content) : null;
}

/** `logprobs` of a choice; null without log probabilities. */
export function renderLogprobs(tokens: readonly TokenLogprob[] | undefined): JsonObject | null {
  return tokens === undefined || tokens.length === 0 ? null : { content: renderTokens(tokens), refusal: null };
}
