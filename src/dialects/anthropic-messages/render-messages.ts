// Renders messages: roles alternate, and every call is followed at once by its result, results first.

import type { Block, ChatRequest, Message, ToolCallBlock, ToolResultBlock } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { badValue, unsupported } from "../errors.ts";
import { historyArguments } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { cleanId, type ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { cacheControl } from "./cache-control.ts";
import { renderAssistantText, renderPart, renderResult, textParts } from "./content.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { ownState } from "./signature.ts";

/** What rendering the history depends on. */
interface HistoryContext {
  readonly context: RenderContext;
  readonly limits: ModelLimits;
  readonly names: ToolNames;
  readonly warnings: Warnings;
}

/** An assistant message and everything up to the next one. The first episode may have no assistant message. */
interface Episode {
  readonly assistant: Block[];
  readonly rest: Message[];
}

interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: JsonObject[];
}

/** A minimal text, where alternating roles require a message but there is no content. */
const placeholder: JsonObject = { type: "text", text: "." };

function episodesOf(messages: readonly Message[]): Episode[] {
  const episodes: Episode[] = [{ assistant: [], rest: [] }];
  for (const message of messages) {
    const last = episodes.at(-1);
    if (message.role !== "assistant") last?.rest.push(message);
    else if (last?.rest.length === 0) last.assistant.push(...message.blocks);
    else episodes.push({ assistant: [...message.blocks], rest: [] });
  }
  return episodes;
}

function renderCall(block: ToolCallBlock, to: HistoryContext): JsonObject {
  const { input, exact } =
    block.kind === "custom" ? { input: wrapCustomInput(block.input), exact: true } : historyArguments(block.input);
  if (!exact) warnField(to.warnings, "approximated", "messages");
  return {
    type: "tool_use",
    id: cleanId(block.id),
    name: to.names.toWire(block.name),
    input,
    ...cacheControl(block.cache),
  };
}

/** A thinking block is sent with the signature of the upstream that made it, or not at all. */
function renderThinking(block: Extract<Block, { type: "thinking" }>, origin: string): JsonObject[] {
  const data = ownState(block.signature, origin);
  if (data === null) return [];
  return [
    block.redacted ? { type: "redacted_thinking", data } : { type: "thinking", thinking: block.text, signature: data },
  ];
}

function renderAssistantBlock(block: Block, to: HistoryContext): JsonObject[] {
  switch (block.type) {
    case "text":
      return renderAssistantText(block);
    case "thinking":
      return renderThinking(block, to.context.origin);
    case "tool-call":
      return [renderCall(block, to)];
    case "image":
      throw unsupported(block.path ?? to.context.fieldPath("messages"), "assistant messages must not contain images");
    default:
      return renderPart(block, to.context);
  }
}

/** Text after a call moves before the first call, because results must follow the calls directly. */
function callsLast(content: JsonObject[]): JsonObject[] {
  const first = content.findIndex((part) => part["type"] === "tool_use");
  if (first < 0) return content;
  const rest = content.slice(first);
  const isText = (part: JsonObject) => part["type"] === "text";
  return [...content.slice(0, first), ...rest.filter(isText), ...rest.filter((part) => !isText(part))];
}

const missingResult = (call: ToolCallBlock): JsonObject => ({
  type: "tool_result",
  tool_use_id: cleanId(call.id),
  content: "No result was provided.",
  is_error: true,
});

/** One result per call, in the order of the calls. Of two results for one call, the later one is used. */
function renderResults(episode: Episode, to: HistoryContext): JsonObject[] {
  const results = new Map<string, ToolResultBlock>();
  for (const block of episode.rest.flatMap((message) => message.blocks)) {
    if (block.type !== "tool-result") continue;
    if (results.has(block.callId)) warnField(to.warnings, "approximated", "messages");
    results.set(block.callId, block);
  }
  const calls = episode.assistant.filter((block) => block.type === "tool-call");
  return calls.map((call) => {
    const result = results.get(call.id);
    if (result === undefined) warnField(to.warnings, "approximated", "messages");
    return result === undefined ? missingResult(call) : renderResult(result, to.context);
  });
}

