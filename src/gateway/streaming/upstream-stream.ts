// One upstream stream on its way to the client: chunks in, the client's bytes out, piece by piece.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { badReply } from "../../dialects/errors.ts";
import type { Deadline } from "../../lib/deadline.ts";
import { type Cut, type FrameSplitter, frameSplitter, frameTooLarge } from "../../lib/sse.ts";
import { redactorFor } from "../../providers/redaction.ts";
import { replyError } from "../../providers/upstream.ts";
import { type Signs, watchSigns } from "./end-markers.ts";
import { nothing, type Piece, type Turner } from "./transcoder.ts";

/** What becomes of a piece. */
export type Consume = (piece: Piece) => Promise<void> | undefined;

export interface Flow {
  /** Hands over the next piece; the last one has an `end`. Never rejects by itself: faults of the upstream are ends with an error. */
  next(consume: Consume): Promise<void>;
  /** How many chunks held something of the answer, and how many only a sign that the upstream is still at work. Comments count as neither. */
  signs(): Signs;
  /** Wire text for an error that fits what was said before it; null where any place is as good. */
  apologise(error: GatewayError): Uint8Array | null;
  /** True once the upstream has said why the reply ended: only its usage and its end are to come. */
  finishing(): boolean;
  /** Content-Type of the pieces, once the first is there; null for events. */
  type(): string | null;
  /** Lets go of the upstream's body. */
  close(): void;
}

/** The next piece of a flow. */
export async function firstOf(flow: Flow): Promise<Piece> {
  const arrived = Promise.withResolvers<Piece>();
  await flow.next((piece) => void arrived.resolve(piece));
  return arrived.promise;
}

type Body = ReadableStreamDefaultReader<Uint8Array>;

const maxFrameBytes = 16 * 1024 * 1024;
const drainMs = 1_000;

/** `life` is the attempt's: when it aborts, the pending read fails with its reason. */
export function createFlow(
  response: Response,
  turner: Turner,
  life: Deadline,
  splitter: FrameSplitter = frameSplitter(maxFrameBytes),
): Flow {
  const body = (response.body ?? new Blob().stream()).getReader() as Body;
  const redactor = redactorFor(response);
  let over = false;
  const watch = watchSigns(splitter);

  const turned = (cut: Cut | null): Piece => {
    const left = watch.pass(cut === null ? null : (redactor?.cut(cut) ?? cut));
    return left === null ? { bytes: nothing } : turner.turn(left);
  };
  const take = (chunk: Uint8Array): Piece => {
    try {
      return turned(splitter.push(chunk));
    } catch (thrown) {
      return { bytes: nothing, end: { error: readingFault(thrown) } };
    }
  };
  const last = (): Piece => {
    try {
      const piece = turned(splitter.rest());
      return piece.end === undefined ? joined(piece, turner.ended()) : piece;
    } catch (thrown) {
      return { bytes: nothing, end: { error: readingFault(thrown) } };
    }
  };
  // Chained by hand, with one promise: this runs for every event, and each async function on the way would cost another.
  const next = (consume: Consume): Promise<void> =>
    body.read().then(
      ({ done, value }) => {
        const piece = done ? last() : take(value);
        if (piece.end === undefined) return piece.bytes.length > 0 ? consume(piece) : next(consume);
        over = true;
        if (!done) void drain(body, life);
        return consume(piece);
      },
      (thrown) => {
        over = true;
        return consume({ bytes: nothing, end: { error: transportFault(thrown, life.signal) } });
      },
    );
  return {
    next,
    signs: () => watch.signs,
    apologise: turner.apologise,
    finishing: () => turner.finishing?.() ?? false,
    type: () => turner.type?.() ?? null,
    close() {
      if (!over) void body.cancel().catch(() => undefined);
      over = true;
    },
  };
}

const joined = (piece: Piece, ended: Piece): Piece =>
  piece.bytes.length === 0 ? ended : { ...ended, bytes: Buffer.concat([piece.bytes, ended.bytes]) };

/** Reads to the end so that the connection can be used again; gives up on a body that does not end. */
async function drain(body: Body, life: Deadline): Promise<void> {
  const timer = setTimeout(() => life.abort(new Error("the reply is complete")), drainMs);
  try {
    while (!(await body.read()).done);
  } catch {
    // The reply is complete; how its connection ends changes nothing.
  } finally {
    clearTimeout(timer);
  }
}

function readingFault(thrown: unknown): GatewayError {
  return thrown instanceof Error && thrown.message === frameTooLarge ? badReply(frameTooLarge) : toGatewayError(thrown);
}

function transportFault(thrown: unknown, signal: AbortSignal): GatewayError {
  const fault = replyError(thrown, signal);
  if (fault instanceof GatewayError) return fault;
  return new GatewayError("upstream_truncated", "The connection to the provider broke off.", { cause: fault });
}
