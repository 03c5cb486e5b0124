// Renders the input items, from the system prefix and the canonical messages.
import type { Block, Message, TextBlock, ToolCallBlock, ToolResultBlock } from "../../canonical/chat.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import { sendable } from "../shared/arguments.ts";
import { settle } from "../shared/normalize-messages.ts";
import { cleanId, type ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { asContent, dialectName, inputText, renderInput, renderOutputText } from "./content.ts";
import { replayedItem } from "./reasoning.ts";

interface Writing {
  readonly notes: Warnings;
  readonly names: ToolNames;
  /** The kind of the called tool by call id: a result has the same kind. */
  readonly kinds: Map<string, ToolCallBlock["kind"]>;
  readonly items: JsonObject[];
}

function message(role: "system" | "user" | "assistant", content: Json): JsonObject {
  return { type: "message", role, content };
}

/** Messages have no names here, so the name goes before the text. */
function named(parts: JsonObject[], turn: Message, warnings: Warnings): JsonObject[] {
  if (turn.name === undefined || turn.role !== "user") return parts;
  warnField(warnings, "approximated", "messages");
  const [first, ...more] = parts;
  if (first?.type !== "input_text") return [inputText(`${turn.name}:`), ...parts];
  return [{ ...first, text: `${turn.name}: ${first.text}` }, ...more];
}

function isDropped(block: Block): boolean {
  return block.type === "thinking" || block.type === "tool-call" || block.type === "tool-result";
}

function writeSpeech(turn: Message, role: "system" | "user", { notes, items }: Writing): void {
  if (turn.blocks.some(isDropped)) warnField(notes, "dropped", "messages");
  const own = turn.blocks.filter((block) => block.type === "foreign" && isItem(block.wire));
  const parts = turn.blocks.filter((block) => !own.includes(block)).flatMap((block) => renderInput(block, notes));
  if (parts.length > 0 || own.length === 0) items.push(message(role, asContent(named(parts, turn, notes))));
  items.push(...own.flatMap((block) => renderInput(block, notes)));
}

/** Whether this is an item of the list; other provider blocks are parts of a message. */
function isItem(wire: JsonObject): boolean {
  return typeof wire.type === "string" && !wire.type.startsWith("input_");
}

function renderCall(call: ToolCallBlock, names: ToolNames): JsonObject {
  const { id, name, kind, input } = sendable(call);
  const common = { call_id: cleanId(id), name: names.toWire(name) };
  if (kind === "custom") return { type: "custom_tool_call", ...common, input };
  return { type: "function_call", ...common, arguments: input };
}

/** A single text is sent as a string, which every server understands, anything else as parts. */
function assistantContent(parts: readonly JsonObject[]): Json {
  const [only] = parts;
  return parts.length === 1 && only?.type === "output_text" ? (only.text ?? "") : [...parts];
}

/** The assistant's blocks in order: adjacent text is one message, everything else an item of its own. */
function writeAssistant(turn: Message, { notes, names, kinds, items }: Writing): void {
  let parts: JsonObject[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push(message("assistant", assistantContent(parts)));
    parts = [];
  };
  for (const block of turn.blocks) {
    if (block.type === "text" || block.type === "refusal") {
      if (block.text !== "") parts.push(renderOutputText(block));
      continue;
    }
    const item = assistantItem(block, notes, names);
    if (block.type === "tool-call") kinds.set(block.id, block.kind);
    if (item === null) continue;
    flush();
    items.push(item);
  }
  flush();
}

function assistantItem(
  block: Exclude<Block, { type: "text" | "refusal" }>,
  warnings: Warnings,
  names: ToolNames,
): JsonObject | null {
  switch (block.type) {
    case "thinking":
      return replayedItem(block, warnings.context.origin);
    case "tool-call":
      return renderCall(block, names);
    case "foreign":
      if (block.origin === dialectName) return block.wire;
      throw unsupported(block.path ?? warnings.context.fieldPath("messages"), "this content type is not supported");
    case "tool-result":
      warnField(warnings, "dropped", "messages");
      return null;
    case "image":
    case "audio":
    case "document":
      throw unsupported(block.path ?? warnings.context.fieldPath("messages"), "assistant messages support text only");
  }
}

function renderResult(result: ToolResultBlock, { notes, kinds }: Writing): JsonObject {
  const type = kinds.get(result.callId) === "custom" ? "custom_tool_call_output" : "function_call_output";
  const parts = result.content.flatMap((part) => renderInput(part, notes));
  if (result.isError) warnField(notes, "approximated", "messages");
  const output = result.isError ? marked(parts) : parts;
  return { type, call_id: cleanId(result.callId), output: asContent(output) };
}

function marked(parts: readonly JsonObject[]): JsonObject[] {
  const [first, ...more] = parts;
  if (first?.type !== "input_text") return [inputText("Error:"), ...parts];
  return [{ ...first, text: `Error: ${first.text}` }, ...more];
}

function writeResults(turn: Message, writing: Writing): void {
  for (const block of turn.blocks) if (block.type === "tool-result") writing.items.push(renderResult(block, writing));
}

const writers: { readonly [role in Message["role"]]: (turn: Message, writing: Writing) => void } = {
  system: (turn, writing) => writeSpeech(turn, "system", writing),
  user: (turn, writing) => writeSpeech(turn, "user", writing),
  assistant: writeAssistant,
  tool: writeResults,
};

/** `instructions` and `input`. The first block of the prefix becomes the instructions; others keep their position. */
export function renderInputItems(
  ask: { readonly system: readonly TextBlock[]; readonly messages: readonly Message[] },
  names: ToolNames,
  warnings: Warnings,
): JsonObject {
  const [first, ...others] = ask.system;
  const writing: Writing = { notes: warnings, names, kinds: new Map(), items: [] };
  if (others.length > 0) writing.items.push(message("system", asContent(others.map(({ text }) => inputText(text)))));
  const messages = settle(ask.messages, warnings);
  if (messages.at(-1)?.role === "assistant") warnField(warnings, "approximated", "messages");
  for (const turn of messages) writers[turn.role](turn, writing);
  return omitUndefined({ instructions: first?.text, input: writing.items });
}