/** A result whose call is missing becomes text. */
function renderOrphan(result: ToolResultBlock, to: HistoryContext): JsonObject[] {
  warnField(to.warnings, "approximated", "messages");
  return [
    { type: "text", text: `[Result of the tool call ${result.callId}]` },
    ...result.content.flatMap((part) => renderPart(part, to.context)),
  ];
}

function renderUserMessage(message: Message, calls: ReadonlySet<string>, to: HistoryContext): JsonObject[] {
  const parts = message.blocks.flatMap((block) => {
    if (block.type !== "tool-result") return renderPart(block, to.context);
    return calls.has(block.callId) ? [] : renderOrphan(block, to);
  });
  if (message.name === undefined || message.role !== "user") return parts;
  warnField(to.warnings, "approximated", "messages");
  const [first, ...more] = parts;
  if (first?.["type"] !== "text") return [{ type: "text", text: `${message.name}:` }, ...parts];
  return [{ ...first, text: `${message.name}: ${first["text"]}` }, ...more];
}

/**
 * A system message keeps its position: as its own message where the model supports it, otherwise marked in a user
 * message.
 */
function systemParts(message: Message, to: HistoryContext): WireMessage[] {
  const content = message.blocks.flatMap((block) => renderPart(block, to.context));
  if (content.length === 0) return [];
  if (to.limits.systemTurns) return [{ role: "system", content }];
  warnField(to.warnings, "approximated", "messages");
  const text = content.map((part) => part["text"]).join("\n");
  return [{ role: "user", content: textParts(`<system>\n${text}\n</system>`) }];
}

function renderEpisode(episode: Episode, to: HistoryContext): WireMessage[] {
  const assistant = callsLast(episode.assistant.flatMap((block) => renderAssistantBlock(block, to)));
  const calls = new Set(episode.assistant.flatMap((block) => (block.type === "tool-call" ? [block.id] : [])));
  const userMessages: WireMessage[] = [{ role: "user", content: renderResults(episode, to) }];
  for (const turn of episode.rest) {
    if (turn.role === "system") userMessages.push(...systemParts(turn, to));
    else userMessages.push({ role: "user", content: renderUserMessage(turn, calls, to) });
  }
  const nonEmpty = userMessages.filter((message) => message.content.length > 0);
  if (nonEmpty.length === 0 && episode.rest.length > 0) {
    warnField(to.warnings, "approximated", "messages");
    nonEmpty.push({ role: "user", content: [placeholder] });
  }
  return assistant.length > 0 ? [{ role: "assistant", content: assistant }, ...nonEmpty] : nonEmpty;
}

/** Merges adjacent messages of one role. */
function merged(messages: readonly WireMessage[]): WireMessage[] {
  const result: WireMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last?.role === message.role) last.content.push(...message.content);
    else result.push({ role: message.role, content: [...message.content] });
  }
  return result;
}

/** Upstreams refuse trailing white space in a prefill. A prefill of only white space is removed. */
function trimPrefill(messages: WireMessage[], to: HistoryContext): WireMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return messages;
  if (!to.limits.prefill) {
    throw unsupported(to.context.fieldPath("messages"), "the last message must not have the role 'assistant'");
  }
  const part = last.content.at(-1);
  if (part?.["type"] !== "text") return messages;
  const trimmed = { ...part, text: String(part["text"]).trimEnd() };
  return [...messages.slice(0, -1), { role: "assistant", content: [...last.content.slice(0, -1), trimmed] }];
}

function written(message: WireMessage): JsonObject {
  const [only] = message.content;
  const isPlain = message.content.length === 1 && only?.["type"] === "text" && Object.keys(only).length === 2;
  return { role: message.role, content: isPlain ? only?.["text"] : message.content };
}

/** The messages of a request. Refuses a request without content. */
export function renderMessages(request: ChatRequest, turns: readonly Message[], to: HistoryContext): JsonObject[] {
  if (request.messages.length === 0 && request.system.length === 0) {
    throw badValue(to.context.fieldPath("messages"), "At least one message is required.");
  }
  const messages = merged(episodesOf(turns).flatMap((episode) => renderEpisode(episode, to)));
  if (messages[0]?.role !== "user") {
    warnField(to.warnings, "approximated", "messages");
    messages.unshift({ role: "user", content: [placeholder] });
  }
  return trimPrefill(messages, to).map(written);
}
