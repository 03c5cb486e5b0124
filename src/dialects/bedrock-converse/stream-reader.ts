// Reads the events of an upstream stream, each converted to the Messages API and read by its rules.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import { type EventReader, eventReader } from "../anthropic-messages/stream-reader.ts";
import { outputReader } from "../anthropic-messages/structured-output-tool.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { readCitation } from "./content.ts";
import { exceptionEvent, parseError } from "./error.ts";
import { isMalformed, readReason, readUsage, settledStop } from "./finish-reason.ts";
import { toolFinder } from "./tools.ts";

interface State {
  readonly events: EventReader;
  /** Open blocks. Text and thinking have no start event. */
  readonly open: Set<number>;
  /** The finish reason, once it has arrived; usage still follows. */
  reason: Json | undefined;
  stopped: boolean;
}

type Handler = (state: State, event: JsonObject) => StreamEvent[];

const indexOf = (event: JsonObject): number =>
  typeof event.contentBlockIndex === "number" ? event.contentBlockIndex : -1;

function start(state: State, index: number, block: JsonObject): StreamEvent[] {
  state.open.add(index);
  return state.events.take({ type: "content_block_start", index, content_block: block });
}

function blockStart(state: State, event: JsonObject): StreamEvent[] {
  const opening = isObject(event.start) ? event.start : {};
  const { toolUse } = opening;
  if (!isObject(toolUse)) return start(state, indexOf(event), { type: Object.keys(opening)[0] ?? "text" });
  const { type, toolUseId, name } = toolUse;
  return start(state, indexOf(event), { type: type ?? "tool_use", id: toolUseId, name, input: {} });
}

/** The block that a delta belongs to, and the delta itself; null where the start of the block contains everything. */
interface BlockDelta {
  readonly block: JsonObject;
  readonly delta: JsonObject | null;
}

function thinkingDelta(thought: JsonObject): BlockDelta | null {
  const block = { type: "thinking", thinking: "" };
  const { text, signature, redactedContent } = thought;
  if (typeof redactedContent === "string")
    return { block: { type: "redacted_thinking", data: redactedContent }, delta: null };
  if (typeof signature === "string") return { block, delta: { type: "signature_delta", signature } };
  return typeof text === "string" ? { block, delta: { type: "thinking_delta", thinking: text } } : null;
}

function deltaOf(delta: JsonObject): BlockDelta | null {
  const { text, toolUse, reasoningContent, citation } = delta;
  if (typeof text === "string") return { block: { type: "text", text: "" }, delta: { type: "text_delta", text } };
  if (isObject(toolUse))
    return { block: { type: "toolUse" }, delta: { type: "input_json_delta", partial_json: toolUse.input } };
  if (isObject(reasoningContent)) return thinkingDelta(reasoningContent);
  if (!isObject(citation)) return null;
  return { block: { type: "text", text: "" }, delta: { type: "citations_delta", citation: readCitation(citation) } };
}

function blockDelta(state: State, event: JsonObject): StreamEvent[] {
  const readDelta = isObject(event.delta) ? deltaOf(event.delta) : null;
  if (readDelta === null) return [];
  const index = indexOf(event);
  const opened = state.open.has(index) ? [] : start(state, index, readDelta.block);
  if (readDelta.delta === null) return opened;
  const events = state.events.take({ type: "content_block_delta", index, delta: readDelta.delta });
  return opened.length === 0 ? events : [...opened, ...events];
}

function blockStop(state: State, event: JsonObject): StreamEvent[] {
  const index = indexOf(event);
  state.open.delete(index);
  return state.events.take({ type: "content_block_stop", index });
}

function messageStop(state: State, event: JsonObject): StreamEvent[] {
  if (isMalformed(event.stopReason))
    return state.events.fail(invalidUpstreamResponse("the model's output was malformed"));
  state.stopped = true;
  state.reason = event.stopReason;
  const delta = readReason(event.stopReason, event.additionalModelResponseFields);
  return state.events.take({ type: "message_delta", delta });
}

function finish(state: State): StreamEvent[] {
  return state.events.take({ type: "message_stop" }).map((event) => {
    if (event.type !== "finish") return event;
    return {
      ...event,
      finishReasons: event.finishReasons.map((finishReason) => settledStop(finishReason, state.reason)),
    };
  });
}

/** Usage comes last. If it comes first, the reply has not ended. */
function metadata(state: State, event: JsonObject): StreamEvent[] {
  const readDelta = state.events.take({ type: "message_delta", usage: readUsage(event.usage) });
  return state.stopped ? [...readDelta, ...finish(state)] : readDelta;
}

/** Unknown events have no handler and are ignored. */
const handlers: ReadonlyMap<string | undefined, Handler> = new Map<string | undefined, Handler>([
  ["contentBlockDelta", blockDelta],
  ["contentBlockStart", blockStart],
  ["contentBlockStop", blockStop],
  ["messageStart", (state) => state.events.take({ type: "message_start", message: {} })],
  ["messageStop", messageStop],
  ["metadata", metadata],
  [exceptionEvent, (state, event) => state.events.fail(parseError(200, event))],
]);

function read(state: State, frame: Frame): StreamEvent[] {
  const handler = handlers.get(frame.event);
  if (handler === undefined) return [];
  const event = parseExactText(frame.data);
  return isObject(event)
    ? handler(state, event)
    : state.events.fail(invalidUpstreamResponse("a stream event is not a JSON object"));
}

/** A reader for one stream. It ends with the finish reason; the usage after it may be missing. */
export function streamReader(context: ReadContext): StreamReader {
  const events = eventReader(context.origin, toolFinder(context));
  const state: State = { events, open: new Set(), reason: undefined, stopped: false };
  // This wire does not return the model's name, so no text is held back.
  const answer = outputReader(context.request, false) ?? ((streamEvents) => streamEvents);
  return {
    read: (frame) => answer(read(state, frame)),
    end: () => answer(state.stopped ? finish(state) : events.end()),
  };
}
