// The input of a call as text: what counts as none, and what a function without one is given.
import type { ToolCallBlock } from "../../canonical/chat.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { wellFormedJson } from "../../lib/well-formed.ts";
import { isNoArguments } from "./arguments.ts";

/** Whether a call still needs `{}`: a function's input is JSON, and nothing at all is not. */
export function isBlankInput(kind: ToolCallBlock["kind"], input: string): boolean {
  return kind === "function" && input.trim() === "";
}

/** A complete call: a function's without arguments has the empty object. */
export function completed(block: ToolCallBlock): ToolCallBlock {
  return block.kind === "function" && isNoArguments(block.input) ? { ...block, input: "{}" } : block;
}

/** A complete call for an upstream, which may parse its arguments: they are JSON inside the JSON of the body. */
export function sendable(block: ToolCallBlock): ToolCallBlock {
  const call = completed(block);
  return call.kind === "function" ? { ...call, input: wellFormedJson(call.input) } : call;
}

/** Arguments as text; some servers send the object itself. */
export function inputText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : "";
}
