// The input of a call as text: which inputs count as empty, and their replacement.
import type { ToolCallBlock } from "../../canonical/chat.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { wellFormedJson } from "../../lib/well-formed.ts";
import { isNoArguments } from "./arguments.ts";

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
