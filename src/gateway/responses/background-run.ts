// A background response: performed like a stream to a client, with its frames in a log, and independent of clients that
// leave.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Item, ResponseDocument, ResponseFrame } from "../../dialects/dialect.ts";
import { keepResponseAlive } from "../../store/responses.ts";
import type { AdmittedExchange } from "../pipeline/exchange-request.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { streamEncoderOf } from "../pipeline/gateway-request.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import type { StreamInterceptor } from "../streaming/client-stream.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { advanceTo, indexItems, nowSeconds, type ResponseJob, type ResponsesDependencies } from "./persist.ts";

export interface BackgroundRun {
  readonly job: ResponseJob;
  readonly log: EventLog;
  /** Monotonic time of its end; null while it runs. */
  endedMs(): number | null;
  /** Extends its claim in the store; ends if another instance has ended or deleted the response. */
  keepAlive(): Promise<void>;
  /** Ends it early, for this reason or because its owner canceled it; does nothing if it has ended. */
  cancel(reason?: GatewayError): Promise<void>;
  /** Ends it because the gateway stops: the response then fails. */
  stop(): Promise<void>;
  /** Resolves when its row of the ledger is open; rejects if it ended before. */
  readonly opened: Promise<void>;
  /** Resolves when it has ended and is stored. Never rejects. */
  readonly done: Promise<void>;
}

/** How long a run counts as alive without a heartbeat. */
export const heartbeatTtlMs = 60_000;

interface State {
  readonly dependencies: ResponsesDependencies;
  readonly job: ResponseJob;
  readonly request: GatewayRequest;
  readonly log: EventLog;
  readonly controller: AbortController;
  /** The response as of its last event. */
  response: ResponseDocument;
  readonly items: Item[];
  /** Whether its row is open. */
  readonly opened: PromiseWithResolvers<void>;
  isOver: boolean;
  endedMs: number | null;
}

/** Writes the state of the run. Does nothing if another instance has already ended the response. */
async function advance({ dependencies, job }: State, response: ResponseDocument, isOver: boolean): Promise<void> {
  const { gateway, retentionMs } = dependencies;
  const aliveUntilMs = isOver ? null : gateway.clock.nowMs() + heartbeatTtlMs;
  const row = { id: job.identity.id, expiresAtMs: job.createdAtMs + retentionMs };
  try {
    if ((await advanceTo(dependencies, row, response, aliveUntilMs)) && isOver)
      await indexItems(dependencies, job, response);
  } catch (thrown) {
    gateway.events.backgroundTaskFailed("responses", thrown);
  }
}

/** The id of an event is its sequence number, so that a client can resume the stream after it. */
function append({ log }: Pick<State, "log">, frame: ResponseFrame): void {
  log.append({ ...frame, id: String(log.next()) });
}

/** The final state is stored before a client gets it. */
async function end(state: State, frame: ResponseFrame, response: ResponseDocument): Promise<void> {
  const { dependencies } = state;
  state.isOver = true;
  state.response = dependencies.codec.documents.ended(response, nowSeconds(dependencies));
  await advance(state, state.response, true);
  append(state, frame.withResponse?.(state.response) ?? frame);
}

function log(state: State, frame: ResponseFrame): void {
  if (frame.item !== undefined) state.items.push(frame.item);
  state.response = frame.response ?? state.response;
  append(state, frame);
}

/** Logs the frames instead of sending them. */
function loggingInterceptor(state: State): StreamInterceptor {
  return {
    pass(frames) {
      if (!state.isOver) for (const frame of frames) log(state, frame);
    },
    async last(frames, error) {
      for (const frame of frames) {
        if (state.isOver) break;
        const isFinal = frame.withResponse !== undefined || (error !== null && frame === frames.at(-1));
        if (isFinal && frame.response !== undefined) await end(state, frame, frame.response);
        else log(state, frame);
      }
      return [];
    },
  };
}

