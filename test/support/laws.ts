// The laws that every dialect keeps, for fast-check: round trip, cutting, stream equals whole, grammar.
import { expect } from "bun:test";
import fc from "fast-check";
import type { ChatAnswer, ChatAsk } from "../../src/canonical/chat.ts";
import type { Answer, Ask } from "../../src/canonical/operation.ts";
import { collect, type Delta } from "../../src/canonical/stream-event.ts";
import { grammarFault } from "../../src/canonical/stream-validator.ts";
import type { Dialect, Envelope, ReadContext, RenderContext, WriteContext } from "../../src/dialects/dialect.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Frame, formatFrame, frameSplitter, readFrame } from "../../src/lib/sse.ts";

/** The upstream's name for the model in every law. */
export const lawModel = "model-x";
/** Who made all opaque state in the laws. */
export const lawOrigin = "maker";

/** An envelope with these headers and no path parameters. */
export function envelopeOf(headers: Record<string, string> = {}): Envelope {
  return { header: (name) => headers[name] ?? null, params: {} };
}

/** What a dialect is told when it renders a request in a law. */
export function renderContextOf(dialect: Dialect, more: Partial<RenderContext> = {}): RenderContext {
  return { model: lawModel, origin: lawOrigin, fieldPath: (field) => dialect.request.fieldPath(field), ...more };
}

export const lawReadContext: ReadContext = { origin: lawOrigin };

export function writeContextOf(ask: Ask, more: Partial<WriteContext> = {}): WriteContext {
  return { ask, wire: {}, id: "law-1", createdAt: 1_760_000_000, inputEstimate: 1, ...more };
}

/** `parse(render(ask)) = ask`, for asks that the dialect can say whole. Give their model as `lawModel`. */
export function requestsRoundTrip<A extends Ask, R extends Answer>(
  dialect: Dialect<A, R>,
  asks: fc.Arbitrary<A>,
  options: { envelope?: Envelope; numRuns?: number } = {},
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
export function answersRoundTrip<A extends Ask, R extends Answer>(
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
  dialect: Dialect<ChatAsk, ChatAnswer>,
  streams: fc.Arbitrary<Delta[]>,
  ask: ChatAsk,
  options: { numRuns?: number } = {},
): void {
  check(streams, options.numRuns, (deltas) => {
    const back = readAll(dialect, writeAll(dialect, deltas, ask));
    expect(grammarFault(back)).toBeNull();
    expect(mergeText(back)).toEqual(mergeText(deltas));
  });
}

/** However the bytes of a stream are cut, the deltas are the same. */
export function cutsDoNotMatter(
  dialect: Dialect<ChatAsk, ChatAnswer>,
  wires: fc.Arbitrary<string>,
  options: { numRuns?: number } = {},
): void {
  check(fc.tuple(wires, fc.array(fc.double({ min: 0, max: 1, noNaN: true }))), options.numRuns, ([wire, cuts]) => {
    const bytes = Buffer.from(wire);
    const whole = readAll(dialect, framesOf([bytes]));
    expect(readAll(dialect, framesOf(cutAt(bytes, cuts)))).toEqual(whole);
    expect(readAll(dialect, framesOf(Array.from(bytes, (byte) => Buffer.of(byte))))).toEqual(whole);
    expect(grammarFault(whole)).toBeNull();
  });
}

/** A stream gathered is the reply that the whole wire gives. */
export function streamEqualsWhole(
  dialect: Dialect<ChatAsk, ChatAnswer>,
  streamWire: string,
  wholeWire: JsonObject,
  ignoring: (keyof ChatAnswer)[] = ["id", "createdAt"],
): void {
  const gathered = collect(readAll(dialect, framesOf([Buffer.from(streamWire)])));
  const whole = dialect.response.parse(wholeWire, lawReadContext);
  const without = (answer: ChatAnswer | null) =>
    Object.fromEntries(Object.entries(answer ?? {}).filter(([name]) => !ignoring.includes(name as keyof ChatAnswer)));
  expect(plain(without(gathered))).toEqual(plain(without(whole)));
}

/** A stream that stops after any frame but the last is an error, never a finish. `frames` is one whole stream. */
export function cutStreamIsNoFinish(dialect: Dialect<ChatAsk, ChatAnswer>, frames: Frame[], finishes: number): void {
  for (let count = 0; count < finishes; count++) {
    const deltas = readAll(dialect, frames.slice(0, count));
    expect({ count, last: deltas.at(-1)?.type }).toEqual({ count, last: "error" });
  }
}

/** Frames of a byte stream that comes in these chunks. */
export function framesOf(chunks: Iterable<Uint8Array>): Frame[] {
  const splitter = frameSplitter(1_000_000);
  const cuts = [...Array.from(chunks).map((chunk) => splitter.push(chunk)), splitter.rest()];
  return cuts.flatMap((cut) => cut?.raws ?? []).flatMap((raw) => readFrame(raw) ?? []);
}

/** Everything a reader says about these frames and their end. */
export function readAll(dialect: Dialect<ChatAsk, ChatAnswer>, frames: Frame[]): Delta[] {
  const reader = sideOf(dialect).reader(lawReadContext);
  return [...frames.flatMap((frame) => reader.read(frame)), ...reader.end()];
}

/** Everything a writer sends for these deltas, once over the wire. */
export function writeAll(dialect: Dialect<ChatAsk, ChatAnswer>, deltas: Delta[], ask: ChatAsk): Frame[] {
  const writer = sideOf(dialect).writer(writeContextOf(ask));
  const wire = deltas.flatMap((delta) => writer.write(delta)).map(formatFrame);
  return framesOf([Buffer.from(wire.join(""))]);
}

/** Neighbouring text of one block is one text; empty text is none. */
export function mergeText(deltas: Delta[]): Delta[] {
  const merged: Delta[] = [];
  for (const delta of deltas) {
    const last = merged.at(-1);
    if ("text" in delta && delta.text === "") continue;
    if (last && "text" in last && "text" in delta && isSamePlace(last, delta)) {
      merged[merged.length - 1] = { ...delta, text: last.text + delta.text };
    } else merged.push(delta);
  }
  return plain(merged);
}

type TextDelta = Extract<Delta, { text: string }>;

function isSamePlace(left: TextDelta, right: TextDelta): boolean {
  return left.type === right.type && left.choice === right.choice && left.block === right.block;
}

function check<Value>(values: fc.Arbitrary<Value>, numRuns: number | undefined, law: (value: Value) => void): void {
  fc.assert(fc.property(values, law), { numRuns: numRuns ?? 100 });
}

function sideOf(dialect: Dialect<ChatAsk, ChatAnswer>) {
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
