// Reads the events of an upstream stream: one handler per event, with a small state between them.
import type { Citation } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { OpenBlock, StreamEvent } from "../../canonical/stream-event.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { callInput, type ToolFinder } from "../shared/tool-names.ts";
import { readCitation } from "./citations.ts";
import { parseErrorEvent } from "./error.ts";
import { readStop } from "./finish-reason.ts";
import { limitsOf } from "./model-capabilities.ts";
import { callState, readSignature } from "./signature.ts";
import { emulatesSchemas, outputReader } from "./structured-output-tool.ts";
import { skim } from "./text-peek.ts";
import { toolFinder } from "./tool-names.ts";
import { mergeCounts, readUsage } from "./usage.ts";

/** A block of the wire that is still open. */
interface Growing {
  /** Its number in the canonical stream. */
  readonly block: number;
  readonly open: OpenBlock;
  /** Opaque state so far. The last one counts. */
  signature: string;
  readonly citations: Citation[];
  /** Input from the start event, and fragments of free text that can only be read as a whole. */
  whole: string;
  hasBody: boolean;
}

interface State {
  readonly origin: string;
  readonly tools: ToolFinder;
  /** By index on the wire; null for blocks of server tools, which have no canonical form. */
  readonly blocks: (Growing | null | undefined)[];
  opened: number;
  hasCall: boolean;
  started: boolean;
  over: boolean;
  /** State for the next call, carried by a thinking block before it. */
  callState: ProviderState | null;
  counts: JsonObject | null;
  /** Whether a count of the complete output has arrived. */
  outputReported: boolean;
  readonly stop: JsonObject;
}

type Handler = (state: State, event: JsonObject) => StreamEvent[];

const indexOf = (event: JsonObject): number => (typeof event["index"] === "number" ? event["index"] : -1);
const textOf = (object: JsonObject, name: string): string => (typeof object[name] === "string" ? object[name] : "");

function fail(state: State, error: GatewayError): StreamEvent[] {
  state.over = true;
  return [{ type: "error", error }];
}

function start(state: State, event: JsonObject): StreamEvent[] {
  const message = isObject(event["message"]) ? event["message"] : {};
  if (state.started) return [];
  state.started = true;
  state.counts = mergeCounts(state.counts, message["usage"]);
  const usage = readUsage(state.counts ?? undefined);
  return [{ type: "start", id: textOf(message, "id"), model: textOf(message, "model"), ...(usage ? { usage } : {}) }];
}

function openOf(wire: JsonObject, state: State): OpenBlock | null {
  switch (wire["type"]) {
    case "text":
      return { kind: "text" };
    case "thinking":
      return { kind: "thinking" };
    case "redacted_thinking":
      return { kind: "thinking", redacted: true };
    case "tool_use": {
      const { name, kind } = state.tools(textOf(wire, "name"));
      const signature = state.callState;
      state.callState = null;
      const proof = signature === null ? {} : { signature };
      return { kind: "tool-call", id: textOf(wire, "id"), name, tool: kind, ...proof };
    }
    default:
      return null;
  }
}

/** Content of the start event itself: usually none, from some servers the whole block. */
function openingBody(growing: Growing, wire: JsonObject): StreamEvent[] {
  const { open } = growing;
  if (open.kind === "tool-call") {
    if (isObject(wire["input"]) && Object.keys(wire["input"]).length > 0) growing.whole = JSON.stringify(wire["input"]);
    return [];
  }
  growing.signature = textOf(wire, open.kind === "thinking" && open.redacted ? "data" : "signature");
  const text = textOf(wire, open.kind === "thinking" ? "thinking" : "text");
  if (text === "") return [];
  const at = { choice: 0, block: growing.block };
  return [open.kind === "thinking" ? { type: "thinking", ...at, text } : { type: "text", ...at, text }];
}

function blockStart(state: State, event: JsonObject): StreamEvent[] {
  const wire = isObject(event["content_block"]) ? event["content_block"] : {};
  const index = indexOf(event);
  if (index < 0 || index > 100_000) return fail(state, invalidUpstreamResponse("a content block has no index"));
  const before = closeAt(state, index);
  const open = openOf(wire, state);
  if (open === null) {
    state.blocks[index] = null;
    return before;
  }
  const growing: Growing = { block: state.opened++, open, signature: "", citations: [], whole: "", hasBody: false };
  state.blocks[index] = growing;
  state.hasCall ||= open.kind === "tool-call";
  return [...before, { type: "block-start", choice: 0, block: growing.block, open }, ...openingBody(growing, wire)];
}

/** Arguments are forwarded as they arrive. Free text must be unwrapped first, so it waits for the end. */
function callFragment(growing: Growing, text: string): StreamEvent[] {
  if (growing.open.kind !== "tool-call" || text === "") return [];
  if (!growing.hasBody) growing.whole = "";
  growing.hasBody = true;
  if (growing.open.tool === "custom") {
    growing.whole += text;
    return [];
  }
  return [{ type: "tool-input", choice: 0, block: growing.block, text }];
}

