// Log probabilities in OpenAI's formats: a list of tokens, each with its bytes and alternatives.
import type { TokenLogprob, TopLogprob } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

function likely(entry: Json | undefined): entry is JsonObject & { token: string; logprob: number } {
  return isObject(entry) && typeof entry.token === "string" && typeof entry.logprob === "number";
}

const isByte = (value: Json): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

/** Bytes that are not simply those of the token's text: a token may be a part of a character. */
function ownBytes(token: string, bytes: Json | undefined): { bytes?: number[] } {
  if (!Array.isArray(bytes) || bytes.length === 0 || !bytes.every(isByte)) return {};
  return Buffer.from(bytes).equals(Buffer.from(token)) ? {} : { bytes };
}

function parseOne({ token, logprob, bytes }: JsonObject & { token: string; logprob: number }): TopLogprob {
  return { token, logprob, ...ownBytes(token, bytes) };
}

/** The tokens of a list; null where there are none. */
export function parseTokens(list: Json | undefined): TokenLogprob[] | null {
  if (!Array.isArray(list) || list.length === 0) return null;
  const tokens = list.filter(likely).map((entry) => {
    const top = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : [];
    return { ...parseOne(entry), top: top.filter(likely).map(parseOne) };
  });
  return tokens.length === 0 ? null : tokens;
}

function renderOne({ token, logprob, bytes }: TopLogprob): JsonObject {
  return { token, logprob, bytes: [...(bytes ?? Buffer.from(token))] };
}

/** The same list for a client. */
export function renderTokens(tokens: readonly TokenLogprob[]): JsonObject[] {
  return tokens.map((token) => ({ ...renderOne(token), top_logprobs: token.top.map(renderOne) }));
}
