// Writes the events of one output item: its start, its deltas, and its end with the complete item.
import type { Citation, TokenLogprob } from "../../canonical/chat.ts";
import type { OpenBlock } from "../../canonical/stream-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ResponseFrame } from "../dialect.ts";
import { isBlankInput } from "../shared/arguments.ts";
import { renderTokens } from "../shared/openai-logprobs.ts";
import { itemId } from "./ids.ts";
import {
  type Called,
  callItem,
  callKind,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from "./items.ts";
import { sealedState, summaryOf } from "./reasoning.ts";

/** A part of a message. */
export interface PartState {
  readonly kind: "text" | "refusal";
  readonly index: number;
  readonly item: MessageState;
  /** The wire text that identifies the part in each of its events. */
  readonly where: string;
  text: string;
  readonly logprobs: TokenLogprob[];
  citations: readonly Citation[] | undefined;
  closed: boolean;
}

interface AnyItem {
  readonly id: string;
  readonly index: number;
  /** The complete item, once it is done. */
  wire: JsonObject | null;
}

interface MessageState extends AnyItem {
  readonly kind: "message";
  readonly parts: PartState[];
}

export interface CallState extends AnyItem {
  readonly kind: "call";
  readonly called: Called;
  readonly where: string;
  text: string;
  closed: boolean;
}

export interface ThoughtState extends AnyItem {
  readonly kind: "thought";
  readonly where: string;
  text: string;
  sealed: string | undefined;
  closed: boolean;
}

type ItemState = MessageState | CallState | ThoughtState;

/** Where events go: frames in order, numbered consecutively. */
export interface Events {
  /** The id of the response, from which the ids of its items are made. */
  readonly response: string;
  readonly items: ItemState[];
  sequence: number;
}

/** One event. `members` is JSON text without its braces, because most events are little more than one string. */
export function event(events: Events, type: string, members: string): Frame {
  return { event: type, data: `{"type":"${type}","sequence_number":${events.sequence++},${members}}` };
}

/** An event from values, for the few that contain a complete response. */
export function numberedEvent(type: string, number: number, members: JsonObject): Frame {
  return { event: type, data: JSON.stringify({ type, sequence_number: number, ...members }) };
}

function whereOf(item: { id: string; index: number }): string {
  return `"item_id":${JSON.stringify(item.id)},"output_index":${item.index}`;
}

/** True when nothing more can follow for the blocks opened in it. */
export function isSettled(item: ItemState): boolean {
  return item.kind === "message" ? item.parts.every((part) => part.closed) : item.closed;
}

/** Ends every item that waited for the next one: its status is known once another item follows. */
function settleOthers(events: Events, out: Frame[]): void {
  for (const item of events.items)
    if (item.wire === null && isSettled(item)) finishItem(events, item, "completed", out);
}

function added(events: Events, item: ItemState, wire: JsonObject, out: Frame[]): void {
  events.items.push(item);
  out.push(event(events, "response.output_item.added", `"output_index":${item.index},"item":${JSON.stringify(wire)}`));
}

/** The open message at the end of the output, otherwise a new one. */
function messageFor(events: Events, out: Frame[]): MessageState {
  const last = events.items.at(-1);
  if (last?.kind === "message" && last.wire === null) return last;
  settleOthers(events, out);
  const index = events.items.length;
  const item: MessageState = {
    kind: "message",
    id: itemId("message", events.response, index),
    index,
    parts: [],
    wire: null,
  };
  added(events, item, messageItem(item.id, "in_progress", []), out);
  return item;
}

/** Opens a part of a message. */
export function openPart(events: Events, kind: PartState["kind"], out: Frame[]): PartState {
  const item = messageFor(events, out);
  const index = item.parts.length;
  const where = `${whereOf(item)},"content_index":${index}`;
  const part: PartState = { kind, index, item, where, text: "", logprobs: [], citations: undefined, closed: false };
  item.parts.push(part);
  out.push(partEvent(events, "added", part));
  return part;
}

function partWire({ kind, text, citations, logprobs }: PartState): JsonObject {
  return kind === "refusal" ? refusalPart(text) : textPart(text, citations, logprobs);
}

function partEvent(events: Events, what: "added" | "done", part: PartState): Frame {
  return event(events, `response.content_part.${what}`, `${part.where},"part":${JSON.stringify(partWire(part))}`);
}

const tokensText = (logprobs: readonly TokenLogprob[] | undefined): string =>
  logprobs === undefined ? "[]" : JSON.stringify(renderTokens(logprobs));

/** More of a part. */
export function appendPart(
  events: Events,
  part: PartState,
  { text, logprobs }: { readonly text: string; readonly logprobs?: readonly TokenLogprob[] },
  out: Frame[],
): void {
  part.text += text;
  if (logprobs !== undefined) part.logprobs.push(...logprobs);
  const delta = `${part.where},"delta":${JSON.stringify(text)}`;
  if (part.kind === "refusal") out.push(event(events, "response.refusal.delta", delta));
  else out.push(event(events, "response.output_text.delta", `${delta},"logprobs":${tokensText(logprobs)}`));
}

function annotationEvents(events: Events, part: PartState, annotations: readonly JsonObject[], out: Frame[]): void {
  annotations.forEach((annotation, index) => {
    const members = `${part.where},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`;
    out.push(event(events, "response.output_text.annotation.added", members));
  });
}

/** Closes a part. Its citations come before its complete text. */
export function closePart(events: Events, part: PartState, citations: PartState["citations"], out: Frame[]): void {
  if (part.closed) return;
  part.closed = true;
  part.citations = citations;
  const text = JSON.stringify(part.text);
  if (part.kind === "refusal") out.push(event(events, "response.refusal.done", `${part.where},"refusal":${text}`));
  else {
    annotationEvents(events, part, textPart(part.text, citations).annotations as JsonObject[], out);
    const logprobs = tokensText(part.logprobs);
    out.push(event(events, "response.output_text.done", `${part.where},"text":${text},"logprobs":${logprobs}`));
  }
  out.push(partEvent(events, "done", part));
}

/** Opens a call, with everything but its input. */
export function openCall(events: Events, called: Called, out: Frame[]): CallState {
  settleOthers(events, out);
  const index = events.items.length;
  const id = itemId(callKind(called.kind), events.response, index);
  const where = whereOf({ id, index });
  const item: CallState = { kind: "call", id, index, called, where, text: "", closed: false, wire: null };
  added(events, item, callItem(id, "in_progress", called, ""), out);
  return item;
}

const inputEvents = {
  function: { type: "response.function_call_arguments", member: "arguments" },
  custom: { type: "response.custom_tool_call_input", member: "input" },
} as const;

/** More of a call's input. */
export function appendCall(events: Events, item: CallState, text: string, out: Frame[]): void {
  item.text += text;
  const { type } = inputEvents[item.called.kind];
  out.push(event(events, `${type}.delta`, `${item.where},"delta":${JSON.stringify(text)}`));
}

/** Opens a reasoning item. One with only state has no summary. */
export function openThought(events: Events, hasText: boolean, out: Frame[]): ThoughtState {
  settleOthers(events, out);
  const index = events.items.length;
  const id = itemId("reasoning", events.response, index);
  const where = `${whereOf({ id, index })},"summary_index":0`;
  const item: ThoughtState = {
    kind: "thought",
    id,
    index,
    where,
    text: "",
    sealed: undefined,
    closed: !hasText,
    wire: null,
  };
  added(events, item, reasoningItem(id, "in_progress", "", undefined), out);
  if (hasText) out.push(summaryEvent(events, "added", item));
  return item;
}

function summaryEvent(events: Events, what: "added" | "done", { where, text }: ThoughtState): Frame {
  const part = JSON.stringify({ type: "summary_text", text });
  return event(events, `response.reasoning_summary_part.${what}`, `${where},"part":${part}`);
}

/** More thinking text. */
export function appendThought(events: Events, item: ThoughtState, text: string, out: Frame[]): void {
  item.text += text;
  const members = `${item.where},"delta":${JSON.stringify(text)}`;
  out.push(event(events, "response.reasoning_summary_text.delta", members));
}

/** Closes a reasoning item; its state is part of the complete item. */
export function closeThought(events: Events, item: ThoughtState, out: Frame[]): void {
  if (item.closed) return;
  item.closed = true;
  if (summaryOf(item.text).length === 0) return;
  const members = `${item.where},"text":${JSON.stringify(item.text)}`;
  out.push(event(events, "response.reasoning_summary_text.done", members), summaryEvent(events, "done", item));
}

function finishCall(events: Events, item: CallState, status: ItemStatus, out: Frame[]): void {
  const { kind, tool } = item.called;
  if (status === "completed" && isBlankInput(kind, item.text)) appendCall(events, item, "{}", out);
  const { type, member } = inputEvents[kind];
  const name = kind === "function" ? `,"name":${JSON.stringify(tool.name)}` : "";
  out.push(event(events, `${type}.done`, `${item.where},"${member}":${JSON.stringify(item.text)}${name}`));
}

function wireOf(item: ItemState, status: ItemStatus): JsonObject {
  switch (item.kind) {
    case "message":
      return messageItem(item.id, status, item.parts.map(partWire));
    case "call":
      return callItem(item.id, status, item.called, item.text);
    case "thought":
      return reasoningItem(item.id, status, item.text, item.sealed);
  }
}

/** Ends an item, and its open part. */
export function finishItem(events: Events, item: ItemState, status: ItemStatus, out: ResponseFrame[]): void {
  if (item.kind === "message") for (const part of item.parts) closePart(events, part, part.citations, out);
  else if (item.kind === "call") finishCall(events, item, status, out);
  else closeThought(events, item, out);
  item.wire = wireOf(item, status);
  const members = `"output_index":${item.index},"item":${JSON.stringify(item.wire)}`;
  out.push({ ...event(events, "response.output_item.done", members), item: item.wire });
}

/** A reasoning item that only carries the state of the call before it. */
export function appendCallState(events: Events, signature: Parameters<typeof sealedState>[0], out: Frame[]): void {
  openThought(events, false, out).sealed = sealedState(signature, "call");
}

/** The part type of a text block; null for any other block. */
export function partKind(open: OpenBlock): PartState["kind"] | null {
  return open.kind === "text" || open.kind === "refusal" ? open.kind : null;
}
