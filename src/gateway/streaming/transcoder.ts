// Turning what the upstream sent into what the client gets: the same bytes, or another dialect's. The meter sees all of it.

import { GatewayError } from "../../canonical/error.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { StreamReader, StreamWriter } from "../../dialects/dialect.ts";
import { truncated } from "../../dialects/errors.ts";
import { withoutNullArguments } from "../../dialects/shared/null-arguments.ts";
import { type Cut, type Frame, formatFrame, readFrame } from "../../lib/sse.ts";
import type { Lane } from "../attempts/upstream-plan.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import type { Meter } from "./meter.ts";
import { type Adapt, watchStops } from "./stop-sequences.ts";

/** How a reply ended; the error is null when it is complete. */
export interface End {
  readonly error: GatewayError | null;
  /** What is still to be said, where the client is told usage that nobody reported: it has to be estimated first. */
  rest?(usage: Usage): Uint8Array;
}

/** Bytes for the client. `end`: the reply is over, well or with an error; nothing follows. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly end?: End;
}

/** The last bytes, with those that tell usage. */
export function lastBytes({ bytes, end }: Piece, usage: Usage | undefined): Uint8Array {
  const rest = usage === undefined ? undefined : end?.rest?.(usage);
  return rest === undefined ? bytes : Buffer.concat([bytes, rest]);
}

export interface Turner {
  /** The bytes may be none. */
  turn(cut: Cut): Piece;
  /** The body has ended, whether the reply had or not. */
  ended(): Piece;
  /** Wire text for an error that fits what was said before it; null where any place is as good. */
  apologise(error: GatewayError): Uint8Array | null;
  /** True once the upstream has said why the reply ended: only its usage and its end are to come. */
  finishing?(): boolean;
  /** Content-Type of what goes to the client, once its first bytes are there; absent for events. */
  type?(): string;
}

export const nothing = new Uint8Array();
const encoder = new TextEncoder();
const complete: End = { error: null };

/** Notes deltas at the meter; says how the reply ended, if it did. */
function watch(deltas: readonly Delta[], meter: Meter): End | null {
  let end: End | null = null;
  for (const delta of deltas) {
    if (delta.type === "error") return { error: delta.error };
    meter.see(delta);
    if (delta.type === "finish") end = complete;
  }
  return end;
}

const pieceOf = (bytes: Uint8Array, end: End | null): Piece => (end === null ? { bytes } : { bytes, end });

/** An upstream that closes without its terminator has not finished, whatever it sent. */
const endOf = (end: End | null): End => end ?? { error: truncated() };

/** Behind a finish come usage and an end; an upstream that goes on gets a quick estimate in place of what is charged. */
const mostHeldFrames = 16;

interface Sent {
  first: string | null;
  last: string | null;
}

function noteSent(sent: Sent, raws: readonly string[]): void {
  sent.first ??= raws.find((raw) => readFrame(raw) !== null) ?? null;
  sent.last = raws.findLast((raw) => readFrame(raw) !== null) ?? sent.last;
}

const frameOf = (raw: string | null): Frame | null => (raw === null ? null : readFrame(raw));

/** The text of a frame as the splitter gives it. */
const rawOf = (frame: Frame): string => formatFrame(frame).trimEnd();

/** Frames as the client may see them, with this usage, or a quick estimate, for what cannot be true. */
function wordsOf(lane: Lane, inquiry: Inquiry, meter: Meter): (raws: readonly string[], usage?: Usage) => Uint8Array {
  const { corrected, shown } = lane.upstream.verbatim;
  const textOf = (raw: string, usage: Usage | undefined): string => {
    const came = readFrame(raw);
    const correct = came === null ? null : corrected?.(came);
    const frame = correct ? correct(usage ?? meter.approximate()) : came;
    const seen = frame === null || shown === undefined ? frame : shown(frame, inquiry.wire);
    if (seen === came) return `${raw}\n\n`;
    return seen === null ? "" : formatFrame(seen);
  };
  return (raws, usage) => encoder.encode(raws.map((raw) => textOf(raw, usage)).join(""));
}

