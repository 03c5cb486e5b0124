// Reading JSON from strangers: bounds before the parse, strict UTF-8, numbers that keep their text.
import { mayHoldWideNumbers, parseExactText } from "./exact-json.ts";
import type { Json } from "./json.ts";

/** Bounds on a document, checked on its bytes before anything is built from it. */
export interface JsonLimits {
  readonly maxJsonDepth: number;
  /** Everything together. */
  readonly maxJsonValues: number;
  readonly maxJsonContainers: number;
  readonly maxJsonMembers: number;
  /** Of one object. */
  readonly maxJsonObjectMembers: number;
  readonly maxJsonStrings: number;
  readonly maxJsonNumberChars: number;
}

/** Why bytes were refused, with the byte offset where that is known. */
export interface JsonFault {
  readonly reason: "encoding" | "depth" | "values" | "containers" | "members" | "strings" | "syntax" | "number";
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

interface Counts {
  depth: number;
  values: number;
  containers: number;
  members: number;
  strings: number;
  /** Members of the open objects, by their depth. */
  readonly open: number[];
}

function overLimit(counts: Counts, limits: JsonLimits): JsonFault["reason"] | null {
  if (counts.depth > limits.maxJsonDepth) return "depth";
  if (counts.values > limits.maxJsonValues) return "values";
  if (counts.containers > limits.maxJsonContainers) return "containers";
  if (counts.members > limits.maxJsonMembers) return "members";
  if ((counts.open[counts.depth] ?? 0) > limits.maxJsonObjectMembers) return "members";
  return counts.strings - counts.members > limits.maxJsonStrings ? "strings" : null;
}

/** `+`, `-`, `.`, `E` and `e`. */
const numberSigns = new Set([43, 45, 46, 69, 101]);

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** Where a number ends. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let byte = bytes[end]; isDigit(byte) || numberSigns.has(byte ?? 0); byte = bytes[++end]);
  return end;
}

/** Walks the bytes once, counting what stands outside strings; null when within bounds. */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): JsonFault | null {
  const counts: Counts = { depth: 0, values: 0, containers: 0, members: 0, strings: 0, open: [] };
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at = endOfString(bytes, at);
      counts.strings++;
    } else if (byte === 123 || byte === 91) {
      counts.open[++counts.depth] = 0;
      counts.containers++;
      counts.values++;
    } else if (byte === 125 || byte === 93) counts.depth--;
    else if (byte === 58) {
      counts.members++;
      counts.open[counts.depth] = (counts.open[counts.depth] ?? 0) + 1;
    } else if (byte === 44) counts.values++;
    else if (isDigit(byte) || byte === 45) {
      const end = endOfNumber(bytes, at);
      if (end - at > limits.maxJsonNumberChars) return { reason: "number", at };
      at = end - 1;
      continue;
    } else continue;
    const reason = overLimit(counts, limits);
    if (reason !== null) return { reason, at };
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
