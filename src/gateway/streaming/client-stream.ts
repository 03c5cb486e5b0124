// Connects one upstream stream to one client: pulled by the client, with heartbeats when idle, settled before its last
// bytes.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Usage } from "../../canonical/usage.ts";
import { encodeFrames } from "../../lib/sse.ts";
import { type AttemptResult, clientClosed as gone, withdrawnBy } from "../attempts/attempt-loop.ts";
import { clientErrorOf } from "../attempts/client-error.ts";
import type { OpenStream } from "../attempts/model-attempts.ts";
import type { Exchange, ExchangeOutcome, ServedBy } from "../pipeline/exchange.ts";
import { type ClientPace, type ClientPaceRules, createClientPace } from "./client-pace.ts";
import type { Drains } from "./drains.ts";
import { OutputCover } from "./output-cover.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { beyondBounds, type StreamBounds, tooLarge } from "./stream-bounds.ts";
import type { StreamEncoder } from "./stream-encoder.ts";
import { type Chunk, lastOf, nothing } from "./transcoder.ts";
import type { Sink } from "./upstream-stream.ts";

export type { StreamEncoder, StreamInterceptor } from "./stream-encoder.ts";

/**
 * Idle time before a heartbeat, and how long a client may stop reading. Both are counted in ticks of one shared
 * interval: reading a clock for every event costs more than the event.
 */
export interface StreamTimers extends ClientPaceRules {
  readonly heartbeatMs: number;
  /** How long an upstream may send only keep-alives. */
  readonly keepAliveMs: number;
  readonly bounds: StreamBounds;
}

interface ClientStreamOptions {
  readonly stream: Promise<AttemptResult<OpenStream>>;
  readonly exchange: Exchange;
  readonly encoder: StreamEncoder;
  /** The client's signal: aborted when it disconnects. */
  readonly signal: AbortSignal;
  /** Closes the client's connection, even if it reads nothing. */
  readonly drop: () => void;
  /** An approximation of the usage so far. */
  readonly usage: () => Usage;
  /** The outcome to settle: `opened` once the upstream's stream has started. */
  outcome(end: ClientStreamEnd): Promise<ExchangeOutcome>;
  /** Lets a few streams without a reader end by themselves. */
  readonly drains: Drains;
  readonly pace: StreamTimers;
  /** True if a heartbeat is already due. */
  readonly overdue: boolean;
}

