// Parses JSON from clients: strict UTF-8, bounds, and exact numbers.
import { isAscii, isUtf8 } from "node:buffer";
import { mayHoldWideNumbers, parseExactText } from "./exact-json.ts";
import { type Json, parseJsonText } from "./json.ts";
import { type JsonFault, type JsonLimits, scanJson, walkJson } from "./json-bounds.ts";

export type { JsonFault, JsonLimits };

/** JSON as it came: bytes, or their text if they are UTF-8 without a byte order mark. */
export type JsonBody = string | Uint8Array<ArrayBuffer>;

export type JsonResult =
  | { readonly ok: true; readonly value: Json; readonly mayBeExact: boolean; readonly body: JsonBody }
  | { readonly ok: false; readonly fault: JsonFault };

/** The text of bytes, including a byte order mark; null if they are not UTF-8. ASCII is copied directly. */
export function utf8Text({ buffer, byteOffset, byteLength }: Uint8Array): string | null {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}

/**
 * Whether a text is all that its bytes were: a decoder replaces invalid ones, and leaves out a byte order mark. As many
 * characters as bytes are ASCII, or replaced.
 */
export const isWholeText = (text: string, byteLength: number): boolean =>
  !text.includes("\ufffd") && (text.length === byteLength || Buffer.byteLength(text) === byteLength);

const encoder = new TextEncoder();

/** The bytes of a body. */
export const bytesOf = <Bytes extends Uint8Array>(body: string | Bytes): Bytes | Uint8Array<ArrayBuffer> =>
  typeof body === "string" ? encoder.encode(body) : body;

/** An exceeded bound is reported first, even if the bytes are not JSON. */
function refused(body: string | Uint8Array, limits: JsonLimits, reason: JsonFault["reason"]): JsonResult {
  return { ok: false, fault: scanJson(bytesOf(body), limits) ?? { reason } };
}

/** Parses a body within bounds, and returns it as text. Invalid UTF-8 and a byte order mark are faults, never replaced; numbers are exact. */
export function parseJson(body: string | Uint8Array, limits: JsonLimits): JsonResult {
  const text = typeof body === "string" ? body : utf8Text(body);
  if (text === null) return refused(body, limits, "encoding");
  const value = parseJsonText(text);
  if (value === undefined) return refused(body, limits, "syntax");
  const { fault, extremes } = walkJson(value, limits);
  if (fault !== null) return refused(body, limits, fault);
  if (!mayHoldWideNumbers(text, extremes)) return { ok: true, value, mayBeExact: false, body: text };
  const tooLong = scanJson(bytesOf(body), limits);
  if (tooLong !== null) return { ok: false, fault: tooLong };
  return { ok: true, value: parseExactText(text) ?? value, mayBeExact: true, body: text };
}
