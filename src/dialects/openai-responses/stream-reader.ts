// Reads the events of an upstream's stream: a table by type; unknown events are ignored.

import type { GatewayError } from "../../canonical/error.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { parseTokens } from "../shared/openai-logprobs.ts";
import { parseErrorEvent, parseFailure } from "./error.ts";
import { parseStop } from "./finish-reason.ts";
import { beginCall, closeAll, endItem, endPart, fill, type OutputState, speak, think } from "./item-reader.ts";
import { readingOf } from "./response.ts";
import { skim } from "./text-peek.ts";
import { parseUsage } from "./usage.ts";

interface State extends OutputState {
  started: boolean;
  done: boolean;
}

type Read = (state: State, event: JsonObject, out: StreamEvent[]) => void;

const doneMark = "[DONE]";

function fail(state: State, error: GatewayError, out: StreamEvent[]): void {
  state.done = true;
  out.push({ type: "error", error });
}

function begin(state: State, event: JsonObject, out: StreamEvent[]): void {
  if (state.started) return;
  state.started = true;
  const response = isObject(event.response) ? event.response : {};
  out.push({
    type: "start",
    id: typeof response.id === "string" ? response.id : "",
    model: typeof response.model === "string" ? response.model : "",
    ...(typeof response.created_at === "number" ? { createdAt: response.created_at } : {}),
  });
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Some servers send the complete output only at the end. Items that were streamed are not repeated. */
function readOutput(state: State, output: Json | undefined, out: StreamEvent[]): void {
  if (!Array.isArray(output)) return;
  output.forEach((item, index) => {
    if (!isObject(item) || (typeof item.id === "string" && state.ids.has(item.id))) return;
    endItem(state, { output_index: index }, item, out);
  });
}

const finish: Read = (state, event, out) => {
  const response = object(event.response);
  if (response.status === "failed") {
    fail(state, parseFailure(response), out);
    return;
  }
  readOutput(state, response.output, out);
  for (const item of state.items.values()) closeAll(item, out);
  const final = event.type === "response.incomplete" ? { ...response, status: "incomplete" } : response;
  const usage = parseUsage(response.usage);
  state.done = true;
  out.push({
    type: "finish",
    finishReasons: [parseStop(final, { calls: state.hasCalls, refusal: state.hasRefusal })],
    ...(usage === undefined ? {} : { usage }),
  });
};

const failed: Read = (state, event, out) => fail(state, parseFailure(object(event.response)), out);
const nothing: Read = () => undefined;
const speech: Read = (state, event, out) =>
  speak(state, event, "text", text(event.delta), out, event.logprobs ? parseTokens(event.logprobs) : null);
const thought: Read = (state, event, out) => think(state, event, text(event.delta), out);
const input: Read = (state, event, out) => fill(state, event, text(event.delta), out);

/** Events about the reply as a whole. An event before the reply has started is ignored. */
const readers: ReadonlyMap<Json | undefined, Read> = new Map<Json | undefined, Read>([
  ["response.output_text.delta", speech],
  ["response.refusal.delta", (state, event, out) => speak(state, event, "refusal", text(event.delta), out)],
  ["response.reasoning_summary_text.delta", thought],
  ["response.reasoning_text.delta", thought],
  ["response.function_call_arguments.delta", input],
  ["response.custom_tool_call_input.delta", input],
  ["response.created", nothing],
  ["response.queued", nothing],
  ["response.in_progress", nothing],
  ["response.output_item.added", (state, event, out) => beginCall(state, event, object(event.item), out)],
  ["response.content_part.done", (state, event, out) => readPart(state, event, object(event.part), out)],
  ["response.output_item.done", (state, event, out) => endItem(state, event, object(event.item), out)],
  ["response.completed", finish],
  ["response.incomplete", finish],
  ["response.failed", failed],
]);

/** Parts of reasoning end with their item. */
function readPart(state: State, event: JsonObject, part: JsonObject, out: StreamEvent[]): void {
  if (part.type === "output_text" || part.type === "refusal") endPart(state, event, part, out);
}

function readEvent(state: State, event: JsonObject, out: StreamEvent[]): void {
  const { type } = event;
  if (type === "error" || (type === undefined && event.error)) {
    fail(state, parseErrorEvent(event), out);
    return;
  }
  const read = readers.get(type);
  if (read === undefined) return;
  if (read !== failed) begin(state, event, out);
  read(state, event, out);
}

function read(state: State, frame: Frame, observe: (event: JsonObject) => void): StreamEvent[] {
  const out: StreamEvent[] = [];
  const event = parseExactText(frame.data);
  if (isObject(event)) {
    const typed = event.type === undefined && frame.event ? { ...event, type: frame.event } : event;
    observe(typed);
    readEvent(state, typed, out);
  } else if (frame.data.trim() !== "" && !frame.data.startsWith(doneMark)) {
    fail(state, invalidUpstreamResponse("a stream event is not a JSON object"), out);
  }
  return out;
}

/** A reader for one stream, which ends only with a terminal event. `observe` receives each event that is read. */
export function reader(context: ReadContext, observe: (event: JsonObject) => void = () => undefined): StreamReader {
  const state: State = {
    ...readingOf(context),
    items: new Map(),
    ids: new Set(),
    blocks: 0,
    hasCalls: false,
    hasRefusal: false,
    skimmed: false,
    started: false,
    done: false,
  };
  return {
    read: (frame) => (state.done ? [] : read(state, frame, observe)),
    peekText(data) {
      const text = skim(data);
      if (text !== null) state.skimmed = true;
      return text;
    },
    end() {
      const out: StreamEvent[] = [];
      if (!state.done) fail(state, streamTruncated(), out);
      return out;
    },
  };
}
