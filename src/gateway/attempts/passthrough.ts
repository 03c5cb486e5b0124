// Client and upstream use one dialect: the client's own body is sent with another model in it, and the bytes of the response are returned.
import type { Usage } from "../../canonical/usage.ts";
import type {
  PassthroughReader,
  PassthroughRequest,
  RenderContext,
  ResponseFrame,
  StreamReader,
  UpstreamDialect,
} from "../../dialects/dialect.ts";
import { readContextOf } from "../../dialects/request-outline.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type Frame, formatFrame, readFrame } from "../../lib/sse.ts";
import { itemCount, maxItems } from "../operations/index.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { checkedAnswer, exactBody, rendered } from "../streaming/buffered-response.ts";
import { lengthEnd, primed } from "../streaming/length-end.ts";
import type { Meter } from "../streaming/meter.ts";
import { readerOf, writerOf } from "../streaming/stream-codecs.ts";
import {
  encoded,
  endOf,
  nothing,
  type StreamEnd,
  type Transcoder,
  type Written,
  watch,
} from "../streaming/transcoder.ts";
import type { PlanCodec, UpstreamPlan } from "./upstream-plan.ts";

const encoder = new TextEncoder();

const none: readonly never[] = [];

/** The body of a response that was not parsed. */
const unread: JsonObject = {};

/** The client's own wire, split for an upstream that accepts fewer items. */
function wiresOf(
  gatewayRequest: GatewayRequest,
  upstream: UpstreamDialect,
  context: RenderContext,
): readonly JsonObject[] {
  const { wire } = gatewayRequest;
  if (gatewayRequest.dialect.passthrough.splitBatch === undefined) return [wire];
  const most = maxItems(upstream, context);
  return itemCount(gatewayRequest.request) <= most ? [wire] : gatewayRequest.dialect.passthrough.splitBatch(wire, most);
}

/** After a finish only usage and an end are expected; an upstream that sends more gets a quick estimate instead of the charged usage. */
const mostHeldFrames = 16;

/** The text of a frame as the splitter gives it. */
const rawOf = (frame: Frame): string => formatFrame(frame).trimEnd();

/** Frames as the client may see them, with this usage, or a quick estimate, for what cannot be true. */
function wordsOf(
  { dialect, wire }: GatewayRequest,
  meter: Meter,
): (raws: readonly string[], usage?: Usage) => Uint8Array {
  const { corrected, visibleFrame } = dialect.passthrough;
  const textOf = (raw: string, usage: Usage | undefined): string => {
    const came = readFrame(raw);
    const correct = came === null ? null : corrected?.(came);
    const frame = correct ? correct(usage ?? meter.approximate()) : came;
    const seen = frame === null || visibleFrame === undefined ? frame : visibleFrame(frame, wire);
    if (seen === came) return `${raw}\n\n`;
    return seen === null ? "" : formatFrame(seen);
  };
  return (raws, usage) => encoder.encode(raws.map((raw) => textOf(raw, usage)).join(""));
}

/** True for a frame that only continues a text: the meter has counted it, and nothing else has to read it. */
function skimmed(reader: StreamReader, frame: Frame, meter: Meter): boolean {
  const text = reader.peekText?.(frame.data) ?? null;
  if (text !== null) meter.skim(text);
  return text !== null;
}

/** Same dialect on both sides: the original bytes are forwarded. An error frame is withheld, because the gateway writes errors itself. */
function originalBytes(gatewayRequest: GatewayRequest, reader: StreamReader, meter: Meter): Transcoder {
  const { terminator, corrected, visibleFrame } = gatewayRequest.dialect.passthrough;
  const { wire } = gatewayRequest;
  let structureBefore = 0;
  /** From the finish on: frames behind one whose usage cannot be true, which waits for what is charged. */
  let held: string[] | null = null;
  const original = wordsOf(gatewayRequest, meter);
  const letGo = (raws: readonly string[], end: StreamEnd): StreamEnd =>
    end.error === null ? { error: null, rest: (usage) => ({ bytes: original(raws, usage) }) } : end;
  return {
    turn({ raws, bytes }) {
      structureBefore = meter.structure().length;
      let whole = true;
      let from = 0;
      for (let index = 0; index < raws.length; index++) {
        const frame = readFrame(raws[index] ?? "");
        if (frame === null) continue;
        if (skimmed(reader, frame, meter)) continue;
        const end = watch(reader.read(frame), meter);
        const isFalse = held === null && corrected !== undefined && corrected(frame) !== null;
        if (isFalse && (end !== null || reader.finishing?.() === true)) [held, from] = [[], index];
        if (end !== null && held !== null) {
          const remaining = [...held, ...raws.slice(from, index + 1)];
          return { bytes: original(raws.slice(0, from)), end: letGo(remaining, end) };
        }
        whole &&= !isFalse;
        if (end?.error) return { bytes: original(raws.slice(0, index)), end };
        whole &&= visibleFrame === undefined || visibleFrame(frame, wire) === frame;
        if (end !== null)
          return { bytes: whole && index === raws.length - 1 ? bytes : original(raws.slice(0, index + 1)), end };
      }
      if (held !== null) {
        held.push(...raws.slice(from));
        if (held.length <= mostHeldFrames) return { bytes: original(raws.slice(0, from)) };
        const late = held;
        held = null;
        return { bytes: original([...raws.slice(0, from), ...late]) };
      }
      return { bytes: whole ? bytes : original(raws) };
    },
    ended() {
      const end = endOf(watch(reader.end(), meter));
      const rest = end.error === null && terminator !== undefined ? [rawOf(terminator)] : [];
      return held === null ? { bytes: original(rest), end } : { bytes: nothing, end: letGo([...held, ...rest], end) };
    },
    apologise: () => null,
    stop: () => ({
      error: null,
      needsLastPiece: meter.structure().length > structureBefore,
      rest(usage) {
        const structure = meter.structure();
        return encoded(lengthEnd(primed(writerOf(gatewayRequest), structure), structure, usage), false);
      },
    }),
    finishing: () => reader.finishing?.() ?? false,
  };
}

