// Writes events for one response: every item is added, filled and ended before the terminal event.

import type { GatewayError } from "../../canonical/error.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ResponseFrame, StreamWriter, WriteContext } from "../dialect.ts";
import { estimatedUsage } from "../shared/usage-estimate.ts";
import { failureOf } from "./error.ts";
import { renderStop } from "./finish-reason.ts";
import {
  appendCall,
  appendCallState,
  appendPart,
  appendThought,
  type CallState,
  closePart,
  closeThought,
  type Events,
  event,
  finishItem,
  isSettled,
  numberedEvent,
  openCall,
  openPart,
  openThought,
  type PartState,
  partKind,
  type ThoughtState,
} from "./item-writer.ts";
import { ownerOf, sealedState } from "./reasoning.ts";
import { echo, type Identity, identityOf, responseHead, type Standing } from "./response-object.ts";
import { type NamedTool, namesOf } from "./tool-namespaces.ts";
import { renderUsage } from "./usage.ts";

/** A canonical block on the wire; nothing until it has content. */
interface BlockState {
  readonly open: OpenBlock;
  shown: PartState | CallState | ThoughtState | null;
}

interface State extends Events {
  readonly context: WriteContext;
  readonly settings: JsonObject;
  /** The settings as JSON text without the opening brace, because three events contain them. */
  readonly settingsText: string;
  identity: Identity;
  nameOf: ((name: string) => NamedTool) | null;
  readonly blocks: BlockState[];
  hasRefusal: boolean;
  chars: number;
  startUsage: Usage | undefined;
  started: boolean;
  over: boolean;
}

type Of<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;
type Write<Type extends StreamEvent["type"]> = (state: State, delta: Of<Type>, out: Frame[]) => void;

function lifecycle(state: State, type: string, standing: Standing): ResponseFrame {
  const head = responseHead(state.identity, standing);
  const number = state.sequence;
  const frame = event(state, type, `"response":${JSON.stringify(head).slice(0, -1)},${state.settingsText}`);
  if (state.context.stored === undefined) return frame;
  const response = { ...head, ...state.settings };
  if (standing.status === "in_progress") return { ...frame, response };
  return { ...frame, response, withResponse: (changed) => numberedEvent(type, number, { response: changed }) };
}

function begin(state: State, out: Frame[]): void {
  if (state.started) return;
  state.started = true;
  const standing: Standing = { status: "in_progress", output: [], usage: null };
  if (state.context.stored?.isBackground) state.sequence++;
  else out.push(lifecycle(state, "response.created", standing));
  out.push(lifecycle(state, "response.in_progress", standing));
}

const start: Write<"start"> = (state, delta, out) => {
  state.identity = identityOf(state.context, delta);
  state.startUsage = delta.usage;
  begin(state, out);
};

const open: Write<"block-start"> = (state, delta, out) => {
  const block: BlockState = { open: delta.open, shown: null };
  state.blocks[delta.block] = block;
  if (delta.open.kind !== "tool-call") return;
  state.nameOf ??= namesOf(state.context.wire);
  const { id, name, tool } = delta.open;
  block.shown = openCall(state, { callId: id, tool: state.nameOf(name), kind: tool }, out);
};

/** The part of a text block: it opens with its first text, so that empty blocks are not written. */
function partOf(state: State, block: BlockState, out: Frame[]): PartState | null {
  const kind = partKind(block.open);
  if (kind === null) return null;
  if (kind === "refusal") state.hasRefusal = true;
  block.shown ??= openPart(state, kind, out);
  return block.shown as PartState;
}

const growText: Write<"text"> = (state, delta, out) => {
  const block = state.blocks[delta.block];
  const part = block === undefined ? null : partOf(state, block, out);
  if (part !== null) appendPart(state, part, delta, out);
};

const growThinking: Write<"thinking"> = (state, delta, out) => {
  const block = state.blocks[delta.block];
  if (block?.open.kind !== "thinking") return;
  block.shown ??= openThought(state, true, out);
  appendThought(state, block.shown as ThoughtState, delta.text, out);
};

