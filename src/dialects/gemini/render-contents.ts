// Renders the contents: roles alternate, and every call is answered by one result, all of them in one content.
import type {
  Block,
  ChatRequest,
  Message,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "../../canonical/chat.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { historyArguments } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { settle } from "../shared/normalize-messages.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { renderMedia, renderText } from "./media.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { dummySignature, ownState } from "./signature.ts";

/** What rendering the history depends on. */
interface HistoryContext {
  readonly notes: Warnings;
  readonly limits: ModelLimits;
  readonly names: ToolNames;
}

/** The tool name of each call in the message that is being answered. */
type Calls = ReadonlyMap<string, string>;

/** `isSeparate`: function responses. They are counted, so they are never merged with neighbors. */
interface Content {
  readonly role: "user" | "model";
  readonly parts: JsonObject[];
  readonly isSeparate?: boolean;
}

/** A minimal part, where alternating roles require a content but there is nothing to send. */
const placeholder: JsonObject = { text: "." };

function callPart(block: ToolCallBlock, to: HistoryContext): JsonObject {
  const { input, exact } =
    block.kind === "custom" ? { input: wrapCustomInput(block.input), exact: true } : historyArguments(block.input);
  if (!exact) warnField(to.notes, "approximated", "messages");
  const id = to.limits.callIds ? { id: block.id } : {};
  return { functionCall: { ...id, name: to.names.toWire(block.name), args: input } };
}

/** The parts of one assistant message under construction. `held`: state that waits for its part. */
interface Saying {
  readonly parts: JsonObject[];
  held: string | null;
}

/**
 * State without text belongs to the adjacent part: the following call without state, else the text before, else the
 * next part.
 */
function placeState(data: string, next: Block | undefined, saying: Saying, origin: string): void {
  const last = saying.parts.at(-1);
  const isNextCall = next?.type === "tool-call" && ownState(next.signature, origin) === null;
  const canTake = last !== undefined && !last.thought && !last.functionCall && last.thoughtSignature === undefined;
  if (!isNextCall && canTake) last.thoughtSignature = data;
  else saying.held = data;
}

/** Thinking is sent back only to the provider that generated it, with its signature; without one it is left out. */
function sayThinking(block: ThinkingBlock, next: Block | undefined, saying: Saying, origin: string): void {
  const data = ownState(block.signature, origin);
  if (data === null) return;
  if (block.text === "") placeState(data, next, saying, origin);
  else saying.parts.push({ text: block.text, thought: true, thoughtSignature: data });
}

function say(saying: Saying, parts: readonly JsonObject[], own: string | null): void {
  const [first, ...others] = parts;
  if (first === undefined) return;
  const state = own ?? saying.held;
  if (own === null) saying.held = null;
  saying.parts.push(state === null ? first : { ...first, thoughtSignature: state }, ...others);
}

/** The first call of a set carries the signature; history of other providers gets the dummy signature. */
function prove(parts: readonly JsonObject[], limits: ModelLimits): void {
  const first = parts.find((part) => part.functionCall !== undefined);
  if (first !== undefined && limits.proof) first.thoughtSignature ??= dummySignature;
}

function assistantParts(message: Message, to: HistoryContext): JsonObject[] {
  const { origin } = to.notes.context;
  const saying: Saying = { parts: [], held: null };
  for (const [index, block] of message.blocks.entries()) {
    if (block.type === "thinking") sayThinking(block, message.blocks[index + 1], saying, origin);
    else if (block.type === "tool-call") say(saying, [callPart(block, to)], ownState(block.signature, origin));
    else if (block.type !== "tool-result") say(saying, renderMedia(block, to.limits, to.notes), null);
  }
  if (saying.held !== null) saying.parts.push({ text: "", thoughtSignature: saying.held });
  prove(saying.parts, to.limits);
  return saying.parts;
}

function responseOf(text: string, isError: boolean): JsonObject {
  const value = text.startsWith("{") ? parseExactText(text) : undefined;
  if (isError) return { error: isObject(value) ? value : text };
  return isObject(value) ? value : { output: text };
}

/** The response to one call, and the media that it cannot contain. */
function resultParts(result: ToolResultBlock, calls: Calls, to: HistoryContext) {
  const parts = result.content.flatMap((part) => renderMedia(part, to.limits, to.notes));
  const text = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : [])).join("\n");
  const media = parts.filter((part) => typeof part.text !== "string");
  const name = to.names.toWire(calls.get(result.callId) ?? result.callId);
  const body: JsonObject = {
    ...(to.limits.callIds ? { id: result.callId } : {}),
    name,
    response: responseOf(text, result.isError),
    ...(to.limits.resultMedia && media.length > 0 ? { parts: media } : {}),
  };
  return { response: { functionResponse: body }, media: to.limits.resultMedia ? [] : media };
}

