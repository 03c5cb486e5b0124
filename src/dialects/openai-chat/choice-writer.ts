// Writes the chunks of one choice: its role, its blocks, its finish reason.
import type { FinishReason } from "../../canonical/chat.ts";
import { type ProviderState, wrapProviderState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { WriteContext } from "../dialect.ts";
import { characterCount } from "../shared/json-accessors.ts";
import { isCut, renderStopReason } from "../shared/openai-finish-reason.ts";
import { renderCitations } from "./citations.ts";
import { renderLogprobs } from "./logprobs.ts";
import { clientDetail } from "./reasoning.ts";
import { signatureMember } from "./tool-calls.ts";

/** An event of one type. */
export type Of<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

interface BlockState {
  readonly open: OpenBlock;
  /** The index of the call or thinking block within the choice. */
  readonly ordinal: number;
  /** Characters of the choice's text before this block. */
  readonly from: number;
  thought: string;
  hasInput: boolean;
}

interface ChoiceState {
  readonly blocks: BlockState[];
  calls: number;
  thoughts: number;
  saidCharacters: number;
  refused: boolean;
  /** A thinking block that is not closed on the wire: another one directly after it would be appended to it. */
  unclosed: BlockState | null;
  /** Calls without input yet, though their blocks may be closed; input may still arrive while other calls are open. */
  readonly blanks: Set<BlockState>;
}

/** The state of one stream. */
export interface State {
  readonly context: WriteContext;
  readonly isLegacy: boolean;
  readonly wantsUsage: boolean;
  head: string;
  readonly tail: string;
  readonly choices: (ChoiceState | undefined)[];
  done: boolean;
}

/** Members of a chunk in addition to its delta. */
interface ChunkMembers {
  readonly label?: string;
  /** As JSON text. */
  readonly logprobs?: string;
}

const noMembers: ChunkMembers = {};

/** One chunk; the delta is JSON text, because most deltas are a single string. */
function chunk(
  state: State,
  choice: number,
  delta: string,
  { label, logprobs = "null" }: ChunkMembers = noMembers,
): Frame {
  const reason = label === undefined ? "null" : `"${label}"`;
  const rest = `"logprobs":${logprobs},"finish_reason":${reason}}${state.tail}`;
  return { data: `${state.head}{"index":${choice},"delta":${delta},${rest}` };
}

/** Writes a chunk with this delta. */
function writeChunk(state: State, choice: number, delta: JsonObject): Frame {
  return chunk(state, choice, JSON.stringify(delta));
}

/** The choice's state; writes its role first. */
export function choiceAt(state: State, index: number, out: Frame[]): ChoiceState {
  const known = state.choices[index];
  if (known !== undefined) return known;
  const fresh = {
    blocks: [],
    calls: 0,
    thoughts: 0,
    saidCharacters: 0,
    refused: false,
    unclosed: null,
    blanks: new Set<BlockState>(),
  };
  state.choices[index] = fresh;
  out.push(chunk(state, index, '{"role":"assistant","content":""}'));
  return fresh;
}

/** The legacy format allows one call; a second one is not written. */
function callFrame(state: State, choice: number, block: BlockState, members: JsonObject): Frame[] {
  if (!state.isLegacy) return [writeChunk(state, choice, { tool_calls: [{ index: block.ordinal, ...members }] })];
  return block.ordinal === 0 && members.function
    ? [writeChunk(state, choice, { function_call: members.function })]
    : [];
}

/** The state of a call as a member of it. The legacy format has none for it. */
function proofOf(signature: ProviderState | undefined): JsonObject {
  return signature === undefined ? {} : signatureMember(wrapProviderState(signature));
}

function inputFrame(state: State, choice: number, block: BlockState, text: string, more: JsonObject = {}): Frame[] {
  const isCustom = block.open.kind === "tool-call" && block.open.tool === "custom";
  const body = isCustom ? { custom: { input: text } } : { function: { arguments: text } };
  return callFrame(state, choice, block, { ...body, ...more });
}

/** A call without arguments gets an empty object, because clients parse the text as JSON. */
function fillBlanks(state: State, index: number, choice: ChoiceState, out: Frame[]): void {
  for (const block of choice.blanks) out.push(...inputFrame(state, index, block, "{}"));
  choice.blanks.clear();
}

function openCall(state: State, delta: Of<"block-start">, choice: ChoiceState, block: BlockState, out: Frame[]): void {
  if (delta.open.kind !== "tool-call") return;
  const { id, name, tool, signature } = delta.open;
  if (tool === "function") choice.blanks.add(block);
  const body = tool === "custom" ? { custom: { name, input: "" } } : { function: { name, arguments: "" } };
  out.push(...callFrame(state, delta.choice, block, { id, type: tool, ...body, ...proofOf(signature) }));
}

function detailFrame(state: State, choice: number, block: BlockState, close?: Of<"block-end">): Frame {
  const isRedacted = block.open.kind === "thinking" && block.open.redacted === true;
  const detail = clientDetail(
    {
      type: "thinking",
      text: block.thought,
      ...(close?.signature === undefined ? {} : { signature: close.signature }),
      ...(isRedacted ? { redacted: true } : {}),
    },
    block.ordinal,
  );
  return writeChunk(state, choice, { reasoning_details: [detail] });
}

/** Opens a block; most write nothing before their content. */
export function openBlock(state: State, delta: Of<"block-start">): Frame[] {
  const out: Frame[] = [];
  const choice = choiceAt(state, delta.choice, out);
  const { kind } = delta.open;
  const ordinal = kind === "tool-call" ? choice.calls++ : kind === "thinking" ? choice.thoughts++ : 0;
  const block = { open: delta.open, ordinal, from: choice.saidCharacters, thought: "", hasInput: false };
  choice.blocks[delta.block] = block;
  if (kind === "thinking" && choice.unclosed !== null) out.push(detailFrame(state, delta.choice, choice.unclosed));
  choice.unclosed = null;
  if (kind === "refusal") choice.refused = true;
  if (kind === "tool-call") openCall(state, delta, choice, block, out);
  if (kind === "audio") {
    out.push(writeChunk(state, delta.choice, { audio: { id: `audio_${state.context.id}`, transcript: "" } }));
  }
  return out;
}

/** Writes text or a refusal. */
export function writeText(state: State, delta: Of<"text">): Frame[] {
  const choice = state.choices[delta.choice];
  const block = choice?.blocks[delta.block];
  if (choice === undefined || block === undefined) return [];
  if (delta.text === "" && delta.logprobs === undefined) return [];
  if (block.open.kind === "refusal") return [writeChunk(state, delta.choice, { refusal: delta.text })];
  choice.saidCharacters += characterCount(delta.text);
  const content = `{"content":${JSON.stringify(delta.text)}}`;
  if (delta.logprobs === undefined) return [chunk(state, delta.choice, content)];
  return [chunk(state, delta.choice, content, { logprobs: JSON.stringify(renderLogprobs(delta.logprobs)) })];
}

/** A fragment of audio. This wire has no images in streams. */
export function writeMedia(state: State, delta: Of<"media">): Frame[] {
  const isSpeech = state.choices[delta.choice]?.blocks[delta.block]?.open.kind === "audio";
  return isSpeech ? [writeChunk(state, delta.choice, { audio: { data: delta.base64 } })] : [];
}

/** Thinking that may be shown. */
export function writeThinking(state: State, delta: Of<"thinking">): Frame[] {
  const block = state.choices[delta.choice]?.blocks[delta.block];
  if (block === undefined || delta.text === "") return [];
  block.thought += delta.text;
  return [chunk(state, delta.choice, `{"reasoning_content":${JSON.stringify(delta.text)}}`)];
}

/** A fragment of a call's input. */
export function writeInput(state: State, delta: Of<"tool-input">): Frame[] {
  const choice = state.choices[delta.choice];
  const block = choice?.blocks[delta.block];
  if (choice === undefined || block === undefined || delta.text === "") return [];
  if (!block.hasInput && delta.text.trim() !== "") {
    block.hasInput = true;
    choice.blanks.delete(block);
  }
  return inputFrame(state, delta.choice, block, delta.text);
}

function closeText(state: State, delta: Of<"block-end">, choice: ChoiceState, block: BlockState): Frame[] {
  if (delta.citations === undefined) return [];
  const annotations = renderCitations(delta.citations, block.from, choice.saidCharacters - block.from);
  return annotations.length === 0 ? [] : [writeChunk(state, delta.choice, { annotations })];
}

/**
 * A signature belongs in the chunk that opens the call. One that arrives at the end comes with an empty fragment of
 * input: typed clients read `function` of every fragment (openai-python asserts it in
 * lib/streaming/chat/_completions.py).
 */
function closeCall(state: State, delta: Of<"block-end">, block: BlockState): Frame[] {
  const isKnown = block.open.kind === "tool-call" && block.open.signature !== undefined;
  if (delta.signature === undefined || isKnown || state.isLegacy) return [];
  return inputFrame(state, delta.choice, block, "", proofOf(delta.signature));
}

/** Closes a block: writes its citations, or its state. */
export function closeBlock(state: State, delta: Of<"block-end">): Frame[] {
  const choice = state.choices[delta.choice];
  const block = choice?.blocks[delta.block];
  if (choice === undefined || block === undefined) return [];
  if (block.open.kind === "text") return closeText(state, delta, choice, block);
  if (block.open.kind === "thinking") {
    if (delta.signature !== undefined) return [detailFrame(state, delta.choice, block, delta)];
    choice.unclosed = block;
    return [];
  }
  if (block.open.kind === "tool-call") return closeCall(state, delta, block);
  return [];
}

/** The last chunk of a choice. */
export function finishChoice(state: State, index: number, finishReason: FinishReason, out: Frame[]): void {
  const choice = choiceAt(state, index, out);
  if (!isCut(finishReason.kind)) fillBlanks(state, index, choice, out);
  const held = { calls: choice.calls > 0, refusal: choice.refused };
  out.push(chunk(state, index, "{}", { label: renderStopReason(finishReason, held, state.isLegacy) }));
}
