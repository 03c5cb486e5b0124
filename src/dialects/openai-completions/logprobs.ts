// Log probabilities on this wire: parallel lists of tokens, probabilities, and offsets in the text.
import type { TokenLogprob } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { characterCount } from "../shared/json-accessors.ts";

function listAt(object: JsonObject, name: string): Json[] {
  const list = object[name];
  return Array.isArray(list) ? list : [];
}

function likeliest(top: Json | undefined): TokenLogprob["top"] {
  if (!isObject(top)) return [];
  return Object.entries(top).flatMap(([token, logprob]) => (typeof logprob === "number" ? { token, logprob } : []));
}

/** Null if the choice has none. The first token of an echoed prompt has no probability and is left out. */
export function parseLogprobs(wire: Json | undefined): TokenLogprob[] | null {
  if (!isObject(wire)) return null;
  const logprobs = listAt(wire, "token_logprobs");
  const tops = listAt(wire, "top_logprobs");
  const tokens = listAt(wire, "tokens").flatMap((token, index) => {
    const logprob = logprobs[index];
    if (typeof token !== "string" || typeof logprob !== "number") return [];
    return { token, logprob, top: likeliest(tops[index]) };
  });
  return tokens.length === 0 ? null : tokens;
}

/** `from`: characters of the choice's text before the first of these tokens. */
export function renderLogprobs(tokens: readonly TokenLogprob[], from: number): JsonObject {
  let at = from;
  const offsets = tokens.map(({ token }) => {
    const offset = at;
    at += characterCount(token);
    return offset;
  });
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: offsets,
  };
}
