// The laws that every dialect keeps, for fast-check: round trip, cutting, stream equals whole, grammar.
import { expect } from "bun:test";
import fc from "fast-check";
import type { ChatRequest, ChatResponse } from "../../src/canonical/chat.ts";
import type { OperationRequest, OperationResponse } from "../../src/canonical/operation.ts";
import { collectEvents, type StreamEvent } from "../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../src/canonical/stream-validator.ts";
import type {
  Dialect,
  ReadContext,
  RenderContext,
  RequestMeta,
  UpstreamDialect,
  WriteContext,
} from "../../src/dialects/dialect.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Frame, formatFrame, frameSplitter, readFrame } from "../../src/lib/sse.ts";

/** The upstream's name for the model in every law. */
export const lawModel = "model-x";
/** Who made all opaque state in the laws. */
export const lawOrigin = "maker";

/** An envelope with these headers and no path parameters. */
export function envelopeOf(headers: Record<string, string> = {}): RequestMeta {
  return { header: (name) => headers[name] ?? null, params: {} };
}

/** What a dialect is told when it renders a request in a law. */
export function renderContextOf(dialect: UpstreamDialect | Dialect, more: Partial<RenderContext> = {}): RenderContext {
  const { request } = dialect;
  const fieldPath: RenderContext["fieldPath"] = (field) => ("fieldPath" in request ? request.fieldPath(field) : field);
  return { model: lawModel, origin: lawOrigin, fieldPath, ...more };
}

export const lawReadContext: ReadContext = { origin: lawOrigin };

export function writeContextOf(request: OperationRequest, more: Partial<WriteContext> = {}): WriteContext {
  return { request, wire: {}, id: "law-1", createdAt: 1_760_000_000, inputEstimate: 1, ...more };
}

/** `parse(render(ask)) = ask`, for asks that the dialect can say whole. Give their model as `lawModel`. */
export function requestsRoundTrip<A extends OperationRequest, R extends OperationResponse>(
  dialect: Dialect<A, R>,
  asks: fc.Arbitrary<A>,
  options: { envelope?: RequestMeta; numRuns?: number } = {},
): void {
  const context = renderContextOf(dialect as unknown as Dialect);
  check(asks, options.numRuns, (ask) => {
    const { call, warnings } = dialect.request.render(ask, context);
    expect(warnings).toEqual([]);
    const back = dialect.request.parse(throughWire(call.body), options.envelope ?? envelopeOf());
    expect(plain(back)).toEqual(plain(ask));
  });
}

/** `parse(render(answer)) = answer`. `asks` gives the request that the answer is for. */
export function answersRoundTrip<A extends OperationRequest, R extends OperationResponse>(
  dialect: Dialect<A, R>,
  answers: fc.Arbitrary<R>,
  ask: A,
  options: { numRuns?: number } = {},
): void {
  check(answers, options.numRuns, (answer) => {
    const wire = dialect.response.render(answer, writeContextOf(ask));
    expect(plain(dialect.response.parse(throughWire(wire), lawReadContext))).toEqual(plain(answer));
  });
}

/** `read(write(deltas)) = deltas` up to how a block's text is cut, and what is read keeps the grammar. */
export function streamsRoundTrip(
  dialect: Dialect<ChatRequest, ChatResponse>,
  streams: fc.Arbitrary<StreamEvent[]>,
  request: ChatRequest,
  options: { numRuns?: number } = {},
): void {
  check(streams, options.numRuns, (events) => {
    const back = readAll(dialect, writeAll(dialect, events, request));
    expect(firstStreamViolation(back)).toBeNull();
    expect(mergeText(back)).toEqual(mergeText(events));
  });
}

/** However the bytes of a stream are cut, the deltas are the same. */
export function cutsDoNotMatter(
  dialect: UpstreamDialect<ChatRequest, ChatResponse>,
  wires: fc.Arbitrary<string>,
  options: { numRuns?: number } = {},
): void {
  check(fc.tuple(wires, fc.array(fc.double({ min: 0, max: 1, noNaN: true }))), options.numRuns, ([wire, cuts]) => {
    const bytes = Buffer.from(wire);
    const whole = readAll(dialect, framesOf([bytes]));
    expect(readAll(dialect, framesOf(cutAt(bytes, cuts)))).toEqual(whole);
    expect(readAll(dialect, framesOf(Array.from(bytes, (byte) => Buffer.of(byte))))).toEqual(whole);
    expect(firstStreamViolation(whole)).toBeNull();
  });
}

