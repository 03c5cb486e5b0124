// Reading JSON from strangers: bounds before the parse, strict UTF-8, numbers that keep their text.
import { mayHoldWideNumbers, parseExactText } from "./exact-json.ts";
import type { Json } from "./json.ts";

/** Bounds on a document, checked on its bytes before anything is built from it. */
export interface JsonLimits {
  readonly maxJsonDepth: number;
  readonly maxJsonValues: number;
}

/** Why bytes were refused, with the byte or character offset where that is known. */
export interface JsonFault {
  readonly reason: "encoding" | "depth" | "tokens" | "syntax";
  readonly at?: number;
}

export type JsonResult =
  | { readonly ok: true; readonly value: Json; readonly mayBeExact: boolean }
  | { readonly ok: false; readonly fault: JsonFault };

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const quote = 34;
const backslash = 92;

/** Where a string that opens at `at` closes. Long strings are most of a conversation, and a native search is the fastest way over them. */
function endOfString(bytes: Uint8Array, at: number): number {
  let end = at;
  for (;;) {
    end = bytes.indexOf(quote, end + 1);
    if (end < 0) return bytes.length;
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Walks the bytes once, counting nesting and structural characters outside strings; null when within bounds. */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): JsonFault | null {
  let depth = 0;
  let tokens = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === 123 || byte === 91) {
      if (++depth > limits.maxJsonDepth) return { reason: "depth", at };
      tokens++;
    } else if (byte === 125 || byte === 93) depth--;
    else if (byte === 44 || byte === 58) tokens++;
    if (tokens > limits.maxJsonValues) return { reason: "tokens", at };
  }
  return null;
}

/** Parses a body within bounds. Invalid UTF-8 and a byte order mark are faults, never replaced in silence; numbers are exact. */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonResult {
  const fault = scanJson(bytes, limits);
  if (fault !== null) return { ok: false, fault };
  let text: string;
  try {
    text = strictDecoder.decode(bytes);
  } catch {
    return { ok: false, fault: { reason: "encoding" } };
  }
  const value = parseExactText(text);
  if (value === undefined) return { ok: false, fault: { reason: "syntax" } };
  return { ok: true, value, mayBeExact: mayHoldWideNumbers(text) };
}