function blockDelta(state: State, event: JsonObject): StreamEvent[] {
  const growing = state.blocks[indexOf(event)];
  const { delta } = event;
  if (growing === null || !isObject(delta)) return [];
  if (growing === undefined)
    return fail(state, invalidUpstreamResponse("a content block delta has no matching content_block_start"));
  const { block, open } = growing;
  switch (delta["type"]) {
    case "text_delta":
      return open.kind === "text" ? [{ type: "text", choice: 0, block, text: textOf(delta, "text") }] : [];
    case "input_json_delta":
      return callFragment(growing, textOf(delta, "partial_json"));
    case "thinking_delta":
      return open.kind === "thinking" ? [{ type: "thinking", choice: 0, block, text: textOf(delta, "thinking") }] : [];
    case "signature_delta":
      growing.signature = textOf(delta, "signature");
      return [];
    case "citations_delta":
      if (isObject(delta["citation"])) growing.citations.push(readCitation(delta["citation"]));
      return [];
    default:
      return [];
  }
}

function lastInput(growing: Growing): StreamEvent[] {
  const { open, block } = growing;
  if (open.kind !== "tool-call" || (growing.hasBody && open.tool === "function")) return [];
  return [{ type: "tool-input", choice: 0, block, text: callInput(open.tool, growing.whole) }];
}

function signatureOf({ open, signature }: Growing, origin: string): ProviderState | undefined {
  if (open.kind === "tool-call") return open.signature;
  return open.kind === "thinking" ? readSignature(signature, origin) : undefined;
}

function closeAt(state: State, index: number): StreamEvent[] {
  const growing = state.blocks[index];
  state.blocks[index] = undefined;
  if (!growing) return [];
  state.callState = callState(growing.signature) ?? state.callState;
  const signature = signatureOf(growing, state.origin);
  const citations = growing.open.kind === "text" && growing.citations.length > 0 ? growing.citations : undefined;
  const close: StreamEvent = {
    type: "block-end",
    choice: 0,
    block: growing.block,
    ...(signature ? { signature } : {}),
    ...(citations ? { citations } : {}),
  };
  return [...lastInput(growing), close];
}

/** This event may be repeated. Its members replace earlier values. */
function messageDelta(state: State, event: JsonObject): StreamEvent[] {
  if (isObject(event["delta"])) {
    for (const [name, value] of Object.entries(event["delta"])) if (value !== null) state.stop[name] = value;
  }
  const { usage } = event;
  if (isObject(usage) && usage["output_tokens"] !== undefined) state.outputReported = true;
  state.counts = mergeCounts(state.counts, usage);
  return [];
}

function messageStop(state: State): StreamEvent[] {
  state.over = true;
  const closed = state.blocks.flatMap((_, index) => closeAt(state, index));
  // The output count of message_start is only a start value. Without a later count the output is unknown.
  const usage = state.outputReported ? readUsage(state.counts ?? undefined) : undefined;
  return [
    ...closed,
    { type: "finish", finishReasons: [readStop(state.stop, state.hasCall)], ...(usage ? { usage } : {}) },
  ];
}

/** Pings and unknown events have no handler and are ignored. */
const handlers = new Map<unknown, Handler>([
  ["content_block_delta", blockDelta],
  ["content_block_start", blockStart],
  ["content_block_stop", (state, event) => closeAt(state, indexOf(event))],
  ["message_delta", messageDelta],
  ["message_stop", messageStop],
]);

function take(state: State, event: JsonObject): StreamEvent[] {
  const { type } = event;
  if (type === "error" || event.error) return fail(state, parseErrorEvent(event));
  if (type === "message_start") return start(state, event);
  const handler = handlers.get(type);
  if (handler === undefined) return [];
  return state.started
    ? handler(state, event)
    : fail(state, invalidUpstreamResponse("a content block came before message_start"));
}

function newState(origin: string, tools: ToolFinder): State {
  return {
    origin,
    tools,
    blocks: [],
    opened: 0,
    hasCall: false,
    started: false,
    over: false,
    callState: null,
    counts: null,
    outputReported: false,
    stop: {},
  };
}

/** The same reader for events that are already parsed. Converse converts its events to this form. */
export interface EventReader {
  take(event: JsonObject): StreamEvent[];
  fail(error: GatewayError): StreamEvent[];
  end(): StreamEvent[];
  finishing(): boolean;
}

export function eventReader(origin: string, tools: ToolFinder): EventReader {
  const state = newState(origin, tools);
  return {
    take: (event) => (state.over ? [] : take(state, event)),
    fail: (error) => (state.over ? [] : fail(state, error)),
    end: () => (state.over ? [] : fail(state, streamTruncated())),
    finishing: () => typeof state.stop["stop_reason"] === "string",
  };
}

/** A reader for one stream of this dialect. */
export function streamReader(context: ReadContext): StreamReader {
  const events = eventReader(context.origin, toolFinder(context));
  const emulates = context.upstream !== undefined && emulatesSchemas(limitsOf(context.upstream));
  const answer = outputReader(context.request, emulates);
  const read = ({ data }: Frame): StreamEvent[] => {
    const event = parseExactText(data);
    return isObject(event)
      ? events.take(event)
      : events.fail(invalidUpstreamResponse("a stream event is not a JSON object"));
  };
  return {
    read: answer === null ? read : (frame) => answer(read(frame)),
    peekText: skim,
    end: events.end,
    finishing: events.finishing,
  };
}