/** Same dialect on both sides: the original bytes go on. An error frame is withheld, because the gateway words errors itself. */
function verbatimTurner(lane: Lane, inquiry: Inquiry, reader: StreamReader, meter: Meter): Turner {
  const { apology, terminator, corrected, shown } = lane.upstream.verbatim;
  /** From the finish on: frames behind one whose usage cannot be true, which waits for what is charged. */
  let held: string[] | null = null;
  const sent: Sent = { first: null, last: null };
  const note = (raws: readonly string[]): void => (apology === undefined ? undefined : noteSent(sent, raws));
  const original = wordsOf(lane, inquiry, meter);
  const letGo = (raws: readonly string[], end: End): End =>
    end.error === null ? { error: null, rest: (usage) => original(raws, usage) } : end;
  return {
    turn({ raws, bytes }) {
      let whole = true;
      let from = 0;
      for (let index = 0; index < raws.length; index++) {
        const frame = readFrame(raws[index] ?? "");
        if (frame === null) continue;
        const text = reader.skim?.(frame.data) ?? null;
        if (text !== null) {
          meter.skim(text);
          continue;
        }
        const end = watch(reader.read(frame), meter);
        const isFalse = held === null && corrected !== undefined && corrected(frame) !== null;
        if (isFalse && (end !== null || reader.finishing?.() === true)) [held, from] = [[], index];
        if (end !== null && held !== null) {
          const kept = [...held, ...raws.slice(from, index + 1)];
          return { bytes: original(raws.slice(0, from)), end: letGo(kept, end) };
        }
        whole &&= !isFalse;
        if (end?.error) {
          note(raws.slice(0, index));
          return { bytes: original(raws.slice(0, index)), end };
        }
        whole &&= shown === undefined || shown(frame, inquiry.wire) === frame;
        if (end === null) continue;
        const untouched = whole && index === raws.length - 1;
        return { bytes: untouched ? bytes : original(raws.slice(0, index + 1)), end };
      }
      note(held === null ? raws : raws.slice(0, from));
      if (held !== null) {
        held.push(...raws.slice(from));
        const late = held.length > mostHeldFrames ? held : [];
        if (late.length > 0) held = null;
        return { bytes: original([...raws.slice(0, from), ...late]) };
      }
      return { bytes: whole ? bytes : original(raws) };
    },
    ended() {
      const end = endOf(watch(reader.end(), meter));
      const rest = end.error === null && terminator !== undefined ? [rawOf(terminator)] : [];
      if (held !== null) return { bytes: nothing, end: letGo([...held, ...rest], end) };
      return { bytes: original(rest), end };
    },
    apologise(error) {
      const frames = apology?.(error, inquiry.write, frameOf(sent.first), frameOf(sent.last));
      return frames === undefined ? null : encoder.encode(frames.map(formatFrame).join(""));
    },
    finishing: () => reader.finishing?.() ?? false,
  };
}

function written(deltas: readonly Delta[], writer: StreamWriter): string {
  let text = "";
  for (const delta of deltas)
    if (delta.type !== "error") for (const frame of writer.write(delta)) text += formatFrame(frame);
  return text;
}

/** Another dialect: deltas are written in the client's words. */
export function translatedTurner(reader: StreamReader, writer: ClientWriter, meter: Meter, adapt?: Adapt): Turner {
  // A client that counts on usage gets the gateway's estimate where the upstream gives none that can be true, never zeros.
  const uncounted = (deltas: readonly Delta[]): number =>
    meter.reported() === undefined ? deltas.findIndex((delta) => delta.type === "finish") : -1;
  const told = (deltas: readonly Delta[], end: End | null): { text: string; end: End | null } => {
    const at = end === null || end.error !== null ? -1 : uncounted(deltas);
    const finish = deltas[at];
    if (finish?.type !== "finish") return { text: written(deltas, writer), end };
    const rest = (usage: Usage): Uint8Array => encoder.encode(written([{ ...finish, usage }], writer));
    return { text: written(deltas.slice(0, at), writer), end: { error: null, rest } };
  };
  const say = (deltas: readonly Delta[]): { text: string; end: End | null } => {
    if (adapt === undefined) return told(deltas, watch(deltas, meter));
    const adapted = adapt(deltas);
    // An upstream's finish ends its stream also where it is not yet the finish for the client.
    const over = deltas.some((delta) => delta.type === "finish") ? complete : null;
    return told(adapted, watch(adapted, meter) ?? over);
  };
  return {
    turn({ raws }) {
      let text = "";
      let end: End | null = null;
      for (const raw of raws) {
        const frame = readFrame(raw);
        if (frame === null) continue;
        const said = say(reader.read(frame));
        text += said.text;
        end = said.end;
        if (end !== null) break;
      }
      return pieceOf(text === "" ? nothing : encoder.encode(text), end);
    },
    ended() {
      const said = say(reader.end());
      return { bytes: encoder.encode(said.text), end: endOf(said.end) };
    },
    finishing: () => reader.finishing?.() ?? false,
    apologise(error) {
      if (!writer.apologises) return null;
      return encoder.encode(writer.write({ type: "error", error }).map(formatFrame).join(""));
    },
  };
}

/** The upstream's reader for this lane. Throws `internal_error` for an operation that does not stream. */
export function readerOf(lane: Lane, inquiry: Inquiry, origin: string): StreamReader {
  const reader = lane.upstream.stream?.reader({ origin, ask: inquiry.ask });
  if (reader === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return lane.verbatim ? reader : withoutNullArguments(withModel(reader, lane.model));
}

/** Where the upstream names no model, it is the one that was asked. */
function withModel(reader: StreamReader, model: string): StreamReader {
  const named = (delta: Delta): Delta => (delta.type === "start" && delta.model === "" ? { ...delta, model } : delta);
  return { ...reader, read: (frame) => reader.read(frame).map(named), end: () => reader.end().map(named) };
}

/** The client's writer, and whether it words errors itself. */
export interface ClientWriter extends StreamWriter {
  readonly apologises: boolean;
}

/** Throws `internal_error` for an operation that does not stream. */
export function writerOf({ dialect, write }: Inquiry): ClientWriter {
  const writer = dialect.stream?.writer(write);
  if (writer === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return { write: (delta) => writer.write(delta), apologises: dialect.stream?.apologises === true };
}

/** The turner of one call of a lane. `writer` is shared where several calls make one reply. */
export function turnerOf(lane: Lane, inquiry: Inquiry, meter: Meter, origin: string): Turner {
  const reader = readerOf(lane, inquiry, origin);
  if (lane.verbatim) return verbatimTurner(lane, inquiry, reader, meter);
  const adapt = lane.watched.length === 0 ? undefined : watchStops(lane.watched, lane.calls.length);
  return translatedTurner(reader, writerOf(inquiry), meter, adapt);
}
