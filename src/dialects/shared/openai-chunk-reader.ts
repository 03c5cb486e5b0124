// Reads the members around the choices of an OpenAI-shaped stream: ids, usage, errors and both kinds of end.
import type { FinishReason } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { isErrorBody, parseError } from "../openai-error.ts";
import { isFailure } from "./openai-finish-reason.ts";
import { parseUsage } from "./openai-usage.ts";

/** `last` is the entry with the choice's finish reason, null before it. */
export interface Ending {
  last: JsonObject | null;
}

/** How a dialect reads its choices. */
export interface ChoiceSide<Choice extends Ending> {
  /** Choice indexes must be lower. */
  readonly maxChoices: number;
  begin(index: number, replyId: string, origin: string): Choice;
  read(choice: Choice, wire: JsonObject, out: StreamEvent[]): void;
  /** Closes everything and returns the finish reason. */
  close(choice: Choice, out: StreamEvent[]): FinishReason;
}

interface State<Choice extends Ending> {
  readonly side: ChoiceSide<Choice>;
  readonly origin: string;
  id: string;
  started: boolean;
  done: boolean;
  usage: Usage | undefined;
  readonly choices: (Choice | undefined)[];
}

const doneMark = "[DONE]";

function fail<Choice extends Ending>(state: State<Choice>, error: GatewayError, out: StreamEvent[]): StreamEvent[] {
  state.done = true;
  out.push({ type: "error", error });
  return out;
}

function start<Choice extends Ending>(state: State<Choice>, chunk: JsonObject, out: StreamEvent[]): void {
  state.started = true;
  state.id = typeof chunk.id === "string" ? chunk.id : "";
  const createdAt = typeof chunk.created === "number" ? { createdAt: chunk.created } : {};
  out.push({ type: "start", id: state.id, model: typeof chunk.model === "string" ? chunk.model : "", ...createdAt });
}

/** The state of a choice by its index; null for an index that no request can lead to. */
function choiceAt<Choice extends Ending>(state: State<Choice>, index: Json | undefined): Choice | null {
  const { side, choices } = state;
  const at = typeof index === "number" ? index : 0;
  if (!Number.isInteger(at) || at < 0 || at >= side.maxChoices) return null;
  choices[at] ??= side.begin(at, state.id, state.origin);
  return choices[at] ?? null;
}

function readChoice<Choice extends Ending>(state: State<Choice>, wire: Json, out: StreamEvent[]): GatewayError | null {
  if (!isObject(wire)) return null;
  const choice = choiceAt(state, wire.index);
  if (choice === null) return invalidUpstreamResponse("a choice has an invalid index");
  state.side.read(choice, wire, out);
  if (isFailure(wire.finish_reason)) return parseError(200, isObject(wire.error) ? wire : { error: {} });
  if (typeof wire.finish_reason === "string" && wire.finish_reason !== "") choice.last = wire;
  return null;
}

function readChunk<Choice extends Ending>(state: State<Choice>, chunk: JsonObject): StreamEvent[] {
  const out: StreamEvent[] = [];
  if (chunk.usage) state.usage = parseUsage(chunk.usage) ?? state.usage;
  const { choices } = chunk;
  if (!Array.isArray(choices) || choices.length === 0) return out;
  if (!state.started) start(state, chunk, out);
  for (const choice of choices) {
    const error = readChoice(state, choice, out);
    if (error !== null) return fail(state, error, out);
  }
  return out;
}

function finish<Choice extends Ending>(state: State<Choice>): StreamEvent[] {
  const out: StreamEvent[] = [];
  if (!state.started) return fail(state, invalidUpstreamResponse("the stream has no choices"), out);
  const stops: FinishReason[] = Array.from(state.choices, (choice) =>
    choice === undefined ? { kind: "end" } : state.side.close(choice, out),
  );
  state.done = true;
  out.push({ type: "finish", finishReasons: stops, ...(state.usage === undefined ? {} : { usage: state.usage }) });
  return out;
}

function readFrame<Choice extends Ending>(state: State<Choice>, frame: Frame): StreamEvent[] {
  const { data } = frame;
  if (data.startsWith(doneMark)) return finish(state);
  const chunk = parseExactText(data);
  if (frame.event === "error") return fail(state, parseError(200, chunk ?? data), []);
  if (isObject(chunk)) return isErrorBody(chunk) ? fail(state, parseError(200, chunk), []) : readChunk(state, chunk);
  return data.trim() === "" ? [] : fail(state, invalidUpstreamResponse("a stream event is not a JSON object"), []);
}

/** A reader for one stream. Usage may follow the finish reason, so the stream ends with `[DONE]` or with the body. */
export function chunkReader<Choice extends Ending>(context: ReadContext, side: ChoiceSide<Choice>): StreamReader {
  const { origin } = context;
  const state: State<Choice> = { side, origin, id: "", started: false, done: false, usage: undefined, choices: [] };
  const isWhole = (): boolean =>
    state.started && state.choices.every((choice) => choice === undefined || choice.last !== null);
  return {
    read: (frame) => (state.done ? [] : readFrame(state, frame)),
    end() {
      if (state.done) return [];
      return isWhole() ? finish(state) : fail(state, streamTruncated(), []);
    },
    finishing: isWhole,
  };
}
