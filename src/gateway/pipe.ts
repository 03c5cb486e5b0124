// The pipe: one upstream stream to one client, pulled by the client, kept warm in silence, settled before its last bytes.
import { GatewayError, toGatewayError } from "../canon/error.ts";
import type { Usage } from "../canon/usage.ts";
import type { OpenStream, Tried } from "./attempt.ts";
import type { Attribution, Exchange } from "./exchange.ts";
import type { Consume } from "./flow.ts";
import { nothing, type Piece } from "./turn.ts";

/** What the pipe needs from the room above: the client's wire for silence and for errors. */
export interface PipeWire {
  heartbeat(started: boolean): Uint8Array;
  error(error: GatewayError): Uint8Array;
}

/** In milliseconds: how long silence may last before a heartbeat, and how long a client may stop reading. */
export interface PipePace {
  readonly heartbeatMs: number;
  readonly stallMs: number;
}

export interface PipeOptions {
  readonly stream: Promise<Tried<OpenStream>>;
  readonly exchange: Exchange;
  readonly wire: PipeWire;
  /** The client's: aborted when it goes away. */
  readonly signal: AbortSignal;
  readonly usage: () => Usage;
  readonly pace: PipePace;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** All times are monotonic milliseconds. */
interface State {
  readonly options: PipeOptions;
  readonly controller: Controller;
  readonly onAbort: () => void;
  readonly consume: Consume;
  open: OpenStream | null;
  by: Attribution | null;
  started: boolean;
  over: boolean;
  timer: Timer | undefined;
  lastByteMs: number;
  lastProgressMs: number;
  /** Since when the client has not asked for more; null while it waits for us. */
  stalledSinceMs: number | null;
  /** When the upstream was last asked for more. */
  askedMs: number;
}

const progressMs = 5_000;
const gone = (): GatewayError => new GatewayError("client_closed", "The client closed the connection.");
const silent = (): GatewayError =>
  new GatewayError("upstream_timeout", "The provider fell silent before the reply was complete.");

/** A body for the client. Its pull is the backpressure: nothing is read from the upstream before the client wants more. */
export function pipe(options: PipeOptions): ReadableStream<Uint8Array> {
  let state: State;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        state = begin(options, controller);
      },
      pull: () => turn(state),
      cancel: () => stop(state, gone()),
    },
    { highWaterMark: 0 },
  );
}

function begin(options: PipeOptions, controller: Controller): State {
  const nowMs = performance.now();
  const state: State = {
    options,
    controller,
    onAbort: () => stop(state, gone()),
    consume: (piece) => deliver(state, piece),
    open: null,
    by: null,
    started: false,
    over: false,
    timer: undefined,
    lastByteMs: nowMs,
    lastProgressMs: nowMs,
    stalledSinceMs: null,
    askedMs: nowMs,
  };
  const { pace, signal } = options;
  state.timer = setInterval(() => tick(state), Math.min(pace.heartbeatMs, pace.stallMs) / 3);
  if (signal.aborted) state.onAbort();
  else signal.addEventListener("abort", state.onAbort, { once: true });
  return state;
}

/** The opening brings the first piece along. */
async function firstPiece(state: State): Promise<Piece> {
  try {
    const tried = await state.options.stream;
    state.by = tried.by;
    if ("failure" in tried) return { bytes: nothing, end: { error: tried.failure } };
    state.open = tried.value;
    return tried.value.first;
  } catch (thrown) {
    return { bytes: nothing, end: { error: toGatewayError(thrown) } };
  }
}

/** One pull: the client wants more. */
function turn(state: State): Promise<void> {
  state.stalledSinceMs = null;
  state.askedMs = performance.now();
  return state.open === null ? begun(state) : state.open.flow.next(state.consume);
}

async function begun(state: State): Promise<void> {
  return deliver(state, await firstPiece(state));
}

function deliver(state: State, piece: Piece): Promise<void> | undefined {
  if (state.over) return undefined;
  if (piece.end !== undefined) return finish(state, piece, piece.end.error);
  give(state, piece.bytes);
  state.stalledSinceMs = state.lastByteMs;
  if (state.lastByteMs - state.lastProgressMs < progressMs) return undefined;
  state.lastProgressMs = state.lastByteMs;
  state.options.exchange.progress(state.options.usage());
  return undefined;
}

function give(state: State, bytes: Uint8Array): void {
  state.started = true;
  state.lastByteMs = performance.now();
  state.options.exchange.firstByte();
  state.controller.enqueue(bytes);
}

function letGo(state: State): void {
  state.over = true;
  clearInterval(state.timer);
  state.options.signal.removeEventListener("abort", state.onAbort);
  state.open?.life.release();
}

/** The settlement is on disk before the last bytes leave. An error takes the place of a clean end. */
async function finish(state: State, piece: Piece, error: GatewayError | null): Promise<void> {
  letGo(state);
  const { exchange, usage, wire } = state.options;
  await exchange.settle({ by: state.by, usage: usage(), error });
  if (piece.bytes.length > 0) give(state, piece.bytes);
  if (error !== null) give(state, wire.error(error));
  state.controller.close();
}

/** The client has gone, or must go. A stream that is only just being opened is let go as soon as it is there. */
function stop(state: State, error: GatewayError): void {
  if (state.over) return;
  const { exchange, usage, stream } = state.options;
  letGo(state);
  void exchange.settle({ by: state.by, usage: usage(), error });
  void stream.then((tried) => {
    if ("failure" in tried) return;
    tried.value.life.abort(error);
    tried.value.flow.close();
  });
}

/** Silence gets a heartbeat, a silent upstream an end; a client that has not read for too long is cut, so that it cannot hold memory for ever. */
function tick(state: State): void {
  const nowMs = performance.now();
  const { pace, wire } = state.options;
  if (state.over) return;
  if (state.stalledSinceMs !== null) {
    if (nowMs - state.stalledSinceMs < pace.stallMs) return;
    stop(state, gone());
    state.controller.error(new Error("the client stopped reading"));
    return;
  }
  if (state.open !== null && nowMs - state.askedMs > state.open.idleMs) state.open.life.abort(silent());
  if (nowMs - state.lastByteMs < pace.heartbeatMs) return;
  state.lastByteMs = nowMs;
  state.controller.enqueue(wire.heartbeat(state.started));
}
