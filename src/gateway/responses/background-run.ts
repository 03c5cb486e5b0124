// A background response: performed as if a client streamed it, and no client's leaving ends it.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { ResponseFrame } from "../../dialects/stored-response-contract.ts";
import { failedFrame, openingFrame, timedResponse } from "../../dialects/stored-responses.ts";
import type { JsonObject } from "../../lib/json.ts";
import { advanceResponse, keepResponseAlive } from "../../store/responses.ts";
import type { AdmittedExchange } from "../pipeline/exchange-request.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import type { StreamInterceptor } from "../streaming/client-stream.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { noteItems } from "./persist.ts";

export interface BackgroundRun {
  readonly job: ResponseJob;
  readonly log: EventLog;
  /** Monotonic time when it ended; null while it works. */
  endedMs(): number | null;
  /** Says in the store that it still works; ends where another instance has ended or deleted it. */
  keepAlive(): Promise<void>;
  /** Ends it before its time; nothing when it was over already. */
  cancel(): Promise<void>;
  /** Ends it because the gateway stops: the response has failed. */
  stop(): Promise<void>;
  /** Resolves when it is over and stored. Never rejects. */
  readonly done: Promise<void>;
}

/** How long a run counts as alive without a sign of life. */
export const heartbeatTtlMs = 60_000;
/** Text of the events that are kept for those who come back. */
const maxLogChars = 8 * 1024 * 1024;

interface State {
  readonly parts: ResponsesDependencies;
  readonly job: ResponseJob;
  readonly inquiry: GatewayRequest;
  readonly log: EventLog;
  readonly controller: AbortController;
  /** The response as it was told last. */
  response: JsonObject;
  readonly items: JsonObject[];
  isOver: boolean;
  endedMs: number | null;
}

/** Writes where the run stands. False when the response is over for others already, or was deleted. */
async function advance({ parts, job }: State, response: JsonObject, isOver: boolean): Promise<boolean> {
  const aliveUntilMs = isOver ? null : parts.gateway.clock.nowMs() + heartbeatTtlMs;
  const row = { id: job.id, state: String(response.status), body: JSON.stringify(response), aliveUntilMs };
  try {
    const isThere = await advanceResponse(parts.store, row);
    if (isThere && isOver) await noteItems(parts, job, response);
    return isThere;
  } catch (thrown) {
    parts.gateway.events.backgroundFailed("responses", thrown);
    return false;
  }
}

const nowSeconds = ({ parts }: State): number => Math.floor(parts.gateway.clock.nowMs() / 1000);

/** The final state is stored before anybody gets it. */
async function end(state: State, frame: ResponseFrame, response: JsonObject): Promise<void> {
  state.isOver = true;
  state.response = timedResponse(response, nowSeconds(state));
  await advance(state, state.response, true);
  state.log.append(frame.withResponse?.(state.response) ?? frame);
}

function take(state: State, frame: ResponseFrame): void {
  if (frame.item !== undefined) state.items.push(frame.item);
  state.response = frame.response ?? state.response;
  state.log.append(frame);
}

/** What the run logs in place of sending it. */
function interceptorOf(state: State): StreamInterceptor {
  return {
    pass(frames) {
      if (!state.isOver) for (const frame of frames) take(state, frame);
    },
    async last(frames, error) {
      for (const frame of frames) {
        if (state.isOver) break;
        const isFinal = frame.withResponse !== undefined || (error !== null && frame === frames.at(-1));
        if (isFinal && frame.response !== undefined) await end(state, frame, frame.response);
        else take(state, frame);
      }
      return [];
    },
  };
}

/** Reads to the end: what it reads is in the log already. */
async function drain(state: State, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const { signal } = state.controller;
  // An aborted pipe falls silent, so that a pending read has to be ended from here.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  while (!(await reader.read()).done);
}

/** The failed response behind what the log holds. */
function failed(state: State, error: GatewayError): ResponseFrame {
  const { inquiry, response, log, items } = state;
  return failedFrame(error, inquiry.write, { head: response, number: log.next(), output: items });
}

async function fail(state: State, error: GatewayError): Promise<void> {
  const frame = failed(state, error);
  if (!state.isOver) await end(state, frame, frame.response ?? state.response);
}

const cutOff = (): GatewayError =>
  new GatewayError("upstream_truncated", "The background task ended before the response was complete.");

/** The context of the request, and the exchange as it was admitted with it. */
type RunContext = Omit<RequestContext, "signal" | "encoder"> & { readonly admitted: AdmittedExchange };

async function work(state: State, { admitted, ...visit }: RunContext): Promise<void> {
  const { parts, job, inquiry, controller } = state;
  try {
    await advance(state, { ...state.response, status: "in_progress" }, false);
    const { body } = await parts.gateway.answerAdmitted(admitted, inquiry, {
      ...visit,
      signal: () => controller.signal,
      encoder: {
        ...streamEncoderOf(inquiry.dialect, job.id),
        error: (error) => [failed(state, error)],
        tap: interceptorOf(state),
      },
    });
    if (body instanceof ReadableStream) await drain(state, body);
    if (!state.isOver) await fail(state, cutOff());
  } catch (thrown) {
    if (!state.isOver) await fail(state, toGatewayError(thrown));
  }
}

async function cancel(state: State): Promise<void> {
  if (state.isOver) return;
  state.isOver = true;
  state.controller.abort(new GatewayError("client_closed", "The response was canceled."));
  await advance(state, { ...state.response, status: "cancelled", output: [...state.items] }, true);
}

async function keepAlive(state: State): Promise<void> {
  const { parts, job } = state;
  const isWanted = await keepResponseAlive(parts.store, job.id, parts.gateway.clock.nowMs() + heartbeatTtlMs);
  if (!isWanted) await cancel(state);
}

async function stop(state: State): Promise<void> {
  if (state.isOver) return;
  await fail(state, cutOff());
  state.controller.abort(cutOff());
}

/** Starts to work on a response whose row stands in the store. `response` is what its owner was told. */
export function startBackgroundRun(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  gatewayRequest: GatewayRequest,
  response: JsonObject,
  visit: RunContext,
): BackgroundRun {
  const log = createEventLog(maxLogChars);
  const controller = new AbortController();
  const state: State = {
    parts: dependencies,
    job,
    inquiry: gatewayRequest,
    log,
    controller,
    response,
    items: [],
    isOver: false,
    endedMs: null,
  };
  log.append(openingFrame(response));
  const done = work(state, visit)
    .catch((thrown: unknown) => dependencies.gateway.events.backgroundFailed("responses", thrown))
    .finally(() => {
      state.endedMs = dependencies.gateway.clock.monotonicMs();
      log.end();
    });
  return {
    job,
    log,
    done,
    endedMs: () => state.endedMs,
    keepAlive: () => keepAlive(state),
    cancel: () => cancel(state),
    stop: () => stop(state),
  };
}
