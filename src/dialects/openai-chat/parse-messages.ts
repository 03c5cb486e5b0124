// Parses the messages: the system prefix is split off, and each result follows the message with its call.
import type { Block, Message, TextBlock } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { missing } from "../errors.ts";
import { completed } from "../shared/arguments.ts";
import { addToolResult, type Conversation, newConversation, speak, turnsOf } from "../shared/conversation-builder.ts";
import { dialectName, parseContent, parseText } from "./content.ts";
import { parseThinking } from "./reasoning.ts";
import { madeId, parseCall, parseFunctionCall } from "./tool-calls.ts";

interface Reading extends Conversation {
  readonly system: TextBlock[];
  /** Generated ids of legacy calls, by function name. */
  readonly legacyIds: Map<string, string>;
}

function named(message: JsonObject): { name?: string } {
  return typeof message.name === "string" && message.name !== "" ? { name: message.name } : {};
}

function needContent(message: JsonObject, path: string): void {
  if (message.content === undefined || message.content === null) throw missing(`${path}.content`);
}

function answer(reading: Reading, callId: string, content: TextBlock[]): void {
  addToolResult(reading, { type: "tool-result", callId, content, isError: false });
}

function readSystem(reading: Reading, message: JsonObject, path: string): void {
  needContent(message, path);
  const blocks = parseText(message.content, `${path}.content`);
  if (reading.entries.length === 0) reading.system.push(...blocks);
  else speak(reading, { role: "system", blocks, ...named(message) });
}

function readUser(reading: Reading, message: JsonObject, path: string): void {
  needContent(message, path);
  speak(reading, { role: "user", blocks: parseContent(message.content, `${path}.content`), ...named(message) });
}

function readCalls(message: JsonObject, path: string): Block[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return calls.map((call, index) => {
    const block = isObject(call) ? parseCall(call, dialectName, madeId(path, 0, index)) : null;
    if (block === null) throw missing(`${path}.tool_calls[${index}].function`);
    return completed(block);
  });
}

/** `audio` refers to audio that the provider stores; only its own servers can look it up. */
function readAudio(message: JsonObject, path: string): Block[] {
  if (!isObject(message.audio)) return [];
  return [{ type: "foreign", origin: dialectName, wire: { audio: message.audio }, path: `${path}.audio` }];
}

function readLegacyCall(reading: Reading, message: JsonObject, index: number): Block[] {
  if (!isObject(message.function_call)) return [];
  const block = parseFunctionCall(message.function_call, madeId("function", index, 0));
  if (block === null) throw missing(`messages[${index}].function_call.name`);
  reading.legacyIds.set(block.name, block.id);
  return [completed(block)];
}

function readAssistant(reading: Reading, message: JsonObject, path: string, index: number): void {
  const blocks: Block[] = [
    ...parseThinking(message, dialectName),
    ...parseContent(message.content, `${path}.content`),
    ...(typeof message.refusal === "string" && message.refusal !== ""
      ? [{ type: "refusal", text: message.refusal } as const]
      : []),
    ...readAudio(message, path),
    ...readCalls(message, path),
    ...readLegacyCall(reading, message, index),
  ];
  if (blocks.length === 0 && message.content === undefined) throw missing(`${path}.content`);
  speak(reading, { role: "assistant", blocks, ...named(message) });
}

function readTool(reading: Reading, message: JsonObject, path: string): void {
  if (typeof message.tool_call_id !== "string" || message.tool_call_id === "") throw missing(`${path}.tool_call_id`);
  answer(reading, message.tool_call_id, parseText(message.content, `${path}.content`));
}

function readFunction(reading: Reading, message: JsonObject, path: string, index: number): void {
  if (typeof message.name !== "string" || message.name === "") throw missing(`${path}.name`);
  const callId = reading.legacyIds.get(message.name) ?? madeId("function", index, 0);
  answer(reading, callId, parseText(message.content, `${path}.content`));
}

const readers: {
  readonly [role: string]: (reading: Reading, message: JsonObject, path: string, index: number) => void;
} = {
  system: readSystem,
  developer: readSystem,
  user: readUser,
  assistant: readAssistant,
  tool: readTool,
  function: readFunction,
};

/** The conversation of a request. Leading system messages are the prefix; later ones keep their position. */
export function parseMessages(messages: readonly JsonObject[]): { system: TextBlock[]; messages: Message[] } {
  const reading: Reading = { ...newConversation(), system: [], legacyIds: new Map() };
  messages.forEach((message, index) => {
    readers[String(message.role)]?.(reading, message, `messages[${index}]`, index);
  });
  return { system: reading.system, messages: turnsOf(reading) };
}