/**
 * Media next to results would be counted as results by models without media in results, so they follow in a content of
 * their own.
 */
function resultContents(message: Message, to: HistoryContext, calls: Calls): Content[] {
  const results = message.blocks.flatMap((block) =>
    block.type === "tool-result" ? [resultParts(block, calls, to)] : [],
  );
  const media = results.flatMap((result) => result.media);
  if (media.length > 0) warnField(to.notes, "approximated", "messages");
  const answers: Content = { role: "user", parts: results.map(({ response }) => response), isSeparate: true };
  return media.length === 0 ? [answers] : [answers, { role: "user", parts: media, isSeparate: true }];
}

function userParts(message: Message, to: HistoryContext): JsonObject[] {
  const parts = message.blocks.flatMap((block) => {
    if (block.type === "thinking" || block.type === "tool-call" || block.type === "tool-result") return [];
    return renderMedia(block, to.limits, to.notes);
  });
  if (message.name === undefined) return parts;
  warnField(to.notes, "approximated", "messages");
  const [first, ...others] = parts;
  if (typeof first?.text !== "string") return [{ text: `${message.name}:` }, ...parts];
  return [{ ...first, text: `${message.name}: ${first.text}` }, ...others];
}

/** A system message keeps its position, marked within a user content. */
function systemParts(message: Message, to: HistoryContext): JsonObject[] {
  const texts = userParts(message, to).flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
  if (texts.length === 0) return [];
  warnField(to.notes, "approximated", "messages");
  return renderText({ text: `<system>\n${texts.join("\n")}\n</system>` });
}

const renderers: {
  readonly [role in Message["role"]]: (message: Message, to: HistoryContext, calls: Calls) => Content[];
} = {
  assistant: (message, to) => [{ role: "model", parts: assistantParts(message, to) }],
  tool: resultContents,
  user: (message, to) => [{ role: "user", parts: userParts(message, to) }],
  system: (message, to) => [{ role: "user", parts: systemParts(message, to) }],
};

/** Merges adjacent contents of one role, except results. */
function merged(contents: readonly Content[]): Content[] {
  const result: Content[] = [];
  for (const content of contents) {
    const last = result.at(-1);
    if (content.parts.length === 0) continue;
    if (last?.role === content.role && !last.isSeparate && !content.isSeparate) last.parts.push(...content.parts);
    else result.push({ ...content, parts: [...content.parts] });
  }
  return result;
}

function callsIn(message: Message): Calls {
  const calls = message.blocks.filter((block) => block.type === "tool-call");
  return new Map(calls.map((call) => [call.id, call.name]));
}

const hasStandIn = ({ parts }: Content): boolean => parts.some((part) => part.thoughtSignature === dummySignature);

/**
 * Every set of results follows directly after the message that it answers. A lost signature is a loss where the server
 * requires it, after the last user message: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function renderAll(messages: readonly Message[], to: HistoryContext): Content[] {
  let calls: Calls = new Map();
  const spoken = messages.findLastIndex(({ role }) => role === "user");
  return messages.flatMap((message, index) => {
    if (message.role === "assistant") calls = callsIn(message);
    const contents = renderers[message.role](message, to, calls);
    if (index > spoken && contents.some(hasStandIn)) warnField(to.notes, "approximated", "reasoning");
    return contents;
  });
}

/** The contents of a request. Refuses a request without content. */
export function renderContents(request: ChatRequest, messages: readonly Message[], to: HistoryContext): JsonObject[] {
  if (request.messages.length === 0 && request.system.length === 0) {
    throw badValue(to.notes.context.fieldPath("messages"), "At least one message is required.");
  }
  const contents = merged(renderAll(settle(messages, to.notes), to));
  if (contents[0]?.role !== "user") {
    warnField(to.notes, "approximated", "messages");
    contents.unshift({ role: "user", parts: [placeholder] });
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}
