// The prompt: one user turn in canon, and a list of prompts as that many requests.
import type { Message } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";

/** The origin of prompts that only an upstream of this dialect can read. */
export const dialectName = "openai-completions";

const maxPrompts = 2048;

/** A list of texts or of token lists holds several prompts; a list of numbers is one. */
function isList(prompt: Json | undefined): prompt is Json[] {
  return Array.isArray(prompt) && typeof prompt[0] !== "number";
}

/** Refuses lists that are empty, too long, or of several kinds. */
function checkList(prompt: Json[]): void {
  if (prompt.length === 0) throw badValue("prompt", "'prompt' must not be an empty array.");
  if (prompt.length > maxPrompts) throw badValue("prompt", `'prompt' must have at most ${maxPrompts} items.`);
  const isOneKind = prompt.every((item) => typeof item === typeof prompt[0]);
  if (!isOneKind) throw badValue("prompt", "'prompt' must not mix strings, numbers and arrays.");
  const empty = prompt.findIndex((item) => Array.isArray(item) && item.length === 0);
  if (empty >= 0) throw badValue(`prompt[${empty}]`, `'prompt[${empty}]' must not be an empty array.`);
}

/**
 * The turn of a prompt. Tokens belong to one tokenizer, the empty prompt to models without a conversation, and several
 * prompts to one request of this dialect: all these stay as they are for an upstream that reads them, and others refuse them.
 */
export function parsePrompt(prompt: Json | undefined): Message {
  if (Array.isArray(prompt)) checkList(prompt);
  const only = isList(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof only === "string" && only !== "") return { role: "user", blocks: [{ type: "text", text: only }] };
  return {
    role: "user",
    blocks: [{ type: "foreign", origin: dialectName, wire: { prompt: only ?? null }, path: "prompt" }],
  };
}

/** The prompt of a turn that `parsePrompt` made. */
export function renderPrompt(message: Message | undefined): Json {
  const [block] = message?.blocks ?? [];
  if (block?.type === "text") return block.text;
  return block?.type === "foreign" && isObject(block.wire) ? (block.wire.prompt ?? null) : null;
}

/** One request for each prompt, in order; a request with one prompt stays what it is. */
export function split(wire: JsonObject): readonly JsonObject[] {
  const { prompt } = wire;
  return isList(prompt) && prompt.length > 1 ? prompt.map((each) => ({ ...wire, prompt: each })) : [wire];
}

/** What each choice begins with: nothing unless the client asked for an echo. Choices come prompt by prompt. */
export function echoes(wire: JsonObject): (choice: number) => string {
  if (wire.echo !== true) return () => "";
  const { prompt, n } = wire;
  const prompts = isList(prompt) ? prompt : [prompt];
  const each = typeof n === "number" ? n : 1;
  return (choice) => {
    const text = prompts[Math.floor(choice / each)];
    return typeof text === "string" ? text : "";
  };
}
