// Log probabilities of a chat completion, token by token, into canon and back.
import type { TokenLogprob } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { parseTokens, renderTokens } from "../shared/openai-logprobs.ts";

/** Those of the content; null where the choice tells none. */
export function parseLogprobs(logprobs: Json | undefined): TokenLogprob[] | null {
  return isObject(logprobs) ? parseTokens(logprobs.content) : null;
}

/** `logprobs` of a choice; null where nobody told any. */
export function renderLogprobs(tokens: readonly TokenLogprob[] | undefined): JsonObject | null {
  return tokens === undefined || tokens.length === 0 ? null : { content: renderTokens(tokens), refusal: null };
}
