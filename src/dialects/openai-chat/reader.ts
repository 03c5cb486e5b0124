// Reads the chunks of an upstream's stream into deltas.
import type { Stop } from "../../canon/conversation.ts";
import type { Delta } from "../../canon/delta.ts";
import type { GatewayError } from "../../canon/error.ts";
import type { Usage } from "../../canon/usage.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { isErrorBody, parseError } from "../openai-error.ts";
import { badReply, truncated } from "../reject.ts";
import { closeChoice, readCalls, readFunctionCall } from "./call-reader.ts";
import { type ChoiceState, cite, newChoice, readDetails, sound, speak, think } from "./choice-reader.ts";
import { splitContent } from "./response.ts";
import { isFailure } from "./stop.ts";
import { thinkingText } from "./thinking.ts";
import { parseUsage } from "./usage.ts";

const maxChoices = 128;
const doneMark = "[DONE]";

interface State {
  readonly origin: string;
  id: string;
  started: boolean;
  done: boolean;
  usage: Usage | undefined;
  readonly choices: (ChoiceState | undefined)[];
}

function fail(state: State, error: GatewayError, out: Delta[]): Delta[] {
  state.done = true;
  out.push({ type: "error", error });
  return out;
}

function start(state: State, chunk: JsonObject, out: Delta[]): void {
  state.started = true;
  state.id = typeof chunk.id === "string" ? chunk.id : "";
  const createdAt = typeof chunk.created === "number" ? { createdAt: chunk.created } : {};
  out.push({ type: "start", id: state.id, model: typeof chunk.model === "string" ? chunk.model : "", ...createdAt });
}

function readParts(choice: ChoiceState, parts: Json, out: Delta[]): void {
  const { text, thinking, refusal } = splitContent(parts);
  if (thinking !== "") think(choice, thinking, out);
  if (text !== "") speak(choice, "text", text, out);
  if (refusal !== "") speak(choice, "refusal", refusal, out);
}

function readDelta(choice: ChoiceState, delta: JsonObject, out: Delta[]): void {
  const thought = thinkingText(delta);
  if (thought !== undefined) think(choice, thought, out);
  if (delta.reasoning_details) readDetails(choice, delta.reasoning_details, thought !== undefined, out);
  const { content } = delta;
  if (typeof content === "string") {
    if (content !== "") speak(choice, "text", content, out);
  } else if (content) readParts(choice, content, out);
  if (typeof delta.refusal === "string" && delta.refusal !== "") speak(choice, "refusal", delta.refusal, out);
  if (delta.annotations) cite(choice, delta.annotations, out);
  if (delta.audio) sound(choice, delta.audio, out);
  if (delta.tool_calls) readCalls(choice, delta.tool_calls, out);
  else if (delta.function_call) readFunctionCall(choice, delta.function_call, out);
}

/** The state of a choice by its index; null for an index that no request can have asked for. */
function choiceAt(state: State, index: Json | undefined): ChoiceState | null {
  const at = typeof index === "number" ? index : 0;
  if (!Number.isInteger(at) || at < 0 || at >= maxChoices) return null;
  state.choices[at] ??= newChoice(at, state.id, state.origin);
  return state.choices[at] ?? null;
}

function readChoice(state: State, wire: Json, out: Delta[]): GatewayError | null {
  if (!isObject(wire)) return null;
  const choice = choiceAt(state, wire.index);
  if (choice === null) return badReply("a choice has an impossible index");
  const delta = wire.delta ?? wire.message;
  if (isObject(delta)) readDelta(choice, delta, out);
  if (isFailure(wire.finish_reason)) return parseError(200, isObject(wire.error) ? wire : { error: {} });
  if (typeof wire.finish_reason === "string" && wire.finish_reason !== "") choice.last = wire;
  return null;
}

function readChunk(state: State, chunk: JsonObject): Delta[] {
  const out: Delta[] = [];
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

function finish(state: State): Delta[] {
  const out: Delta[] = [];
  if (!state.started) return fail(state, badReply("the stream holds no choice"), out);
  const stops: Stop[] = Array.from(state.choices, (choice) =>
    choice === undefined ? { kind: "end" } : closeChoice(choice, out),
  );
  state.done = true;
  out.push({ type: "finish", stops, ...(state.usage === undefined ? {} : { usage: state.usage }) });
  return out;
}

function readFrame(state: State, frame: Frame): Delta[] {
  const { data } = frame;
  if (data.startsWith(doneMark)) return finish(state);
  const chunk = parseJsonText(data);
  if (frame.event === "error") return fail(state, parseError(200, chunk ?? data), []);
  if (isObject(chunk)) return isErrorBody(chunk) ? fail(state, parseError(200, chunk), []) : readChunk(state, chunk);
  return data.trim() === "" ? [] : fail(state, badReply("a record of the stream is no JSON object"), []);
}

/** A reader for one stream. A finish reason is not the end: usage may follow, so the end is `[DONE]` or the body's. */
export function reader(context: ReadContext): StreamReader {
  const state: State = {
    origin: context.origin,
    id: "",
    started: false,
    done: false,
    usage: undefined,
    choices: [],
  };
  return {
    read: (frame) => (state.done ? [] : readFrame(state, frame)),
    end() {
      if (state.done) return [];
      const isWhole = state.started && state.choices.every((choice) => choice === undefined || choice.last !== null);
      return isWhole ? finish(state) : fail(state, truncated(), []);
    },
  };
}
