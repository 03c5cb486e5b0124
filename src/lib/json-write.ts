// Writing JSON in steps: a large value becomes bytes piece by piece, so that nothing has to wait for all of it.
import type { Json } from "./json.ts";
import { isLargerThan } from "./size.ts";
import { jsonText } from "./well-formed.ts";

/** What one step writes, in characters; a value that holds less is written at once. */
const stepChars = 64 * 1024;
/** Of a long text that is written at once. */
const sliceChars = 512 * 1024;

interface Writer {
  readonly pieces: Buffer[];
  text: string;
  /** Characters since the last step. */
  written: number;
}

function flush(writer: Writer): void {
  if (writer.text !== "") writer.pieces.push(Buffer.from(writer.text));
  writer.text = "";
}

function* add(writer: Writer, text: string): Generator<void, void> {
  writer.text += text;
  writer.written += text.length;
  if (writer.written < stepChars) return;
  flush(writer);
  writer.written = 0;
  yield;
}

/** Where a slice may end: not between the halves of a surrogate pair, which belong together. */
function sliceEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isPair ? at + 1 : at;
}

function* longText(writer: Writer, text: string): Generator<void, void> {
  yield* add(writer, '"');
  for (let at = 0; at < text.length; ) {
    const end = sliceEnd(text, at + sliceChars);
    yield* add(writer, jsonText(text.slice(at, end)).slice(1, -1));
    at = end;
  }
  yield* add(writer, '"');
}

function* list(writer: Writer, items: readonly Json[]): Generator<void, void> {
  yield* add(writer, "[");
  for (const [index, item] of items.entries()) {
    if (index > 0) writer.text += ",";
    yield* write(writer, item);
  }
  yield* add(writer, "]");
}

function* object(writer: Writer, value: { readonly [name: string]: Json | undefined }): Generator<void, void> {
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

function* write(writer: Writer, value: Json): Generator<void, void> {
  if (!isLargerThan(value, stepChars / 4)) yield* add(writer, jsonText(value));
  else if (typeof value === "string") yield* longText(writer, value);
  else if (Array.isArray(value)) yield* list(writer, value);
  else yield* object(writer, value as { readonly [name: string]: Json | undefined });
}

/** The bytes of `jsonText(value)`, in steps of a few milliseconds. */
export function* writeSteps(value: Json): Generator<void, Uint8Array<ArrayBuffer>> {
  const writer: Writer = { pieces: [], text: "", written: 0 };
  yield* write(writer, value);
  flush(writer);
  yield;
  return Buffer.concat(writer.pieces);
}
