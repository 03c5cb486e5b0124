// One upstream stream on its way to the client: chunks in, the client's bytes out, piece by piece.
import { GatewayError } from "../canon/error.ts";
import { badReply } from "../dialects/reject.ts";
import { frameSplitter, frameTooLarge } from "../lib/sse.ts";
import { transportError } from "../providers/upstream.ts";
import type { Meter } from "./meter.ts";
import type { Inquiry, Lane } from "./relay.ts";
import { nothing, type Piece, type Turner, translatedTurner, verbatimTurner } from "./turn.ts";

export interface Flow {
  /** The next piece; the last one has an `end`. Never rejects: faults of the upstream are ends with an error. */
  next(): Promise<Piece>;
  /** Lets go of the upstream's body. */
  close(): void;
}

type Body = ReadableStreamDefaultReader<Uint8Array>;

const maxFrameBytes = 16 * 1024 * 1024;
const drainMs = 1_000;

function turnerFor(lane: Lane, inquiry: Inquiry, meter: Meter, origin: string): Turner {
  const reader = lane.upstream.stream?.reader({ origin, ask: inquiry.ask });
  if (reader === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return lane.verbatim ? verbatimTurner(lane, inquiry, reader, meter) : translatedTurner(inquiry, reader, meter);
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
  const body = (response.body ?? new Blob().stream()).getReader() as Body;
  const splitter = frameSplitter(maxFrameBytes);
  const turner = turnerFor(lane, inquiry, meter, origin);
  let over = false;

  const take = (chunk: Uint8Array): Piece => {
    const cut = splitter.push(chunk);
    return cut === null ? { bytes: nothing } : turner.turn(cut);
  };
  const last = (): Piece => {
    const cut = splitter.rest();
    const piece = cut === null ? { bytes: nothing } : turner.turn(cut);
    if (piece.end !== undefined) return piece;
    const ended = turner.ended();
    return piece.bytes.length === 0 ? ended : { ...ended, bytes: Buffer.concat([piece.bytes, ended.bytes]) };
  };
  // Chained by hand: this runs for every event, and each async function on the way would cost a microtask more.
  const next = (): Promise<Piece> =>
    body.read().then(({ done, value }) => {
      const piece = done ? last() : take(value);
      if (piece.end !== undefined) {
        over = true;
        if (!done) void drain(body);
        return piece;
      }
      return piece.bytes.length > 0 ? piece : next();
    });
  const failed = (thrown: unknown): Piece => {
    over = true;
    return { bytes: nothing, end: { error: streamFault(thrown, signal) } };
  };
  return {
    next: () => next().catch(failed),
    close() {
      if (!over) void body.cancel().catch(() => undefined);
      over = true;
    },
  };
}

/** Reads to the end so that the connection can be used again; gives up on a body that does not end. */
async function drain(body: Body): Promise<void> {
  const timer = setTimeout(() => void body.cancel().catch(() => undefined), drainMs);
  try {
    while (!(await body.read()).done);
  } catch {
    // The reply is complete; how its connection ends changes nothing.
  } finally {
    clearTimeout(timer);
  }
}

function streamFault(thrown: unknown, signal: AbortSignal): GatewayError {
  if (thrown instanceof Error && thrown.message === frameTooLarge) return badReply(frameTooLarge);
  const fault = transportError(thrown, signal);
  if (fault instanceof GatewayError) return fault;
  return new GatewayError("upstream_reset", "The connection to the provider broke off.", { cause: fault });
}