/** A stream gathered is the reply that the whole wire gives. */
export function streamEqualsWhole(
  dialect: UpstreamDialect<ChatRequest, ChatResponse>,
  streamWire: string,
  wholeWire: JsonObject,
  ignoring: (keyof ChatResponse)[] = ["id", "createdAt"],
): void {
  const gathered = collectEvents(readAll(dialect, framesOf([Buffer.from(streamWire)])));
  const whole = dialect.response.parse(wholeWire, lawReadContext);
  const without = (response: ChatResponse | null) =>
    Object.fromEntries(
      Object.entries(response ?? {}).filter(([name]) => !ignoring.includes(name as keyof ChatResponse)),
    );
  expect(plain(without(gathered))).toEqual(plain(without(whole)));
}

/** A stream that stops after any frame but the last is an error, never a finish. `frames` is one whole stream. */
export function cutStreamIsNoFinish(
  dialect: UpstreamDialect<ChatRequest, ChatResponse>,
  frames: Frame[],
  finishes: number,
): void {
  for (let count = 0; count < finishes; count++) {
    const events = readAll(dialect, frames.slice(0, count));
    expect({ count, last: events.at(-1)?.type }).toEqual({ count, last: "error" });
  }
}

/** Frames of a byte stream that comes in these chunks. */
export function framesOf(chunks: Iterable<Uint8Array>): Frame[] {
  const splitter = frameSplitter(1_000_000);
  const cuts = [...Array.from(chunks).map((chunk) => splitter.push(chunk)), splitter.rest()];
  return cuts.flatMap((cut) => cut?.raws ?? []).flatMap((raw) => readFrame(raw) ?? []);
}

/** Everything a reader says about these frames and their end. */
export function readAll(dialect: UpstreamDialect<ChatRequest, ChatResponse>, frames: Frame[]): StreamEvent[] {
  const reader = dialect.stream?.reader(lawReadContext);
  if (reader === undefined) throw new Error(`${dialect.name} has no stream`);
  return [...frames.flatMap((frame) => reader.read(frame)), ...reader.end()];
}

/** Everything a writer sends for these deltas, once over the wire. */
export function writeAll(
  dialect: Dialect<ChatRequest, ChatResponse>,
  events: StreamEvent[],
  request: ChatRequest,
): Frame[] {
  const writer = sideOf(dialect).writer(writeContextOf(request));
  const wire = events.flatMap((event) => writer.write(event)).map(formatFrame);
  return framesOf([Buffer.from(wire.join(""))]);
}

/** Neighbouring text of one block is one text; empty text is none. */
function mergeText(events: StreamEvent[]): StreamEvent[] {
  const merged: StreamEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if ("text" in event && event.text === "") continue;
    if (last && "text" in last && "text" in event && isSamePlace(last, event)) {
      merged[merged.length - 1] = { ...event, text: last.text + event.text };
    } else merged.push(event);
  }
  return plain(merged);
}

type TextDelta = Extract<StreamEvent, { text: string }>;

function isSamePlace(left: TextDelta, right: TextDelta): boolean {
  return left.type === right.type && left.choice === right.choice && left.block === right.block;
}

function check<Value>(values: fc.Arbitrary<Value>, numRuns: number | undefined, law: (value: Value) => void): void {
  fc.assert(fc.property(values, law), { numRuns: numRuns ?? 100 });
}

function sideOf(dialect: Dialect<ChatRequest, ChatResponse>) {
  if (!dialect.stream) throw new Error(`${dialect.name} has no stream`);
  return dialect.stream;
}

function cutAt(bytes: Buffer, cuts: number[]): Uint8Array[] {
  const edges = [
    0,
    ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((left, right) => left - right),
    bytes.length,
  ];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

const throughWire = (wire: JsonObject): JsonObject => JSON.parse(JSON.stringify(wire)) as JsonObject;

/** Without absent fields, so that `{a: undefined}` equals `{}`. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
