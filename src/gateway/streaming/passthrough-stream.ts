// A passthrough stream: the original bytes are forwarded, or frames that change on the way.
import type { Usage } from "../../canonical/usage.ts";
import type { PassthroughReader, ResponseFrame, StreamReader } from "../../dialects/dialect.ts";
import { readContextOf } from "../../dialects/request-outline.ts";
import { type Frame, formatFrame, readFrame } from "../../lib/sse.ts";
import type { UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { lengthEnd, primed } from "./length-end.ts";
import type { Meter } from "./meter.ts";
import { readerOf, writerOf } from "./stream-codecs.ts";
import { encoded, endOf, nothing, type StreamEnd, type Transcoder, type Written, watch } from "./transcoder.ts";

const encoder = new TextEncoder();

/** Usage and the end follow a finish. If the upstream sends more, an approximation replaces the charged usage. */
const mostHeldFrames = 16;

/** The text of a frame as the splitter returns it. */
const rawOf = (frame: Frame): string => formatFrame(frame).trimEnd();

/** Frames for the client, with this usage, or an approximation, in place of usage that cannot be true. */
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

/** Whether a frame only adds text: the meter has counted it, and it need not be parsed. */
function skimmed(reader: StreamReader, frame: Frame, meter: Meter): boolean {
  const text = reader.peekText?.(frame.data) ?? null;
  if (text !== null) meter.skim(text);
  return text !== null;
}

/** Forwards the original bytes. Error frames are withheld, because the gateway writes errors itself. */
function originalBytes(gatewayRequest: GatewayRequest, reader: StreamReader, meter: Meter): Transcoder {
  const { terminator, corrected, visibleFrame } = gatewayRequest.dialect.passthrough;
  const { wire } = gatewayRequest;
  let structureBefore = 0;
  /** From the finish on: frames after one whose usage cannot be true, which waits for the charged usage. */
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
          const kept = [...held, ...raws.slice(from, index + 1)];
          return { bytes: original(raws.slice(0, from)), end: letGo(kept, end) };
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

/** Forwards frames that change on the way. The last one waits for the charged usage. */
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
export function passthroughStream(
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
