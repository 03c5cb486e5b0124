// Parses the input items: consecutive items of the model become one assistant message.
import type { Block, TextBlock, ToolCallBlock } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, missing } from "../errors.ts";
import { completed, inputText } from "../shared/arguments.ts";
import { addToolResult, type Conversation, newConversation, speak, turnsOf } from "../shared/conversation-builder.ts";
import { checkTrigger, isSealed } from "./compact.ts";
import { foreign, parseContent, parseMessageContent, parseResultPart, parseTextContent, textAt } from "./content.ts";
import { callState, nativeOrigin, parseReasoningItem } from "./reasoning.ts";
import { flatName } from "./tool-namespaces.ts";

interface Reading extends Conversation {
  readonly system: TextBlock[];
  /** Blocks of the open assistant message. */
  said: Block[];
  readonly extras: UnmappedField[];
}

type ItemReader = (reading: Reading, item: JsonObject, path: string) => void;

/** Closes the assistant message. */
function flush(reading: Reading): void {
  if (reading.said.length === 0) return;
  speak(reading, { role: "assistant", blocks: reading.said });
  reading.said = [];
}

function say(reading: Reading, role: "user" | "system", blocks: Block[]): void {
  flush(reading);
  speak(reading, { role, blocks });
}

function readSystem(reading: Reading, item: JsonObject, path: string): void {
  const blocks = parseTextContent(item.content, `${path}.content`);
  flush(reading);
  if (reading.entries.length === 0) reading.system.push(...blocks);
  else speak(reading, { role: "system", blocks });
}

const roles: { readonly [role: string]: ItemReader } = {
  system: readSystem,
  developer: readSystem,
  user: (reading, item, path) => say(reading, "user", parseMessageContent(item.content, `${path}.content`)),
  assistant: (reading, item, path) => {
    reading.said.push(...parseMessageContent(item.content, `${path}.content`));
  },
};

function readMessage(reading: Reading, item: JsonObject, path: string): void {
  if (typeof item.role !== "string") throw missing(`${path}.role`);
  const read = Object.hasOwn(roles, item.role) ? roles[item.role] : undefined;
  if (read === undefined) throw badValue(`${path}.role`, `'${item.role}' is not a valid message role.`);
  read(reading, item, path);
}

function callOf(item: JsonObject, path: string, kind: ToolCallBlock["kind"]): ToolCallBlock {
  const field = kind === "custom" ? "input" : "arguments";
  if (item[field] === undefined || item[field] === null) throw missing(`${path}.${field}`);
  return completed({
    type: "tool-call",
    id: textAt(item, "call_id", path),
    name: flatName(item.namespace, textAt(item, "name", path)),
    kind,
    input: inputText(item[field]),
  });
}

function readResult(reading: Reading, item: JsonObject, path: string): void {
  const callId = textAt(item, "call_id", path);
  const content = parseContent(item.output, `${path}.output`, parseResultPart);
  flush(reading);
  addToolResult(reading, { type: "tool-result", callId, content, isError: false });
}

/** The state of a call goes back to the call, which comes before it. */
function readReasoning(reading: Reading, item: JsonObject): void {
  const signature = callState(item);
  if (signature === null) {
    const block = parseReasoningItem(item, nativeOrigin);
    if (block !== null) reading.said.push(block);
    return;
  }
  const at = reading.said.findLastIndex((block) => block.type === "tool-call");
  const call = reading.said[at];
  if (call?.type === "tool-call") reading.said[at] = { ...call, signature };
}

/** The gateway's own summaries are decrypted before the input is parsed; encrypted ones cannot be used. */
function readCompaction(reading: Reading, item: JsonObject, path: string): void {
  const field = `${path}.encrypted_content`;
  const sealed = textAt(item, "encrypted_content", path);
  if (isSealed(sealed)) throw badValue(field, `'${field}' is not a compaction created with this key.`);
  say(reading, "user", [foreign(item, field)]);
}

function refuseReference(_: Reading, item: JsonObject, path: string): void {
  const shown = typeof item.id === "string" ? item.id : "";
  throw badValue(`${path}.id`, `Item '${shown}' was not found.`);
}

/** Items that are read elsewhere: tools are added to the others, an update changes fields of the request. */
const readElsewhere: ItemReader = () => undefined;

const readers: ReadonlyMap<string, ItemReader> = new Map<string, ItemReader>([
  ["message", readMessage],
  ["function_call", (reading, item, path) => void reading.said.push(callOf(item, path, "function"))],
  ["custom_tool_call", (reading, item, path) => void reading.said.push(callOf(item, path, "custom"))],
  ["function_call_output", readResult],
  ["custom_tool_call_output", readResult],
  ["reasoning", readReasoning],
  ["compaction", readCompaction],
  ["item_reference", refuseReference],
  ["additional_tools", readElsewhere],
  ["configuration_update", readElsewhere],
]);

/** Tools that the server ran. The text around them contains the outcome; other dialects cannot replay them. */
const served = new Set([
  ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"],
  ...["mcp_list_tools", "mcp_call", "mcp_approval_request"],
]);

/** Items with results from the client: output of a tool, or an approval. */
const answer = /_(?:output|response)$/;

/** Items of tools that a provider or a client of this dialect runs, and unknown items. */
function readForeign(reading: Reading, item: JsonObject, path: string): void {
  if (served.has(String(item.type))) {
    reading.extras.push({ path, rule: "warn" });
    return;
  }
  const block = foreign(item, `${path}.type`);
  const isAnswer = answer.test(String(item.type)) || item.type === "compaction_trigger";
  if (isAnswer) say(reading, "user", [block]);
  else reading.said.push(block);
}

/** The type of an item, where it may be omitted: a message has a role, a reference only an id. */
function typeOf(item: JsonObject, path: string): string {
  if (typeof item.type === "string") return item.type;
  if (item.role !== undefined) return "message";
  if (typeof item.id === "string") return "item_reference";
  throw missing(`${path}.type`);
}

/** The items of an input; a plain text is one message. */
export function inputItems(input: Json | undefined): JsonObject[] {
  if (typeof input === "string") return input === "" ? [] : [{ type: "message", role: "user", content: input }];
  return Array.isArray(input) ? input.filter(isObject) : [];
}

/**
 * The conversation of a request: `instructions` and leading system items are the prefix, later ones keep their
 * position.
 */
export function parseInput(wire: JsonObject, items: readonly JsonObject[]) {
  const { instructions } = wire;
  const prefix: TextBlock[] =
    typeof instructions === "string" && instructions !== "" ? [{ type: "text", text: instructions }] : [];
  const reading: Reading = { ...newConversation(), system: prefix, said: [], extras: [] };
  checkTrigger(items);
  items.forEach((item, index) => {
    const path = `input[${index}]`;
    const read = readers.get(typeOf(item, path)) ?? readForeign;
    read(reading, item, path);
  });
  flush(reading);
  return { system: reading.system, messages: turnsOf(reading), extras: reading.extras };
}
