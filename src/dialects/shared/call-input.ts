// The input of a call as text: what counts as none, and what a function without one is given.
import type { ToolCallBlock } from "../../canon/conversation.ts";
import { isObject, type Json } from "../../lib/json.ts";

/** Whether a call still needs `{}`: a function's input is JSON, and nothing at all is not. */
export function isBlankInput(kind: ToolCallBlock["kind"], input: string): boolean {
  return kind === "function" && input.trim() === "";
}

/** A complete call: one without input has the empty object. */
export function completed(block: ToolCallBlock): ToolCallBlock {
  return isBlankInput(block.kind, block.input) ? { ...block, input: "{}" } : block;
}

/** Arguments as text; some servers send the object itself. */
export function inputText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : "";
}
