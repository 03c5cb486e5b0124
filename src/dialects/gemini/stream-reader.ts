// Reads the chunks of an upstream's stream as events. A complete reply is read as a stream of one chunk.
import type { GatewayError } from "../../canonical/error.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { findTools } from "../shared/tool-names.ts";
import { type CandidateState, finishCandidate, newCandidate, type Reading, readCandidate } from "./candidate-reader.ts";
import { isErrorBody, parseError } from "./error.ts";
import { isFailure, readBlock } from "./finish-reason.ts";
import { skim } from "./text-peek.ts";
import { namesFor } from "./tools.ts";
import { readUsage } from "./usage.ts";

const maxCandidates = 128;

/** A reply while it is being read. */
interface ReplyState {
  readonly reading: Reading;
  readonly candidates: (CandidateState | undefined)[];
  /** The reason for which the prompt was blocked, if it was. */
  feedback: Json | undefined;
  usage: Usage | undefined;
  started: boolean;
  over: boolean;
}

/** The state of a reply before its first chunk. */
export function newReply(context: ReadContext): ReplyState {
  const { request } = context;
  const oneCall = request?.operation === "chat" && request.parallelToolCalls === false;
  const reading: Reading = { origin: context.origin, tools: findTools(context, namesFor), oneCall, replyId: "" };
  return { reading, candidates: [], feedback: undefined, usage: undefined, started: false, over: false };
}

function fail(state: ReplyState, error: GatewayError, out: StreamEvent[] = []): StreamEvent[] {
  state.over = true;
  out.push({ type: "error", error });
  return out;
}

/** Unix seconds of a timestamp. */
function secondsOf(time: Json | undefined): { readonly createdAt?: number } {
  const createdAt = typeof time === "string" ? Math.floor(Date.parse(time) / 1000) : Number.NaN;
  return Number.isFinite(createdAt) ? { createdAt } : {};
}

function start(state: ReplyState, chunk: JsonObject, out: StreamEvent[]): void {
  const { responseId, modelVersion, createTime } = chunk;
  state.started = true;
  state.reading.replyId = typeof responseId === "string" ? responseId : "";
  const model = typeof modelVersion === "string" ? modelVersion : "";
  out.push({ type: "start", id: state.reading.replyId, model, ...secondsOf(createTime) });
}

/** The state of a candidate by its index; null for an index that no request can lead to. */
function candidateAt(state: ReplyState, index: Json | undefined): CandidateState | null {
  const at = typeof index === "number" ? index : 0;
  if (!Number.isInteger(at) || at < 0 || at >= maxCandidates) return null;
  state.candidates[at] ??= newCandidate(at);
  return state.candidates[at] ?? null;
}

function readOne(state: ReplyState, wire: Json, out: StreamEvent[]): GatewayError | null {
  if (!isObject(wire)) return null;
  const candidate = candidateAt(state, wire.index);
  if (candidate === null) return invalidUpstreamResponse("a candidate has an invalid index");
  readCandidate(candidate, wire, state.reading, out);
  return isFailure(wire.finishReason) ? invalidUpstreamResponse("the model returned a malformed tool call") : null;
}

/** The events of one chunk. */
export function readChunk(state: ReplyState, chunk: JsonObject): StreamEvent[] {
  const out: StreamEvent[] = [];
  if (isErrorBody(chunk)) return fail(state, parseError(200, chunk), out);
  if (!state.started) start(state, chunk, out);
  if (chunk.usageMetadata !== undefined) state.usage = readUsage(chunk.usageMetadata) ?? state.usage;
  if (chunk.promptFeedback !== undefined) state.feedback = chunk.promptFeedback;
  const { candidates } = chunk;
  if (!Array.isArray(candidates)) return out;
  for (const candidate of candidates) {
    const error = readOne(state, candidate, out);
    if (error !== null) return fail(state, error, out);
  }
  return out;
}

/** Whether every candidate has a finish reason, or the prompt was blocked. */
function isComplete({ candidates, feedback }: ReplyState): boolean {
  if (candidates.length === 0) return readBlock(feedback) !== null;
  return candidates.every((candidate) => candidate === undefined || candidate.last !== null);
}

/** The end of a reply. A complete reply needs no finish reasons, a stream does. */
export function endReply(state: ReplyState, isWhole: boolean): StreamEvent[] {
  const out: StreamEvent[] = [];
  if (state.over) return out;
  const blocked = state.candidates.length === 0 ? readBlock(state.feedback) : null;
  if (isWhole && state.candidates.length === 0 && blocked === null)
    return fail(state, invalidUpstreamResponse("the response has no candidates"));
  if (!isWhole && !isComplete(state)) return fail(state, streamTruncated());
  const stops = Array.from(state.candidates, (candidate) => finishCandidate(candidate ?? newCandidate(0), out));
  state.over = true;
  out.push({
    type: "finish",
    finishReasons: blocked === null ? stops : [blocked],
    ...(state.usage === undefined ? {} : { usage: state.usage }),
  });
  return out;
}

function readFrame(state: ReplyState, { data }: Frame): StreamEvent[] {
  const chunk = parseExactText(data);
  if (isObject(chunk)) return readChunk(state, chunk);
  if (Array.isArray(chunk) && isObject(chunk[0])) return readChunk(state, chunk[0]);
  return data.trim() === "" ? [] : fail(state, invalidUpstreamResponse("a stream event is not a JSON object"));
}

/** A reader for one stream. This wire has no terminator, so the end of the body decides. */
export function streamReader(context: ReadContext): StreamReader {
  const state = newReply(context);
  return {
    read: (frame) => (state.over ? [] : readFrame(state, frame)),
    peekText: skim,
    end: () => endReply(state, false),
    finishing: () => state.candidates.length > 0 && isComplete(state),
  };
}
