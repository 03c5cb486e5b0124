// Turning what the upstream sent into what the client gets: the same bytes, or another dialect's. The meter sees all of it.
import type { Delta } from "../canon/delta.ts";
import type { GatewayError } from "../canon/error.ts";
import type { StreamReader } from "../dialects/dialect.ts";
import { badReply } from "../dialects/reject.ts";
import { type Cut, formatFrame, readFrame } from "../lib/sse.ts";
import type { Meter } from "./meter.ts";
import type { Inquiry, Lane } from "./relay.ts";

/** How a reply ended; the error is null when it is complete. */
export interface End {
  readonly error: GatewayError | null;
}

/** Bytes for the client. `end`: the reply is over, well or with an error; nothing follows. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly end?: End;
}

export interface Turner {
  /** The bytes may be none. */
  turn(cut: Cut): Piece;
  /** The body has ended, whether the reply had or not. */
  ended(): Piece;
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
const endOf = (end: End | null): End => end ?? { error: badReply("the stream ended without an end") };

/** Same dialect on both sides: the original bytes go on. An error frame is withheld, because the gateway words errors itself. */
export function verbatimTurner(lane: Lane, inquiry: Inquiry, reader: StreamReader, meter: Meter): Turner {
  const { keeps } = lane.upstream.verbatim;
  const keepsRaw = (raw: string): boolean => {
    const frame = readFrame(raw);
    return frame === null || keeps === undefined || keeps(frame, inquiry.wire);
  };
  const original = (raws: readonly string[]): Uint8Array =>
    encoder.encode(
      raws
        .filter(keepsRaw)
        .map((raw) => `${raw}\n\n`)
        .join(""),
    );
  return {
    turn({ raws, bytes }) {
      let whole = true;
      for (let index = 0; index < raws.length; index++) {
        const raw = raws[index] ?? "";
        const frame = readFrame(raw);
        if (frame === null) continue;
        const chars = reader.skim?.(frame.data) ?? -1;
        if (chars >= 0) {
          meter.skim(chars);
          continue;
        }
        const end = watch(reader.read(frame), meter);
        if (end?.error) return { bytes: original(raws.slice(0, index)), end };
        whole &&= keeps === undefined || keeps(frame, inquiry.wire);
        if (end !== null)
          return { bytes: whole && index === raws.length - 1 ? bytes : original(raws.slice(0, index + 1)), end };
      }
      return { bytes: whole ? bytes : original(raws) };
    },
    ended: () => ({ bytes: nothing, end: endOf(watch(reader.end(), meter)) }),
  };
}

/** Another dialect: deltas are written in the client's words. */
export function translatedTurner(inquiry: Inquiry, reader: StreamReader, meter: Meter): Turner {
  const writer = inquiry.dialect.stream?.writer(inquiry.write);
  const written = (deltas: readonly Delta[]): string => {
    let text = "";
    for (const delta of deltas)
      if (delta.type !== "error") for (const frame of writer?.write(delta) ?? []) text += formatFrame(frame);
    return text;
  };
  return {
    turn({ raws }) {
      let text = "";
      let end: End | null = null;
      for (const raw of raws) {
        const frame = readFrame(raw);
        if (frame === null) continue;
        const deltas = reader.read(frame);
        end = watch(deltas, meter);
        text += written(deltas);
        if (end !== null) break;
      }
      return pieceOf(text === "" ? nothing : encoder.encode(text), end);
    },
    ended() {
      const deltas = reader.end();
      const end = endOf(watch(deltas, meter));
      return { bytes: encoder.encode(written(deltas)), end };
    },
  };
}
