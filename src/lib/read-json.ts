// Reading JSON from clients: strict UTF-8, bounds on what is in it, numbers that keep their text.
import { isAscii, isUtf8 } from "node:buffer";
import { mayHoldWideNumbers, parseExactText } from "./exact-json.ts";
import { type Json, parseJsonText } from "./json.ts";
import { type JsonFault, type JsonLimits, scanJson, walkJson } from "./json-bounds.ts";

export type { JsonFault, JsonLimits };

export type JsonResult =
  | { readonly ok: true; readonly value: Json; readonly mayBeExact: boolean }
  | { readonly ok: false; readonly fault: JsonFault };

/** The text of bytes, a byte order mark included; null where they are not UTF-8. ASCII becomes text by a copy. */
export function utf8Text({ buffer, byteOffset, byteLength }: Uint8Array): string | null {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}

/** A bound that is broken speaks first, as it does where the bytes are no JSON either. */
function refused(bytes: Uint8Array, limits: JsonLimits, reason: JsonFault["reason"]): JsonResult {
  return { ok: false, fault: scanJson(bytes, limits) ?? { reason } };
}

/** Parses a body within bounds. Invalid UTF-8 and a byte order mark are faults, never replaced; numbers are exact. */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonResult {
  const text = utf8Text(bytes);
  if (text === null) return refused(bytes, limits, "encoding");
  const value = parseJsonText(text);
  if (value === undefined) return refused(bytes, limits, "syntax");
  const { fault, extremes } = walkJson(value, limits);
  if (fault !== null) return refused(bytes, limits, fault);
  if (!mayHoldWideNumbers(text, extremes)) return { ok: true, value, mayBeExact: false };
  const tooLong = scanJson(bytes, limits);
  if (tooLong !== null) return { ok: false, fault: tooLong };
  return { ok: true, value: parseExactText(text) ?? value, mayBeExact: true };
}
