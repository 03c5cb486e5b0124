// Reads one candidate: its open blocks, and what is pending until they close.
import type { Citation, FinishReason, ThinkingBlock, TokenLogprob } from "../../canonical/chat.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { callInput, digest, type ToolFinder } from "../shared/tool-names.ts";
import { readCitations } from "./citations.ts";
import { readStop } from "./finish-reason.ts";
import { readLogprobs } from "./logprobs.ts";
import { canonType } from "./media.ts";
import { readState, readThoughts } from "./signature.ts";

/** What all candidates of a reply share. */
export interface Reading {
  readonly origin: string;
  readonly tools: ToolFinder;
  /** The client accepts at most one call: the first one is used. */
  readonly oneCall: boolean;
  replyId: string;
}

/** At most one text block is open; calls and images arrive complete. */
export interface CandidateState {
  readonly index: number;
  blocks: number;
  speech: "text" | "thinking" | null;
  speechBlock: number;
  /** The open text has received its state: more text starts another block. */
  isSealed: boolean;
  /** The open text so far, and the byte offset of each part of the wire, because citations count in bytes. */
  text: string;
  partStarts: (number | undefined)[];
  readonly callIds: Set<string>;
  calls: number;
  grounding: Json | undefined;
  recitation: Json | undefined;
  /** The chunk's candidate that carried the finish reason. */
  last: JsonObject | null;
}

/** The state of a candidate before its first chunk. */
export function newCandidate(index: number): CandidateState {
  return {
    index,
    blocks: 0,
    speech: null,
    speechBlock: -1,
    isSealed: false,
    text: "",
    partStarts: [],
    callIds: new Set(),
    calls: 0,
    grounding: undefined,
    recitation: undefined,
    last: null,
  };
}

function open(state: CandidateState, block: OpenBlock, out: StreamEvent[]): number {
  const number = state.blocks++;
  out.push({ type: "block-start", choice: state.index, block: number, open: block });
  return number;
}

function close(
  state: CandidateState,
  block: number,
  out: StreamEvent[],
  more: { signature?: ProviderState; citations?: Citation[] },
): void {
  out.push({ type: "block-end", choice: state.index, block, ...more });
}

function closeSpeech(state: CandidateState, out: StreamEvent[], signature?: ProviderState): void {
  if (state.speech === null) return;
  const citations = state.speech === "text" ? citationsOf(state) : [];
  state.speech = null;
  close(state, state.speechBlock, out, {
    ...(signature === undefined ? {} : { signature }),
    ...(citations.length === 0 ? {} : { citations }),
  });
}

/** Sources come last and refer to the text that was open at that time. */
function citationsOf(state: CandidateState): Citation[] {
  const citations = readCitations(state.grounding, state.recitation, state);
  state.grounding = undefined;
  state.recitation = undefined;
  return citations;
}

function openSpeech(state: CandidateState, kind: "text" | "thinking", out: StreamEvent[]): void {
  if (state.speech === kind && !state.isSealed) return;
  closeSpeech(state, out);
  state.speech = kind;
  state.isSealed = false;
  state.text = "";
  state.partStarts = [];
  state.speechBlock = open(state, { kind }, out);
}

/** A fragment of text on the wire. */
interface Piece {
  readonly text: string;
  /** The index of its part in the chunk. */
  readonly part: number;
  readonly logprobs: TokenLogprob[] | undefined;
}

function speak(state: CandidateState, { text, part, logprobs }: Piece, out: StreamEvent[]): void {
  openSpeech(state, "text", out);
  state.partStarts[part] ??= Buffer.byteLength(state.text);
  state.text += text;
  const delta = { type: "text", choice: state.index, block: state.speechBlock, text } as const;
  out.push(logprobs === undefined ? delta : { ...delta, logprobs });
}

/** A block of only state. The text that it belongs to stays open, because its sources may still arrive. */
function seal(state: CandidateState, signature: ProviderState, out: StreamEvent[]): void {
  close(state, open(state, { kind: "thinking", redacted: true }, out), out, { signature });
}

function think(state: CandidateState, text: string, out: StreamEvent[]): void {
  openSpeech(state, "thinking", out);
  state.text += text;
  if (text !== "") out.push({ type: "thinking", choice: state.index, block: state.speechBlock, text });
}

/** Complete thinking blocks of another provider. The text of the first may already have been shown. */
function readWhole(state: CandidateState, thoughts: readonly ThinkingBlock[], out: StreamEvent[]): void {
  for (const { text, signature, redacted } of thoughts) {
    if (redacted) {
      closeSpeech(state, out);
      if (signature !== undefined) seal(state, signature, out);
      continue;
    }
    if (state.speech !== "thinking" || state.text !== text) {
      closeSpeech(state, out);
      think(state, text, out);
    }
    closeSpeech(state, out, signature);
  }
}

function readThought(state: CandidateState, part: JsonObject, reading: Reading, out: StreamEvent[]): void {
  const text = typeof part.text === "string" ? part.text : "";
  const whole = readThoughts(part.thoughtSignature);
  const proof = whole === null ? readState(part.thoughtSignature, reading.origin) : null;
  if (text === "" && proof === null && whole === null) return;
  if (text !== "" || proof !== null) think(state, text, out);
  if (whole !== null) readWhole(state, whole, out);
  if (proof !== null) closeSpeech(state, out, proof.opaque);
}