/** The failed response, after the events in the log. */
function failedFrame(state: State, error: GatewayError): ResponseFrame {
  const { dependencies, request, response, items } = state;
  const broken = { response, number: state.log.next(), items };
  return dependencies.codec.frames.failed(error, request.write, broken);
}

async function fail(state: State, error: GatewayError): Promise<void> {
  const frame = failedFrame(state, error);
  if (!state.isOver) await end(state, frame, frame.response ?? state.response);
}

/** Reads the stream to its end; the content is already in the log. */
async function drain({ controller }: State, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const { signal } = controller;
  // An aborted stream stays silent, so a pending read is ended here.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  while (!(await reader.read()).done);
}

const cutOff = (): GatewayError =>
  new GatewayError("upstream_truncated", "The background task ended before the response was complete.");

/** The context of the request, and the admitted exchange. */
type RunContext = Omit<RequestContext, "signal" | "encoder" | "opened"> & { readonly admitted: AdmittedExchange };

async function run(state: State, { admitted, ...context }: RunContext): Promise<void> {
  const { dependencies, job, request, controller } = state;
  try {
    await advance(state, dependencies.codec.documents.started(state.response), false);
    const encoder = {
      ...streamEncoderOf(request.dialect, job.identity.id),
      error: (error: GatewayError) => [failedFrame(state, error)],
      tap: loggingInterceptor(state),
    };
    const signal = (): AbortSignal => controller.signal;
    const opened = state.opened.resolve;
    const whole = { ...context, signal, encoder, opened };
    const { body } = await dependencies.gateway.answerAdmitted(admitted, request, whole);
    if (body instanceof ReadableStream) await drain(state, body);
    if (!state.isOver) await fail(state, cutOff());
  } catch (thrown) {
    // Without effect once the row is open.
    state.opened.reject(thrown);
    if (!state.isOver) await fail(state, toGatewayError(thrown));
  }
}

const canceled = (): GatewayError => new GatewayError("client_closed", "The response was canceled.");

async function cancel(state: State, reason = canceled()): Promise<void> {
  if (state.isOver) return;
  state.isOver = true;
  state.controller.abort(reason);
  await advance(state, state.dependencies.codec.documents.cancelled(state.response, state.items), true);
}

async function keepAlive(state: State): Promise<void> {
  const { store, gateway } = state.dependencies;
  const untilMs = gateway.clock.nowMs() + heartbeatTtlMs;
  if (!(await keepResponseAlive(store, state.job.identity.id, untilMs))) await cancel(state);
}

async function stop(state: State): Promise<void> {
  if (state.isOver) return;
  await fail(state, cutOff());
  state.controller.abort(cutOff());
}

/** Runs a response whose row is in the store. `response` is what its client received. */
export function startBackgroundRun(
  dependencies: ResponsesDependencies,
  work: { readonly job: ResponseJob; readonly request: GatewayRequest; readonly response: ResponseDocument },
  context: RunContext,
): BackgroundRun {
  const { gateway, codec } = dependencies;
  const state: State = {
    ...work,
    dependencies,
    log: createEventLog(gateway.limits.maxEventLogChars),
    controller: new AbortController(),
    items: [],
    opened: Promise.withResolvers(),
    isOver: false,
    endedMs: null,
  };
  // Its caller may not wait for it.
  state.opened.promise.catch(() => undefined);
  append(state, codec.frames.opening(work.response));
  const begin = (): Promise<void> => run(state, context);
  const done = (gateway.traces === null ? begin() : gateway.traces.background(begin))
    .catch((thrown: unknown) => gateway.events.backgroundTaskFailed("responses", thrown))
    .finally(() => {
      state.opened.reject(cutOff());
      state.endedMs = gateway.clock.monotonicMs();
      state.log.end();
    });
  return {
    job: work.job,
    log: state.log,
    opened: state.opened.promise,
    done,
    endedMs: () => state.endedMs,
    keepAlive: () => keepAlive(state),
    cancel: (reason) => cancel(state, reason),
    stop: () => stop(state),
  };
}
