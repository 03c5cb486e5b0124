// Log probabilities of a chat completion, token by token, into canon.
import type { TokenLogprob } from "../../canon/conversation.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

function likely(entry: Json | undefined): entry is JsonObject & { token: string; logprob: number } {
  return isObject(entry) && typeof entry.token === "string" && typeof entry.logprob === "number";
}

/** Those of the content; null where the choice tells none. */
export function parseLogprobs(logprobs: Json | undefined): TokenLogprob[] | null {
  const content = isObject(logprobs) ? logprobs.content : undefined;
  if (!Array.isArray(content)) return null;
  const tokens = content.filter(likely).map((entry) => ({
    token: entry.token,
    logprob: entry.logprob,
    top: (Array.isArray(entry.top_logprobs) ? entry.top_logprobs : [])
      .filter(likely)
      .map(({ token, logprob }) => ({ token, logprob })),
  }));
  return tokens.length === 0 ? null : tokens;
}
