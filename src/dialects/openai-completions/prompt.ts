// Prompts: one user message in the canonical model; a list of prompts is split into one request each.
import type { Message } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";

/** The origin of prompts that only an upstream of this dialect can read. */
const dialectName = "openai-completions";

const maxPrompts = 2048;

/** A list of texts or of token lists has several prompts; a list of numbers is one. */
function isList(prompt: Json | undefined): prompt is Json[] {
  return Array.isArray(prompt) && typeof prompt[0] !== "number";
}

/** Refuses lists that are empty, too long, or of mixed types. */
function checkList(prompt: Json[]): void {
  if (prompt.length === 0) throw badValue("prompt", "'prompt' must not be an empty array.");
  if (prompt.length > maxPrompts) throw badValue("prompt", `'prompt' must have at most ${maxPrompts} items.`);
  const isOneKind = prompt.every((item) => typeof item === typeof prompt[0]);
  if (!isOneKind) throw badValue("prompt", "'prompt' must not mix strings, numbers and arrays.");
  const empty = prompt.findIndex((item) => Array.isArray(item) && item.length === 0);
  if (empty >= 0) throw badValue(`prompt[${empty}]`, `'prompt[${empty}]' must not be an empty array.`);
}

/**
 * The message of a prompt. Token lists depend on a tokenizer, the empty prompt on a model without a conversation, and
 * several prompts on this dialect. They become provider blocks, which only upstreams of this dialect accept.
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

/** The prompt of a message that `parsePrompt` made. */
export function renderPrompt(message: Message | undefined): Json {
  const [block] = message?.blocks ?? [];
  if (block?.type === "text") return block.text;
  return block?.type === "foreign" && isObject(block.wire) ? (block.wire.prompt ?? null) : null;
}

/** One request for each prompt, in order; a request with one prompt is unchanged. */
export function split(wire: JsonObject): readonly JsonObject[] {
  const { prompt } = wire;
  return isList(prompt) && prompt.length > 1 ? prompt.map((each) => ({ ...wire, prompt: each })) : [wire];
}

/** The prefix of each choice: its prompt if the client requested an echo. Choices are ordered by prompt. */
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