export interface ClientStreamEnd extends Pick<ExchangeOutcome, "servedBy" | "error"> {
  readonly opened: boolean;
  /** The maximum output that was forwarded, if the gateway ended the stream. */
  readonly maxOutputTokens?: number | undefined;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface State {
  readonly options: ClientStreamOptions;
  readonly controller: Controller;
  readonly onAbort: () => void;
  readonly consume: Sink;
  readonly look: () => void;
  readonly client: ClientPace;
  open: OpenStream | null;
  servedBy: ServedBy | null;
  started: boolean;
  over: boolean;
  /** True while the client is ready for more and the upstream is being read. */
  asked: boolean;
  /** Ends the drain of a stream whose client has disconnected; null if there is none. */
  drained: (() => void) | null;
  drainsBelow: number;
  /** Bytes for the client, and ticks since the first. */
  bytes: number;
  readonly cover: OutputCover;
  startedTicks: number;
  /** Ticks since the last bytes for the client, and since progress was last recorded. */
  silentTicks: number;
  progressTicks: number;
  readonly silence: SilenceWatch;
}

const progressMs = 5_000;
const silent = (): GatewayError =>
  new GatewayError("upstream_timeout", "The provider stopped sending before the response was complete.");

/** A body for the client. Nothing is read from the upstream before the client is ready, which is the backpressure. */
export function clientStream(options: ClientStreamOptions): ReadableStream<Uint8Array> {
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

function begin(options: ClientStreamOptions, controller: Controller): State {
  const { pace, signal, overdue } = options;
  const state: State = {
    options,
    controller,
    onAbort: () => stop(state, withdrawnBy(signal)),
    // It may be called without a promise that passes a failure on.
    consume: (chunk) => deliver(state, chunk)?.catch((thrown) => controller.error(thrown)),
    look: () => tick(state),
    client: createClientPace(pace, () => cut(state)),
    open: null,
    servedBy: null,
    started: false,
    over: false,
    asked: false,
    drained: null,
    drainsBelow: 0,
    bytes: 0,
    cover: new OutputCover(options.exchange, options.usage),
    startedTicks: 0,
    silentTicks: overdue ? Math.ceil(pace.heartbeatMs / pace.ticker.tickMs) : 0,
    progressTicks: 0,
    silence: new SilenceWatch(),
  };
  pace.ticker.subscribe(state.look);
  if (signal.aborted) state.onAbort();
  else signal.addEventListener("abort", state.onAbort, { once: true });
  options.exchange.onStop((reason) => void endWith(state, reason).catch((thrown) => controller.error(thrown)));
  return state;
}

/** Opening the stream returns its first chunk. */
async function firstPiece(state: State): Promise<Chunk> {
  try {
    const tried = await state.options.stream;
    state.servedBy = tried.servedBy;
    if ("failure" in tried) return { bytes: nothing, end: { error: tried.failure } };
    state.open = tried.value;
    return tried.value.first;
  } catch (thrown) {
    return { bytes: nothing, end: { error: toGatewayError(thrown) } };
  }
}

/** One pull: the client is ready for more. */
function turn(state: State): Promise<void> | undefined {
  // The client took a heartbeat; the next chunk is on its way already.
  if (state.asked) return undefined;
  state.asked = true;
  state.client.wants();
  if (state.open !== null) return state.open.flow.next(state.consume);
  return firstPiece(state).then((chunk) => deliver(state, chunk));
}

function deliver(state: State, chunk: Chunk): Promise<void> | undefined {
  if (state.drained !== null) return drainOn(state, chunk);
  if (state.over) return undefined;
  if (chunk.end !== undefined) return finish(state, chunk, clientErrorOf(chunk.end.error, state.servedBy));
  const covered = state.cover.missing(state.bytes + chunk.bytes.length);
  if (covered !== null) return stopAt(state, chunk, covered);
  state.asked = false;
  if (chunk.frames !== undefined) state.options.encoder.tap?.pass(chunk.frames);
  give(state, chunk.bytes);
  return undefined;
}

/** The budget is used up: the reply ends like one that has reached its output limit. */
async function stopAt(state: State, piece: Chunk, maxOutputTokens: number): Promise<void> {
  const spent = new GatewayError("insufficient_quota", "The budget of this key is spent.");
  const { error, needsLastPiece, ...end } = state.open?.flow.stop() ?? { error: spent, needsLastPiece: false };
  state.open?.life.abort(spent);
  state.open?.flow.close();
  const last = needsLastPiece || !state.started ? piece : { bytes: nothing };
  await finish(state, { ...last, end: { error, ...end } }, error, maxOutputTokens);
}

function give(state: State, bytes: Uint8Array): void {
  state.silentTicks = 0;
  state.bytes += bytes.length;
  if (state.bytes > state.options.pace.bounds.streamBytes) state.open?.life.abort(tooLarge());
  if (!state.started) {
    state.started = true;
    state.options.exchange.firstByte();
  }
  state.controller.enqueue(bytes);
}

function letGo(state: State): void {
  state.over = true;
  state.options.pace.ticker.unsubscribe(state.look);
  state.client.leave();
  state.options.signal.removeEventListener("abort", state.onAbort);
  state.open?.life.release();
}

/** The settlement is on disk before the last bytes are sent. An error, also one of the disk, replaces a regular end. */
async function finish(state: State, chunk: Chunk, ended: GatewayError | null, most?: number): Promise<void> {
  letGo(state);
  const { exchange, encoder } = state.options;
  // For a stream of a single chunk, this is also the first byte.
  if (ended === null) exchange.firstByte();
  else exchange.headSent();
  const end = { servedBy: state.servedBy, error: ended, opened: state.open !== null, maxOutputTokens: most };
  const outcome = await state.options.outcome(end);
  const unsettled = await exchange.settle(outcome).then(() => null, toGatewayError);
  const error = ended ?? unsettled;
  const { bytes, frames = [] } = unsettled === null ? lastOf(chunk, outcome.usage) : { bytes: nothing };
  const failure = error === null ? [] : (state.open?.flow.writeError(error) ?? encoder.error(error));
  const last =
    encoder.tap === undefined
      ? Buffer.concat([bytes, encodeFrames(failure)])
      : encodeFrames(await encoder.tap.last([...frames, ...failure], error));
  if (last.length > 0) give(state, last);
  // A format without errors ends here: the connection breaks, so that the stream does not look complete.
  if (error !== null && failure.length === 0) state.controller.error(new Error("the response was truncated"));
  else state.controller.close();
}

/** The gateway ends the stream, whether or not the client is ready. */
async function endWith(state: State, reason: GatewayError): Promise<void> {
  if (!state.over && state.open === null) await firstPiece(state);
  if (state.over) return;
  state.open?.life.abort(reason);
  state.open?.flow.close();
  await finish(state, { bytes: nothing, end: { error: reason } }, reason);
}

/** The client has disconnected, or must be closed. A stream that is still being opened is released when it is ready. */
function stop(state: State, error: GatewayError): void {
  if (state.over) return;
  const { exchange, stream, outcome } = state.options;
  letGo(state);
  void stream.then(async (tried) => {
    if (!("failure" in tried)) await letUpstreamGo(state, tried.value, error);
    await exchange.settle(await outcome({ servedBy: tried.servedBy, error, opened: state.open !== null }));
  });
}

/** Aborts the upstream; if it is about to finish, it may end by itself first and report its usage. */
async function letUpstreamGo(state: State, { life, flow }: OpenStream, error: GatewayError): Promise<void> {
  const { drains, usage } = state.options;
  const atStart = usage().outputTokens;
  if (state.open !== null && flow.finishing())
    await drains.drain((done) => {
      state.drained = () => done();
      state.drainsBelow = atStart + drains.maxTokens;
      if (!state.asked) void flow.next(state.consume);
    });
  state.drained = null;
  life.abort(error);
  flow.close();
}

/** A chunk without a client: only the meter reads it. */
function drainOn(state: State, { end }: Chunk): Promise<void> | undefined {
  if (end !== undefined || state.open === null || state.options.usage().outputTokens > state.drainsBelow) {
    state.drained?.();
    return undefined;
  }
  return state.open.flow.next(state.consume);
}

/** Sends heartbeats, ends an idle upstream, and closes a client that does not read, so that it holds no memory. */
function tick(state: State): void {
  const { pace, exchange, usage, encoder } = state.options;
  if (state.started) bound(state);
  if (++state.progressTicks * pace.ticker.tickMs >= progressMs && state.started) {
    state.progressTicks = 0;
    exchange.progress(usage(), state.servedBy);
  }
  state.client.look(state.asked, state.bytes);
  if (!state.asked || state.over) return;
  if (state.open !== null && state.silence.isOver(state.open, pace)) state.open.life.abort(silent());
  if (++state.silentTicks * pace.ticker.tickMs < pace.heartbeatMs) return;
  state.silentTicks = 0;
  const sign = encoder.heartbeat(state.started);
  if (sign.length === 0) return;
  exchange.headSent();
  state.controller.enqueue(sign);
}

/** Ends a stream at its limits, whatever its provider does. */
function bound(state: State): void {
  const { pace, usage } = state.options;
  const ms = ++state.startedTicks * pace.ticker.tickMs;
  const fault = beyondBounds({ ms, bytes: state.bytes, outputTokens: usage().outputTokens }, pace.bounds);
  if (fault !== null) state.open?.life.abort(fault);
}

/** The client is too slow. An error in the stream would leave its connection open while it reads nothing. */
function cut(state: State): void {
  if (state.over) return;
  stop(state, gone());
  state.controller.error(new Error("the client stopped reading"));
  state.options.drop();
}
