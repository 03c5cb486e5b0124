// Writes events as chunks for a client: text as it arrives, calls and images complete, the finish reason on the last
// chunk.
import type { Citation, FinishReason, TokenLogprob } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { StreamWriter, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { type CitingText, writeGrounding } from "./citations.ts";
import { bareDeltas } from "./enum-output.ts";
import { geminiErrors } from "./error.ts";
import { isCut, writeBlock, writeStop } from "./finish-reason.ts";
import { writeLogprobs } from "./logprobs.ts";
import { timeOf } from "./response.ts";
import { callParts, heldParts, mediaPart, newSaying, prove, type Saying, textPart } from "./response-parts.ts";
import { writeUsage } from "./usage.ts";

interface BlockState {
  readonly open: OpenBlock;
  /** The whole block so far: calls and media are sent complete, and citations refer to positions in the text. */
  body: string;
  partIndex: number;
  /** The last fragment of thinking. */
  last: JsonObject | null;
}

interface ChoiceState {
  readonly saying: Saying;
  readonly blocks: BlockState[];
  readonly texts: CitingText[];
  /** Complete parts that go out with the next chunk. The last of them shares its chunk with the finish reason. */
  waiting: JsonObject[];
  /** A call ended with invalid JSON. The finish reason decides whether that is an error. */
  isBroken: boolean;
}

interface State {
  readonly context: WriteContext;
  readonly choices: ChoiceState[];
  /** Members at the end of every chunk, as JSON text without the opening brace. */
  tail: string;
  usage: Usage | undefined;
  over: boolean;
}

type Of<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;
type Write<Type extends StreamEvent["type"]> = (state: State, delta: Of<Type>) => Frame[];

function choiceAt(state: State, index: number): ChoiceState {
  state.choices[index] ??= { saying: newSaying(), blocks: [], texts: [], waiting: [], isBroken: false };
  return state.choices[index];
}

function tailOf(context: WriteContext, start: Partial<Of<"start">> = {}): string {
  const members = omitUndefined({
    modelVersion: start.model || context.request.model,
    createTime: timeOf(start.createdAt),
    responseId: start.id || context.id,
  });
  return JSON.stringify(members).slice(1);
}

/**
 * The most frequent frame, concatenated instead of serialized. `more`: members of the candidate, each with a leading
 * comma.
 */
function partsFrame(state: State, index: number, parts: string, more = ""): Frame {
  const candidate = `{"content":{"parts":[${parts}],"role":"model"},"index":${index}${more}}`;
  return { data: `{"candidates":[${candidate}],${state.tail}` };
}

function takeWaiting(choice: ChoiceState): string {
  if (choice.waiting.length === 0) return "";
  const text = choice.waiting.map((part) => `${JSON.stringify(part)},`).join("");
  choice.waiting = [];
  return text;
}

const tokensMember = (logprobs: readonly TokenLogprob[] | undefined): string =>
  logprobs === undefined ? "" : `,"logprobsResult":${JSON.stringify(writeLogprobs(logprobs))}`;

function openBlock(state: State, delta: Of<"block-start">): Frame[] {
  const choice = choiceAt(state, delta.choice);
  choice.blocks[delta.block] = { open: delta.open, body: "", partIndex: 0, last: null };
  return [];
}

function writeText(state: State, delta: Of<"text">): Frame[] {
  const choice = choiceAt(state, delta.choice);
  const block = choice.blocks[delta.block];
  if (block === undefined || (delta.text === "" && delta.logprobs === undefined)) return [];
  const isFirst = block.body === "";
  if (isFirst) block.partIndex = choice.saying.count;
  block.body += delta.text;
  const part = isFirst ? JSON.stringify(textPart(delta.text, choice.saying)) : `{"text":${JSON.stringify(delta.text)}}`;
  const parts = takeWaiting(choice) + part;
  return [partsFrame(state, delta.choice, parts, tokensMember(delta.logprobs))];
}

/** The waiting parts, in a frame of their own. */
function waitingFrame(state: State, index: number): Frame[] {
  const parts = takeWaiting(choiceAt(state, index)).slice(0, -1);
  return parts === "" ? [] : [partsFrame(state, index, parts)];
}

/**
 * A fragment of thinking. The last one waits: it may have to carry the state, since clients drop parts without text.
 */
function writeThought(state: State, delta: Of<"thinking">): Frame[] {
  const choice = choiceAt(state, delta.choice);
  const block = choice.blocks[delta.block];
  if (block === undefined || delta.text === "") return [];
  if (block.body === "") {
    choice.waiting.push(...heldParts(choice.saying));
    choice.saying.count++;
  }
  const frames = waitingFrame(state, delta.choice);
  block.body += delta.text;
  block.last = { text: delta.text, thought: true };
  choice.waiting.push(block.last);
  return frames;
}

function closeThought(choice: ChoiceState, block: BlockState, signature: ProviderState | undefined): void {
  const redacted = block.open.kind === "thinking" && block.open.redacted ? { redacted: true } : {};
  const proof = signature === undefined ? {} : { signature };
  prove({ type: "thinking", text: block.body, ...proof, ...redacted }, block.last, choice.saying);
}

function gather(state: State, delta: Of<"tool-input"> | Of<"media">): Frame[] {
  const block = state.choices[delta.choice]?.blocks[delta.block];
  if (block !== undefined) block.body += delta.type === "media" ? delta.base64 : delta.text;
  return [];
}

function closeCall(choice: ChoiceState, block: BlockState, signature: ProviderState | undefined): void {
  const { open } = block;
  if (open.kind !== "tool-call") return;
  const call = { id: open.id, name: open.name, kind: open.tool, input: block.body };
  const proof = signature ?? open.signature;
  const parts = callParts(proof === undefined ? call : { ...call, signature: proof }, choice.saying);
  if (parts === null) choice.isBroken = true;
  else choice.waiting.push(...parts);
}

function cite(choice: ChoiceState, block: BlockState, citations: readonly Citation[] | undefined): void {
  if (citations !== undefined) choice.texts.push({ text: block.body, citations, partIndex: block.partIndex });
}

function closeBlock(state: State, delta: Of<"block-end">): Frame[] {
  const choice = choiceAt(state, delta.choice);
  const block = choice.blocks[delta.block];
  if (block === undefined) return [];
  switch (block.open.kind) {
    case "thinking":
      closeThought(choice, block, delta.signature);
      return [];
    case "tool-call":
      closeCall(choice, block, delta.signature);
      return [];
    case "audio":
    case "image":
      if (block.body !== "") choice.waiting.push(mediaPart(block.open.mediaType, block.body, choice.saying));
      return [];
    case "text":
      cite(choice, block, delta.citations);
      return [];
    case "refusal":
      return [];
  }
}

function lastCandidate(choice: ChoiceState, index: number, finishReason: FinishReason): JsonObject {
  const held = heldParts(choice.saying);
  const parts = [...choice.waiting, ...held];
  return omitUndefined({
    content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" },
    ...writeStop(finishReason),
    index,
    groundingMetadata: writeGrounding(choice.texts),
  });
}

/** The feedback for a blocked prompt; null for any other reply. */
function feedbackOn(state: State, [stop, ...others]: readonly FinishReason[]): JsonObject | null {
  const isSilent = state.choices.every((choice) => choice.blocks.length === 0);
  return stop !== undefined && others.length === 0 && isSilent ? writeBlock(stop) : null;
}

function finish(state: State, delta: Of<"finish">): Frame[] {
  const choices = delta.finishReasons.map((_, index) => choiceAt(state, index));
  const broken = delta.finishReasons.some((finishReason, index) => choices[index]?.isBroken && !isCut(finishReason));
  if (broken) return fail(state, invalidUpstreamResponse("the arguments of a tool call are not valid JSON"));
  state.over = true;
  const usage = delta.usage ?? state.usage;
  const promptFeedback = feedbackOn(state, delta.finishReasons);
  const candidates = delta.finishReasons.map((finishReason, index) =>
    lastCandidate(choiceAt(state, index), index, finishReason),
  );
  const body = omitUndefined({
    ...(promptFeedback === null ? { candidates } : { promptFeedback }),
    usageMetadata: usage === undefined ? undefined : writeUsage(usage),
  });
  return [{ data: `${JSON.stringify(body).slice(0, -1)},${state.tail}` }];
}

function fail(state: State, error: GatewayError): Frame[] {
  state.over = true;
  return geminiErrors.frames(error, "");
}

function start(state: State, delta: Of<"start">): Frame[] {
  state.tail = tailOf(state.context, delta);
  state.usage = delta.usage;
  return [];
}

const writers: { readonly [Type in StreamEvent["type"]]: Write<Type> } = {
  start,
  "block-start": openBlock,
  text: writeText,
  thinking: writeThought,
  "tool-input": gather,
  media: gather,
  "block-end": closeBlock,
  finish,
  error: (state, delta) => fail(state, delta.error),
};

/** A writer for one client. */
export function streamWriter(context: WriteContext): StreamWriter {
  const state: State = { context, choices: [], tail: tailOf(context), usage: undefined, over: false };
  const write = (event: StreamEvent): Frame[] => {
    if (state.over) return [];
    const one = writers[event.type] as (state: State, event: StreamEvent) => Frame[];
    return one(state, event);
  };
  const bare = bareDeltas(context.request);
  return { write: bare === null ? write : (event) => bare(event).flatMap(write) };
}