const growInput: Write<"tool-input"> = (state, delta, out) => {
  const shown = state.blocks[delta.block]?.shown;
  if (shown?.kind === "call") appendCall(state, shown, delta.text, out);
};

function closeText(state: State, block: BlockState, { citations }: Of<"block-end">, out: Frame[]): void {
  const hasContent = block.shown !== null || (citations !== undefined && citations.length > 0);
  const part = hasContent ? partOf(state, block, out) : null;
  if (part !== null) closePart(state, part, citations, out);
}

function closeThinking(state: State, block: BlockState, { signature }: Of<"block-end">, out: Frame[]): void {
  if (block.shown === null && signature === undefined) return;
  block.shown ??= openThought(state, false, out);
  const item = block.shown as ThoughtState;
  const redacted = block.open.kind === "thinking" && block.open.redacted === true;
  if (signature !== undefined) item.sealed = sealedState(signature, ownerOf({ text: item.text, redacted }));
  closeThought(state, item, out);
}

const close: Write<"block-end"> = (state, delta, out) => {
  const block = state.blocks[delta.block];
  if (block === undefined) return;
  if (partKind(block.open) !== null) closeText(state, block, delta, out);
  else if (block.open.kind === "thinking") closeThinking(state, block, delta, out);
  else if (block.shown?.kind === "call") {
    block.shown.closed = true;
    if (delta.signature !== undefined) appendCallState(state, delta.signature, out);
  }
};

/** Ends all items. If the reply was cut, the last one and all open ones are incomplete. */
function finishItems(state: State, isCut: boolean, out: Frame[]): void {
  const last = state.items.length - 1;
  for (const item of state.items) {
    if (item.wire !== null) continue;
    const isWhole = isSettled(item) && !(isCut && item.index === last);
    finishItem(state, item, isWhole ? "completed" : "incomplete", out);
  }
}

const finish: Write<"finish"> = (state, delta, out) => {
  state.over = true;
  begin(state, out);
  const { status, reason } = renderStop(delta.finishReasons[0] ?? { kind: "end" }, state.hasRefusal);
  finishItems(state, status === "incomplete", out);
  const estimate = (): Usage => estimatedUsage(state.context.inputEstimate, state.chars);
  const usage = renderUsage(delta.usage ?? state.startUsage ?? estimate());
  const output = state.items.map((item) => item.wire);
  out.push(lifecycle(state, `response.${status}`, { status, reason, output, usage }));
};

function fail(state: State, error: GatewayError, out: Frame[]): void {
  state.over = true;
  begin(state, out);
  finishItems(state, true, out);
  const output = state.items.map((item) => item.wire);
  out.push(lifecycle(state, "response.failed", { status: "failed", output, usage: null, error: failureOf(error) }));
}

const nothing = (): void => undefined;

const writers: { readonly [Type in StreamEvent["type"]]: Write<Type> } = {
  start,
  "block-start": open,
  text: growText,
  thinking: growThinking,
  "tool-input": growInput,
  media: nothing,
  "block-end": close,
  finish,
  error: (state, delta, out) => fail(state, delta.error, out),
};

function write(state: State, streamEvent: StreamEvent): Frame[] {
  if (state.over || ("choice" in streamEvent && streamEvent.choice !== 0)) return [];
  if ("text" in streamEvent) {
    if (streamEvent.text === "" && !("logprobs" in streamEvent)) return [];
    state.chars += streamEvent.text.length;
  }
  const out: Frame[] = [];
  const handle = writers[streamEvent.type] as (state: State, streamEvent: StreamEvent, out: Frame[]) => void;
  handle(state, streamEvent, out);
  return out;
}

/** A writer for one client. It writes the first choice only, because this dialect has one. */
export function writer(context: WriteContext): StreamWriter {
  const identity = identityOf(context, { model: "" });
  const settings = echo(context);
  const state: State = {
    context,
    identity,
    response: identity.id,
    settings,
    settingsText: JSON.stringify(settings).slice(1),
    items: [],
    sequence: 0,
    nameOf: null,
    blocks: [],
    hasRefusal: false,
    chars: 0,
    startUsage: undefined,
    started: false,
    over: false,
  };
  return { write: (streamEvent) => write(state, streamEvent) };
}
