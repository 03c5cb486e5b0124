// Tool arguments as text and as object: the canonical model has JSON text, some wires an object; and which count as empty.
import type { ToolCallBlock } from "../../canonical/chat.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject, wellFormedJson } from "../../lib/json.ts";
import type { StreamReader } from "../dialect.ts";

/** Whether a text is complete JSON; a blank text is a call without arguments. */
export function isWholeJson(text: string): boolean {
  return text.trim() === "" || parseExactText(text) !== undefined;
}

/** Text that means a call without arguments: servers write nothing or `null`, and clients parse an object. */
export function isNoArguments(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || trimmed === "null";
}

/** Empty arguments become `{}`, a bare value goes under `value`; null when the text is not JSON. */
export function argumentObject(text: string): JsonObject | null {
  if (isNoArguments(text)) return {};
  const value = parseExactText(text);
  if (value === undefined) return null;
  return isObject(value) ? value : { value };
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** Closes a cut JSON text. Only for history: live output is never repaired. */
function closed(text: string): string {
  const open: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (inString && sign === "\\") at++;
    else if (sign === '"') inString = !inString;
    else if (!inString && sign in closers) open.push(closers[sign] ?? "");
    else if (!inString && (sign === "}" || sign === "]")) open.pop();
  }
  return `${text}${inString ? '"' : ""}${open.reverse().join("")}`;
}

/** Arguments of a call in the history; `exact` is false when they had to be repaired or wrapped. */
export function historyArguments(text: string): { readonly input: JsonObject; readonly exact: boolean } {
  const input = argumentObject(text);
  if (input !== null) return { input, exact: true };
  return { input: argumentObject(closed(text)) ?? { _raw_arguments: text }, exact: false };
}

/** Whether a call still needs `{}`: the input of a function is JSON, which an empty text is not. */
export function isBlankInput(kind: ToolCallBlock["kind"], input: string): boolean {
  return kind === "function" && input.trim() === "";
}

/** A complete call: without arguments, a function gets the empty object. */
export function completed(block: ToolCallBlock): ToolCallBlock {
  return block.kind === "function" && isNoArguments(block.input) ? { ...block, input: "{}" } : block;
}

/** A complete call for an upstream, which may parse its arguments from JSON within JSON. */
export function sendable(block: ToolCallBlock): ToolCallBlock {
  const call = completed(block);
  return call.kind === "function" ? { ...call, input: wellFormedJson(call.input) } : call;
}

/** Arguments as text; some servers send an object. */
export function inputText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : "";
}

const mayBeNull = /^\s*(?:n(?:u(?:l(?:l\s*)?)?)?)?$/;

/** A transformation of the events of one reply. */
function stage(): (event: StreamEvent) => StreamEvent[] {
  const held = new Map<string, string>();
  const keyOf = ({ choice, block }: { readonly choice: number; readonly block: number }) => `${choice}/${block}`;
  return (event) => {
    if (event.type === "block-start") {
      if (event.open.kind === "tool-call" && event.open.tool === "function") held.set(keyOf(event), "");
      return [event];
    }
    if (held.size === 0 || (event.type !== "tool-input" && event.type !== "block-end")) return [event];
    const before = held.get(keyOf(event));
    if (before === undefined) return [event];
    if (event.type === "block-end") {
      held.delete(keyOf(event));
      if (before === "") return [event];
      const { choice, block } = event;
      return [{ type: "tool-input", choice, block, text: isNoArguments(before) ? "{}" : before }, event];
    }
    const text = before + event.text;
    if (mayBeNull.test(text)) {
      held.set(keyOf(event), text);
      return [];
    }
    held.delete(keyOf(event));
    return [before === "" ? event : { ...event, text }];
  };
}

/** The reader, with `{}` for arguments that are `null`. */
export function withoutNullArguments(reader: StreamReader): StreamReader {
  const pass = stage();
  return { ...reader, read: (frame) => reader.read(frame).flatMap(pass), end: () => reader.end().flatMap(pass) };
}
