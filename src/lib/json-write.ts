// Writes JSON in steps: a large value becomes bytes piece by piece, so that the event loop is not blocked.
import { type Json, jsonText } from "./json.ts";
import { isLargerThan } from "./size.ts";

/** Characters per step; a smaller value is written at once. */
export const stepChars = 64 * 1024;
/** Characters of a long text that are written at once. */
const sliceChars = 512 * 1024;

interface Writer {
  /** Since the last step. */
  text: string;
}

function* add(writer: Writer, text: string): Generator<string, void> {
  writer.text += text;
  if (writer.text.length < stepChars) return;
  yield writer.text;
  writer.text = "";
}

/** The end of a slice: never between the halves of a surrogate pair. */
export function sliceEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isPair ? at + 1 : at;
}

function* longText(writer: Writer, text: string): Generator<string, void> {
  yield* add(writer, '"');
  for (let at = 0; at < text.length; ) {
    const end = sliceEnd(text, at + sliceChars);
    // Well-formed before it is written: escapes of lone surrogates cost ten times as much as any other character.
    yield* add(writer, JSON.stringify(text.slice(at, end).toWellFormed()).slice(1, -1));
    at = end;
  }
  yield* add(writer, '"');
}

function* list(writer: Writer, items: readonly Json[]): Generator<string, void> {
  yield* add(writer, "[");
  for (const [index, item] of items.entries()) {
    if (index > 0) writer.text += ",";
    yield* write(writer, item);
  }
  yield* add(writer, "]");
}

function* object(writer: Writer, value: { readonly [name: string]: Json | undefined }): Generator<string, void> {
  yield* add(writer, "{");
  let isFirst = true;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    writer.text += `${isFirst ? "" : ","}${jsonText(name)}:`;
    isFirst = false;
    yield* write(writer, member);
  }
  yield* add(writer, "}");
}

function* write(writer: Writer, value: Json): Generator<string, void> {
  if (!isLargerThan(value, stepChars / 4)) yield* add(writer, jsonText(value));
  else if (typeof value === "string") yield* longText(writer, value);
  else if (Array.isArray(value)) yield* list(writer, value);
  else yield* object(writer, value as { readonly [name: string]: Json | undefined });
}

/** `jsonText(value)` in pieces, each made in a few milliseconds. */
export function* textSteps(value: Json): Generator<string, void> {
  const writer: Writer = { text: "" };
  yield* write(writer, value);
  if (writer.text !== "") yield writer.text;
}

/** Joins the pieces, copying one by one: the first write to new memory costs as much as the copy. */
export function* joinSteps(pieces: readonly Buffer[]): Generator<void, Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
    if (at < joined.length) yield;
  }
  return joined;
}

/** `jsonText(value)`, made in steps of a few milliseconds. */
export function* joinedTextSteps(value: Json): Generator<void, string> {
  let joined = "";
  for (const text of textSteps(value)) {
    joined += text;
    yield;
  }
  return joined;
}

/** The bytes of `jsonText(value)`, in steps of a few milliseconds. */
export function* writeSteps(value: Json): Generator<void, Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for (const text of textSteps(value)) {
    pieces.push(Buffer.from(text));
    yield;
  }
  return yield* joinSteps(pieces);
}
