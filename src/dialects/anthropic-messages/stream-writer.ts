// Writes the events of a stream for a client: one block is open at a time, and content of later blocks waits.
import type { Citation, FinishReason } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import { type ProviderState, wrapCallState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { StreamWriter, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { isWholeJson } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { cleanId } from "../shared/tool-names.ts";
import { citationsForClient } from "./citations.ts";
import { errorFrames } from "./error.ts";
import { writeStop } from "./finish-reason.ts";
import { expectsThinking } from "./reasoning.ts";
import { writeSignature } from "./signature.ts";
import { writeCounts, writeUsage } from "./usage.ts";
import { endMembers, messageMembers, textBlock, toolUseBlock } from "./wire-members.ts";

/** A canonical block on its way to the client. */
interface Waiting {
  readonly open: OpenBlock;
  /** Text that has not been sent. */
  unsent: string;
  /** All arguments so far, to check at the end that they are JSON. */
  input: string;
  /** Its start has been sent, so it is the current block. */
  begun: boolean;
  closed: boolean;
  /** The thinking block before it carries its state. */
  isProven: boolean;
  signature?: ProviderState | undefined;
  citations?: readonly Citation[] | undefined;
}

interface State {
  readonly context: WriteContext;
  /** By canonical number; only those from `current` on are still to be sent. */
  readonly blocks: Waiting[];
  current: number;
  /** The wire index of the open or next block. */
  index: number;
  /** The current call ended with invalid JSON. The finish reason decides whether that is an error. */
  stuck: boolean;
  hasCall: boolean;
  hasRefusal: boolean;
  readonly expectsThinking: boolean;
  startUsage?: Usage | undefined;
  over: boolean;
}

type Write<Type extends StreamEvent["type"]> = (state: State, delta: Extract<StreamEvent, { type: Type }>) => Frame[];

function frame(event: string, body: JsonObject): Frame {
  return { event, data: JSON.stringify({ type: event, ...body }) };
}

/** The most frequent frame, concatenated instead of serialized. */
function deltaFrame(index: number, type: string, member: string, text: string): Frame {
  const data = `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":${JSON.stringify(text)}}}`;
  return { event: "content_block_delta", data };
}

function textFrame(index: number, open: OpenBlock, text: string): Frame {
  if (open.kind === "thinking") return deltaFrame(index, "thinking_delta", "thinking", text);
  if (open.kind === "tool-call") return deltaFrame(index, "input_json_delta", "partial_json", text);
  return deltaFrame(index, "text_delta", "text", text);
}

function emptyBlock(open: OpenBlock): JsonObject {
  switch (open.kind) {
    case "text":
    case "refusal":
    case "audio":
    case "image":
      return textBlock("");
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool-call":
      return toolUseBlock(cleanId(open.id), open.name, {});
  }
}

/** Redacted thinking, free text, audio and images can only be sent when they are complete. */
function waitsForEnd(open: OpenBlock): boolean {
  if (open.kind === "audio" || open.kind === "image") return true;
  return (open.kind === "thinking" && open.redacted === true) || isFreeText(open);
}

const isFreeText = (open: OpenBlock): boolean => open.kind === "tool-call" && open.tool === "custom";

function begin(state: State, block: Waiting, content: JsonObject = emptyBlock(block.open)): Frame[] {
  if (block.begun) return [];
  block.begun = true;
  const proof = proofFrames(state, block);
  return [...proof, frame("content_block_start", { index: state.index, content_block: content })];
}

/** A call's state that no thinking block can carry gets a block of its own, if the client expects thinking. */
function proofFrames(state: State, { open, isProven }: Waiting): Frame[] {
  if (open.kind !== "tool-call" || open.signature === undefined || isProven || !state.expectsThinking) return [];
  const index = state.index++;
  return [
    frame("content_block_start", { index, content_block: emptyBlock({ kind: "thinking" }) }),
    deltaFrame(index, "signature_delta", "signature", wrapCallState(open.signature)),
    frame("content_block_stop", { index }),
  ];
}

/** Sends what the current block has. Empty text opens no block, because a client would send it back. */
function sendText(state: State, block: Waiting): Frame[] {
  if (waitsForEnd(block.open)) return [];
  const begun = block.open.kind === "tool-call" || block.unsent !== "" ? begin(state, block) : [];
  if (block.unsent === "") return begun;
  const sent = textFrame(state.index, block.open, block.unsent);
  block.unsent = "";
  return [...begun, sent];
}

/** Frames that are only possible at the end of a block: signature, citations, and content that had to be complete. */
function endFrames(state: State, block: Waiting): Frame[] {
  const { open } = block;
  if (open.kind === "thinking") return thoughtEnd(state, block);
  if (isFreeText(open)) {
    const text = JSON.stringify(wrapCustomInput(block.unsent));
    return [...begin(state, block), textFrame(state.index, open, text)];
  }
  const citations = open.kind === "text" ? citationsForClient(block.citations) : [];
  return citations.flatMap((citation) => [
    ...begin(state, block),
    frame("content_block_delta", { index: state.index, delta: { type: "citations_delta", citation } }),
  ]);
}

/** The state of the call that follows a thinking block without state. */
function nextCallState(state: State, block: Waiting): string | undefined {
  const next = state.blocks[state.current + 1];
  if (block.signature !== undefined || next?.open.kind !== "tool-call" || next.open.signature === undefined) return;
  next.isProven = true;
  return wrapCallState(next.open.signature);
}

function thoughtEnd(state: State, block: Waiting): Frame[] {
  const isRedacted = block.open.kind === "thinking" && block.open.redacted;
  const isState = isRedacted || !block.begun;
  if (isState && (block.signature === undefined || !state.expectsThinking)) return [];
  const signature = nextCallState(state, block) ?? writeSignature(block.signature);
  if (isRedacted) return begin(state, block, { type: "redacted_thinking", data: signature });
  return [...begin(state, block), deltaFrame(state.index, "signature_delta", "signature", signature)];
}

function finishBlock(state: State, block: Waiting): Frame[] {
  const frames = endFrames(state, block);
  if (block.begun) frames.push(frame("content_block_stop", { index: state.index++ }));
  state.current++;
  state.stuck = false;
  return frames;
}

const isBroken = (block: Waiting): boolean =>
  block.open.kind === "tool-call" && block.open.tool === "function" && !isWholeJson(block.input);

/** Unsigned thinking may carry the state of the call that follows it. */
function waitsForNext(state: State, { open, begun, signature }: Waiting): boolean {
  const isLast = state.blocks[state.current + 1] === undefined;
  return open.kind === "thinking" && begun && signature === undefined && isLast;
}

/**
 * Sends everything that is due. A malformed call blocks the rest unless `acceptCut`; `isEnd`: no more events follow.
 */
function advance(state: State, { acceptCut, isEnd } = { acceptCut: false, isEnd: false }): Frame[] {
  const frames: Frame[] = [];
  for (let block = state.blocks[state.current]; block !== undefined; block = state.blocks[state.current]) {
    frames.push(...sendText(state, block));
    if (!block.closed || (!isEnd && waitsForNext(state, block))) break;
    if (isBroken(block) && !acceptCut) {
      state.stuck = true;
      break;
    }
    frames.push(...finishBlock(state, block));
  }
  return frames;
}

function start(state: State, delta: Extract<StreamEvent, { type: "start" }>): Frame[] {
  const { context } = state;
  state.startUsage = delta.usage;
  const message = {
    id: delta.id || context.id,
    type: "message",
    role: "assistant",
    model: delta.model || context.request.model,
    ...messageMembers,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: writeUsage(delta.usage, context.inputEstimate),
  };
  return [frame("message_start", { message })];
}

function open(state: State, delta: Extract<StreamEvent, { type: "block-start" }>): Frame[] {
  state.hasCall ||= delta.open.kind === "tool-call";
  state.hasRefusal ||= delta.open.kind === "refusal";
  const block = { open: delta.open, unsent: "", input: "", begun: false, closed: false, isProven: false };
  state.blocks[delta.block] = block;
  return advance(state);
}

function grow(state: State, delta: Extract<StreamEvent, { type: "text" | "thinking" | "tool-input" }>): Frame[] {
  const block = state.blocks[delta.block];
  if (block === undefined || delta.text === "") return [];
  if (delta.type === "tool-input") block.input += delta.text;
  if (block.begun) return [textFrame(state.index, block.open, delta.text)];
  block.unsent += delta.text;
  return delta.block === state.current ? sendText(state, block) : [];
}

function close(state: State, delta: Extract<StreamEvent, { type: "block-end" }>): Frame[] {
  const block = state.blocks[delta.block];
  if (block === undefined) return [];
  block.closed = true;
  block.signature = delta.signature;
  block.citations = delta.citations;
  return delta.block === state.current ? advance(state) : [];
}

const isCut = (finishReason: FinishReason): boolean =>
  finishReason.kind === "length" || finishReason.kind === "context-full";

function finish(state: State, delta: Extract<StreamEvent, { type: "finish" }>): Frame[] {
  const finishReason: FinishReason = delta.finishReasons[0] ?? { kind: "end" };
  const last = advance(state, { acceptCut: isCut(finishReason), isEnd: true });
  if (state.stuck)
    return [...last, ...fail(state, invalidUpstreamResponse("the arguments of a tool call are not valid JSON"))];
  state.over = true;
  const { inputEstimate } = state.context;
  const usage = delta.usage ?? state.startUsage ?? { ...zeroUsage, inputTokens: inputEstimate };
  const reason = writeStop(finishReason, { call: state.hasCall, refusal: state.hasRefusal });
  return [
    ...last,
    frame("message_delta", { delta: { ...reason, ...endMembers }, usage: writeCounts(usage, inputEstimate) }),
    frame("message_stop", {}),
  ];
}

function fail(state: State, error: GatewayError): Frame[] {
  state.over = true;
  return errorFrames(error);
}

const writers: { readonly [Type in StreamEvent["type"]]: Write<Type> } = {
  start,
  "block-start": open,
  text: grow,
  thinking: grow,
  "tool-input": grow,
  media: () => [],
  "block-end": close,
  finish,
  error: (state, delta) => fail(state, delta.error),
};

/** A writer for one client. It writes the first choice only, because this dialect has one. */
export function streamWriter(context: WriteContext): StreamWriter {
  const state: State = {
    context,
    blocks: [],
    current: 0,
    index: 0,
    stuck: false,
    hasCall: false,
    hasRefusal: false,
    expectsThinking: expectsThinking(context.request),
    over: false,
  };
  return {
    write(event) {
      if (state.over || ("choice" in event && event.choice !== 0)) return [];
      const write = writers[event.type] as (state: State, event: StreamEvent) => Frame[];
      return write(state, event);
    },
  };
}
