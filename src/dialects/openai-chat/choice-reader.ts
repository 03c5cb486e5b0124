// Reads one choice of a stream: its open blocks, and what is pending until they close.
import type { Citation, TokenLogprob } from "../../canonical/chat.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { characterCount } from "../shared/json-accessors.ts";
import type { ToolFinder } from "../shared/tool-names.ts";
import { parseAnnotations } from "./citations.ts";
import { parseImages } from "./output-media.ts";
import { detailState, detailText, isSealed } from "./reasoning.ts";

type SpeechKind = "text" | "refusal" | "thinking" | "audio";

/** A call that is being read. */
export interface CallState {
  readonly kind: "function" | "custom";
  readonly index: number | undefined;
  readonly id: string | undefined;
  name: string;
  /** A function that replaces a free text tool: its input is unwrapped at the end. */
  wrapped: boolean;
  /** The block's number once the name of the call is known, otherwise -1. */
  block: number;
  input: string;
  closed: boolean;
  signature?: ProviderState;
}

/** The state of one choice. At most one text block is open; calls may be open at the same time. */
export interface ChoiceState {
  readonly index: number;
  readonly replyId: string;
  readonly origin: string;
  readonly tools: ToolFinder;
  blocks: number;
  speech: SpeechKind | null;
  speechBlock: number;
  /** Characters of text so far, and those before the open text block, for citation ranges. */
  saidCharacters: number;
  textFrom: number;
  citations: Citation[];
  /** Members of `reasoning_details` for the open thinking block; whether its text came from another member. */
  detail: JsonObject | null;
  hasPlainThinking: boolean;
  hasRefusal: boolean;
  /** Log probabilities that are not yet attached to a text. */
  likelihoods: TokenLogprob[] | null;
  readonly calls: CallState[];
  /** The chunk's choice that carried the finish reason. */
  last: JsonObject | null;
}

/** The state of a choice before its first chunk. */
export function newChoice(index: number, replyId: string, origin: string, tools: ToolFinder): ChoiceState {
  return {
    index,
    replyId,
    origin,
    tools,
    blocks: 0,
    speech: null,
    speechBlock: -1,
    saidCharacters: 0,
    textFrom: 0,
    citations: [],
    detail: null,
    hasPlainThinking: false,
    hasRefusal: false,
    likelihoods: null,
    calls: [],
    last: null,
  };
}

/** Opens the next block of the choice and returns its number. */
export function open(state: ChoiceState, block: OpenBlock, out: StreamEvent[]): number {
  const number = state.blocks++;
  out.push({ type: "block-start", choice: state.index, block: number, open: block });
  return number;
}

/** Closes the open text block, with its citations or its signature. */
export function closeSpeech(state: ChoiceState, out: StreamEvent[]): void {
  if (state.speech === null) return;
  const at = { choice: state.index, block: state.speechBlock };
  const signature =
    state.speech === "thinking" && state.detail !== null ? detailState(state.detail, state.origin) : undefined;
  const citations = state.speech === "text" && state.citations.length > 0 ? { citations: state.citations } : {};
  out.push({ type: "block-end", ...at, ...(signature === undefined ? {} : { signature }), ...citations });
  state.speech = null;
  state.detail = null;
  state.hasPlainThinking = false;
  state.citations = [];
}

function openSpeech(state: ChoiceState, kind: SpeechKind, out: StreamEvent[]): void {
  closeSpeech(state, out);
  state.speech = kind;
  if (kind === "text") state.textFrom = state.saidCharacters;
  if (kind === "refusal") state.hasRefusal = true;
  state.speechBlock = open(state, kind === "audio" ? { kind, mediaType: "audio/pcm" } : { kind }, out);
}

/** Emits text or a refusal. */
export function speak(state: ChoiceState, kind: "text" | "refusal", text: string, out: StreamEvent[]): void {
  if (state.speech !== kind) openSpeech(state, kind, out);
  if (kind === "text") state.saidCharacters += characterCount(text);
  const at = { choice: state.index, block: state.speechBlock };
  if (kind === "text" && state.likelihoods !== null) {
    out.push({ type: "text", ...at, text, logprobs: state.likelihoods });
    state.likelihoods = null;
  } else out.push({ type: "text", choice: state.index, block: state.speechBlock, text });
}

/** Visible thinking in a string member of its own. */
export function think(state: ChoiceState, text: string, out: StreamEvent[]): void {
  if (state.speech !== "thinking") openSpeech(state, "thinking", out);
  state.hasPlainThinking = true;
  out.push({ type: "thinking", choice: state.index, block: state.speechBlock, text });
}

function gather(state: ChoiceState, detail: JsonObject): void {
  const gathered: JsonObject = { ...state.detail };
  for (const name in detail) if (detail[name] !== null) gathered[name] = detail[name];
  state.detail = gathered;
}

function sealed(state: ChoiceState, detail: JsonObject, out: StreamEvent[]): void {
  closeSpeech(state, out);
  const signature = detailState(detail, state.origin);
  if (signature === undefined) return;
  const block = open(state, { kind: "thinking", redacted: true }, out);
  out.push({ type: "block-end", choice: state.index, block, signature });
}

/** An entry that is the thinking itself, in fragments with the same index. */
function readThinkingDetail(state: ChoiceState, detail: JsonObject, out: StreamEvent[]): void {
  if (state.speech === "thinking" && state.detail?.index !== detail.index) closeSpeech(state, out);
  if (state.speech !== "thinking") openSpeech(state, "thinking", out);
  gather(state, detail);
  const text = detailText(detail);
  if (text !== "") out.push({ type: "thinking", choice: state.index, block: state.speechBlock, text });
}

function readDetail(state: ChoiceState, detail: JsonObject, hasText: boolean, out: StreamEvent[]): void {
  if (isSealed(detail)) sealed(state, detail, out);
  else if (hasText) gather(state, detail);
  else if (state.speech === "thinking" && state.hasPlainThinking) {
    gather(state, detail);
    closeSpeech(state, out);
  } else readThinkingDetail(state, detail, out);
}

/**
 * `reasoning_details`: next to a thinking string they only add state to it; without one after such a string, an entry
 * closes that block; without any string they are the thinking.
 */
export function readDetails(state: ChoiceState, details: Json, hasText: boolean, out: StreamEvent[]): void {
  if (!Array.isArray(details)) return;
  for (const detail of details) if (isObject(detail)) readDetail(state, detail, hasText, out);
}

/** Citations belong to the open text block; their ranges refer to the whole text. */
export function cite(state: ChoiceState, annotations: Json, out: StreamEvent[]): void {
  if (!Array.isArray(annotations) || annotations.length === 0) return;
  if (state.speech !== "text") openSpeech(state, "text", out);
  state.citations.push(...parseAnnotations(annotations, state.textFrom));
}

/** Images, each of them complete. */
export function show(state: ChoiceState, images: Json, out: StreamEvent[]): void {
  for (const { source } of parseImages(images)) {
    closeSpeech(state, out);
    const block = open(state, { kind: "image", mediaType: source.mediaType }, out);
    out.push({ type: "media", choice: state.index, block, base64: source.base64 });
    out.push({ type: "block-end", choice: state.index, block });
  }
}

/** A fragment of audio. */
export function sound(state: ChoiceState, audio: Json, out: StreamEvent[]): void {
  if (!isObject(audio) || typeof audio.data !== "string" || audio.data === "") return;
  if (state.speech !== "audio") openSpeech(state, "audio", out);
  out.push({ type: "media", choice: state.index, block: state.speechBlock, base64: audio.data });
}
