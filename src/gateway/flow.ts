// One upstream stream on its way to the client: chunks in, the client's bytes out, every delta past the meter.
import type { Delta } from "../canon/delta.ts";
import { GatewayError } from "../canon/error.ts";
import type { StreamReader } from "../dialects/dialect.ts";
import { badReply } from "../dialects/reject.ts";
import { type Frame, formatFrame, frameSplitter, frameTooLarge, readFrame } from "../lib/sse.ts";
import { transportError } from "../providers/upstream.ts";
import type { Meter } from "./meter.ts";
import type { Inquiry, Lane } from "./relay.ts";

/** Bytes for the client. `end`: the reply is over, well or with an error; nothing follows. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly end?: { readonly error: GatewayError | null };
}

export interface Flow {
  /** The next piece; the last one has an `end`. Never rejects: faults of the upstream are ends with an error. */
  next(): Promise<Piece>;
  /** Lets go of the upstream's body. */
  close(): void;
}

interface Turned {
  readonly parts: Uint8Array[];
  end: { error: GatewayError | null } | null;
}

const encoder = new TextEncoder();
const nothing = new Uint8Array();
const maxFrameBytes = 16 * 1024 * 1024;
const drainMs = 1_000;

/** Neighbours in one buffer become one view without a copy; anything else is copied together. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const first = parts[0];
  if (first === undefined) return nothing;
  if (parts.length === 1) return first;
  let end = first.byteOffset;
  for (const part of parts) {
    if (part.buffer !== first.buffer || part.byteOffset !== end) return Buffer.concat(parts);
    end += part.byteLength;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** Notes deltas at the meter; true once the reply is over. */
function watch(deltas: readonly Delta[], meter: Meter, turned: Turned): boolean {
  for (const delta of deltas) {
    if (delta.type === "error") {
      turned.end = { error: delta.error };
      return true;
    }
    meter.see(delta);
    if (delta.type === "finish") turned.end = { error: null };
  }
  return turned.end !== null;
}

type Turn = (raw: Uint8Array, frame: Frame | null, deltas: readonly Delta[], turned: Turned) => void;

/** The verbatim lane hands on the original bytes; an error frame is withheld, because the gateway words errors itself. */
function verbatimTurn(lane: Lane, inquiry: Inquiry, meter: Meter): Turn {
  const { keeps } = lane.upstream.verbatim;
  return (raw, frame, deltas, turned) => {
    watch(deltas, meter, turned);
    if (turned.end?.error) return;
    if (frame === null || keeps === undefined || keeps(frame, inquiry.wire)) turned.parts.push(raw);
  };
}

function translatedTurn(inquiry: Inquiry, meter: Meter): Turn {
  const writer = inquiry.dialect.stream?.writer(inquiry.write);
  return (_raw, _frame, deltas, turned) => {
    watch(deltas, meter, turned);
    let text = "";
    for (const delta of deltas)
      if (delta.type !== "error") for (const frame of writer?.write(delta) ?? []) text += formatFrame(frame);
    if (text !== "") turned.parts.push(encoder.encode(text));
  };
}

/** Reads to the end so that the connection can be used again; gives up on a body that does not end. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), drainMs);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reply is complete; how its connection ends changes nothing.
  } finally {
    clearTimeout(timer);
  }
}

/** `signal` is the attempt's: when it aborts, the pending read fails with its reason. */
export function createFlow(
  response: Response,
  lane: Lane,
  inquiry: Inquiry,
  meter: Meter,
  origin: string,
  signal: AbortSignal,
): Flow {
  const reader = (response.body ?? new Blob().stream()).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const splitter = frameSplitter(maxFrameBytes);
  const decode: StreamReader | undefined = lane.upstream.stream?.reader({ origin, ask: inquiry.ask });
  const turn = lane.verbatim ? verbatimTurn(lane, inquiry, meter) : translatedTurn(inquiry, meter);
  if (decode === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  let over = false;

  const turnRaw = (raw: Uint8Array, turned: Turned): void => {
    const frame = readFrame(raw);
    turn(raw, frame, frame === null ? [] : decode.read(frame), turned);
  };
  const finish = (turned: Turned): void => {
    const rest = splitter.rest();
    if (rest !== null) turnRaw(Buffer.concat([rest, encoder.encode("\n\n")]), turned);
    if (turned.end === null) turn(nothing, null, decode.end(), turned);
    turned.end ??= { error: badReply("the stream ended without an end") };
  };
  const step = async (): Promise<Turned> => {
    const turned: Turned = { parts: [], end: null };
    while (turned.end === null && turned.parts.length === 0) {
      const { done, value } = await reader.read();
      if (done) finish(turned);
      else for (const raw of splitter.push(value)) if (turned.end === null) turnRaw(raw, turned);
    }
    return turned;
  };
  return {
    async next() {
      try {
        const turned = await step();
        if (turned.end === null) return { bytes: joinParts(turned.parts) };
        over = true;
        void drain(reader);
        return { bytes: joinParts(turned.parts), end: turned.end };
      } catch (thrown) {
        over = true;
        return { bytes: nothing, end: { error: streamFault(thrown, signal) } };
      }
    },
    close() {
      if (!over) void reader.cancel().catch(() => undefined);
      over = true;
    },
  };
}

function streamFault(thrown: unknown, signal: AbortSignal): GatewayError {
  if (thrown instanceof Error && thrown.message === frameTooLarge) return badReply(frameTooLarge);
  const fault = transportError(thrown, signal);
  if (fault instanceof GatewayError) return fault;
  return new GatewayError("upstream_reset", "The connection to the provider broke off.", { cause: fault });
}