/** Thinking of another provider comes before its part, native state after it. */
function withState(
  state: CandidateState,
  part: JsonObject,
  reading: Reading,
  out: StreamEvent[],
  say: () => void,
): void {
  const whole = readThoughts(part.thoughtSignature);
  if (whole !== null) {
    readWhole(state, whole, out);
    say();
    return;
  }
  const proof = part.thoughtSignature === undefined ? null : readState(part.thoughtSignature, reading.origin);
  if (proof?.sealed) {
    closeSpeech(state, out);
    seal(state, proof.opaque, out);
  }
  say();
  if (proof === null || proof.sealed) return;
  seal(state, proof.opaque, out);
  state.isSealed = true;
}

/** Call ids that depend only on the reply and are unique within it. */
function callId(state: CandidateState, call: JsonObject, reading: Reading): string {
  if (typeof call.id === "string" && call.id !== "") return call.id;
  return `call_${digest(`${reading.replyId}/${state.index}/${state.calls}`, 24)}`;
}

function readCall(
  state: CandidateState,
  part: JsonObject,
  call: JsonObject,
  reading: Reading,
  out: StreamEvent[],
): void {
  if (typeof call.name !== "string" || call.name === "") return;
  const id = callId(state, call, reading);
  if (state.callIds.has(id) || (reading.oneCall && state.calls > 0)) return;
  state.callIds.add(id);
  state.calls++;
  const whole = readThoughts(part.thoughtSignature);
  if (whole !== null) readWhole(state, whole, out);
  closeSpeech(state, out);
  const proof = whole === null ? readState(part.thoughtSignature, reading.origin) : null;
  if (proof?.sealed) seal(state, proof.opaque, out);
  const signature = proof === null || proof.sealed ? {} : { signature: proof.opaque };
  const { name, kind } = reading.tools(call.name);
  const block = open(state, { kind: "tool-call", id, name, tool: kind, ...signature }, out);
  const text = callInput(kind, JSON.stringify(call.args ?? {}));
  out.push({ type: "tool-input", choice: state.index, block, text });
  close(state, block, out, signature);
}

/** Images and audio arrive complete. Other files are not possible in a reply. */
function readMedia(state: CandidateState, data: JsonObject, out: StreamEvent[]): void {
  const mediaType = typeof data.mimeType === "string" ? canonType(data.mimeType) : "";
  const kind = mediaType.startsWith("image/") ? "image" : mediaType.startsWith("audio/") ? "audio" : null;
  if (kind === null || typeof data.data !== "string" || data.data === "") return;
  closeSpeech(state, out);
  const declared = typeof data.mimeType === "string" && kind === "audio" ? data.mimeType : mediaType;
  const block = open(state, { kind, mediaType: declared }, out);
  out.push({ type: "media", choice: state.index, block, base64: data.data });
  close(state, block, out, {});
}

function readPart(
  state: CandidateState,
  part: JsonObject,
  piece: Piece | null,
  reading: Reading,
  out: StreamEvent[],
): void {
  const { inlineData, functionCall } = part;
  if (part.thought === true) readThought(state, part, reading, out);
  else if (isObject(functionCall)) readCall(state, part, functionCall, reading, out);
  else if (isObject(inlineData)) withState(state, part, reading, out, () => readMedia(state, inlineData, out));
  else if (piece === null) withState(state, part, reading, out, () => undefined);
  else if (part.thoughtSignature === undefined) speak(state, piece, out);
  else withState(state, part, reading, out, () => speak(state, piece, out));
}

/** The token counts of a chunk are attached to the first text in it. */
function readParts(state: CandidateState, parts: Json[], wire: JsonObject, reading: Reading, out: StreamEvent[]): void {
  let logprobs = wire.logprobsResult === undefined ? undefined : readLogprobs(wire.logprobsResult);
  for (let number = 0; number < parts.length; number++) {
    const part = parts[number];
    if (!isObject(part)) continue;
    const isText = typeof part.text === "string" && part.text !== "" && part.thought !== true;
    const piece = isText ? { text: String(part.text), part: number, logprobs } : null;
    readPart(state, part, piece, reading, out);
    if (isText) logprobs = undefined;
  }
}

/** Reads what one chunk adds to a candidate. */
export function readCandidate(state: CandidateState, wire: JsonObject, reading: Reading, out: StreamEvent[]): void {
  const parts = isObject(wire.content) ? wire.content.parts : undefined;
  if (Array.isArray(parts)) readParts(state, parts, wire, reading, out);
  if (wire.groundingMetadata !== undefined) state.grounding = wire.groundingMetadata;
  if (wire.citationMetadata !== undefined) state.recitation = wire.citationMetadata;
  if (typeof wire.finishReason === "string" && wire.finishReason !== "") state.last = wire;
}

/** Closes the open blocks and emits the finish reason. */
export function finishCandidate(state: CandidateState, out: StreamEvent[]): FinishReason {
  closeSpeech(state, out);
  return readStop(state.last ?? {}, { call: state.calls > 0, anything: state.blocks > 0 });
}