/** Same dialect on both sides, with frames that change on their way. The last one waits for the usage that is charged. */
function changedFrames(reader: PassthroughReader, meter: Meter, isWatched: boolean): Transcoder {
  const last = (frame: Frame, usage: Usage): Written => encoded([reader.shown(frame, usage) ?? frame], isWatched);
  const read = (frame: Frame): StreamEnd | null => {
    const end = skimmed(reader, frame, meter) ? null : watch(reader.read(frame), meter);
    return end === null || end.error !== null ? end : { error: null, rest: (usage) => last(frame, usage) };
  };
  let structureBefore = 0;
  return {
    turn({ raws, bytes }) {
      structureBefore = meter.structure().length;
      const frames: ResponseFrame[] = [];
      let isWhole = true;
      for (const raw of raws) {
        const frame = readFrame(raw);
        if (frame === null) continue;
        const end = read(frame);
        if (end !== null) return { ...encoded(frames, isWatched), end };
        const shown = reader.shown(frame);
        isWhole &&= shown === frame;
        if (shown !== null) frames.push(shown);
      }
      return isWhole ? { bytes, ...(isWatched ? { frames } : {}) } : encoded(frames, isWatched);
    },
    ended: () => ({ bytes: nothing, end: endOf(watch(reader.end(), meter)) }),
    apologise: (error) => reader.error(error),
    stop: () => ({
      error: null,
      needsLastPiece: meter.structure().length > structureBefore,
      rest: (usage) => encoded(reader.stopped(usage), isWatched),
    }),
    finishing: () => reader.finishing?.() ?? false,
  };
}

/** Throws `internal_error` for an operation that does not stream. */
function passthroughStream(
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  meter: Meter,
  origin: string,
): Transcoder {
  const { dialect, write } = gatewayRequest;
  const changing = dialect.passthrough.reader?.(readContextOf(gatewayRequest, { origin }), write);
  if (changing !== undefined) return changedFrames(changing, meter, write.stored !== undefined);
  return originalBytes(gatewayRequest, readerOf(plan, gatewayRequest, origin), meter);
}

export const passthrough: PlanCodec = {
  encodeRequest(gatewayRequest, upstream, context) {
    const { source, adjustments = none, dialect, envelope } = gatewayRequest;
    const call = (wire: JsonObject): PassthroughRequest => {
      const rendered = dialect.passthrough.render(wire, context, envelope);
      if (source === undefined) return rendered;
      const { path, body, headers, warnings } = rendered;
      // A new object by its members: this runs for every request, and a spread costs three times as much.
      return headers === undefined && warnings === undefined ? { path, body, source } : { ...rendered, source };
    };
    const [first = gatewayRequest.wire, ...others] = wiresOf(gatewayRequest, upstream, context);
    const calls = [call(first), ...others.map(call)] as const;
    const { warnings = none } = calls[0];
    return {
      calls,
      parts: none,
      watched: none,
      warnings: adjustments.length > 0 ? [...adjustments, ...warnings] : warnings,
    };
  },
  peekResponse(bytes, { dialect, outline, asJson }) {
    const { usageInBytes, normalize } = dialect.passthrough;
    if (usageInBytes === undefined || normalize !== undefined || asJson || outline.choices !== 1) return null;
    const usage = usageInBytes(bytes);
    return usage === undefined ? null : { bytes, body: unread, usage, answer: null };
  },
  needsExactNumbers: ({ dialect }) => dialect.operation === "chat" && dialect.passthrough.usage === undefined,
  decodeResponse({ bytes, json }, { upstream }, gatewayRequest, origin) {
    const body = Array.isArray(json) ? {} : json;
    const { usage } = gatewayRequest.dialect.passthrough;
    if (usage !== undefined) return { bytes, body, usage: usage(body), answer: null };
    const answer = upstream.response.parse(json, { origin, request: gatewayRequest.request });
    return { bytes, body, usage: answer.usage, answer };
  },
  decodeDocument: (bytes, type, { usage }) => ({ bytes, body: {}, usage, answer: null, type }),
  withUsage(read, usage, { dialect }, response) {
    const { withUsage } = dialect.passthrough;
    const known = read.answer === null ? { ...read, usage } : { ...read, usage, answer: { ...response, usage } };
    if (read.type !== undefined || withUsage === undefined) return known;
    const body = withUsage(dialect.operation === "chat" ? exactBody(read.bytes) : read.body, usage);
    return { ...known, body, bytes: encoder.encode(JSON.stringify(body)) };
  },
  encodeResponse(read, plan, gatewayRequest) {
    const { bytes, body, usage, answer, type, changed } = read;
    if (changed && answer !== null) return rendered(answer, plan, gatewayRequest);
    checkedAnswer(answer, gatewayRequest);
    if (type !== undefined) return { body: bytes, type, usage };
    const { dialect, wire, write, asJson } = gatewayRequest;
    const json = dialect.passthrough.normalize?.(body, wire, write) ?? body;
    if (asJson) return { body: "", json, usage };
    return { body: json === body ? bytes : JSON.stringify(json), usage };
  },
  transcodeStream: passthroughStream,
  keepsSpeechEvents: true,
};
