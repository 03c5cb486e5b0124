// A run in the background: the corridor is asked as if a client streamed, and nobody's leaving ends it.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import {
  completedItem,
  identified,
  isOpening,
  openingEvent,
  responseEventOf,
  timedResponse,
} from "../../dialects/stored-responses.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { type Frame, frameSplitter, readFrame } from "../../lib/sse.ts";
import { advanceResponse, keepResponseAlive } from "../../store/responses.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { streamEncoderOf } from "../pipeline/incoming-request.ts";
import { type RequestContext, runRequest } from "../pipeline/run.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { identityOfJob, noteItems } from "./persist.ts";

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
const maxFrameBytes = 64 * 1024 * 1024;

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

/** The response as the run's owner knows it, whatever the event left out. */
function known({ parts, job, response, items }: State, told: JsonObject): JsonObject {
  const endedAt = Math.floor(parts.gateway.clock.nowMs() / 1000);
  const own = { ...timedResponse(identified({ ...response, ...told }, identityOfJob(job)), endedAt), background: true };
  if (told.status !== "failed") return own;
  return { ...own, created_at: response.created_at, model: response.model, output: [...items] };
}

const numbered = (event: JsonObject, log: EventLog): Frame => ({
  event: String(event.type),
  data: JSON.stringify({ ...event, sequence_number: log.next() }),
});

/** The final state is stored before anybody hears of it. */
async function take(state: State, event: JsonObject): Promise<void> {
  const item = completedItem(event);
  if (item !== null) state.items.push(item);
  const telling = responseEventOf(event);
  if (telling === null) {
    state.log.append(numbered(event, state.log));
    return;
  }
  const response = known(state, telling.response);
  state.response = response;
  // Whoever follows has heard of the response before the upstream did.
  if (isOpening(event)) return;
  if (telling.isFinal) {
    state.isOver = true;
    await advance(state, response, true);
  }
  state.log.append(numbered({ ...event, response }, state.log));
}

async function takeAll(state: State, raws: readonly string[]): Promise<void> {
  for (const raw of raws) {
    const event = parseExactText(readFrame(raw)?.data ?? "");
    if (isObject(event) && !state.isOver) await take(state, event);
  }
}

async function drain(state: State, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const { signal } = state.controller;
  const splitter = frameSplitter(maxFrameBytes);
  // An aborted pipe falls silent, so that a pending read has to be ended from here.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    await takeAll(state, (done ? splitter.rest() : splitter.push(value))?.raws ?? []);
    if (done) return;
  }
}

async function fail(state: State, error: GatewayError): Promise<void> {
  for (const frame of state.inquiry.dialect.error.frames(error, state.job.id)) {
    const event = parseExactText(frame.data);
    if (isObject(event) && !state.isOver) await take(state, event);
  }
}

const cutOff = (): GatewayError =>
  new GatewayError("upstream_truncated", "The run ended before the response was complete.");

async function work(state: State, visit: Omit<RequestContext, "signal" | "encoder">): Promise<void> {
  const { parts, job, inquiry, controller } = state;
  try {
    await advance(state, { ...state.response, status: "in_progress" }, false);
    const wire = streamEncoderOf(inquiry.dialect, job.id);
    const { body } = await runRequest(parts.gateway, inquiry, {
      ...visit,
      signal: () => controller.signal,
      encoder: wire,
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
  state.controller.abort(new GatewayError("client_closed", "The response was cancelled."));
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
  visit: Omit<RequestContext, "signal" | "encoder">,
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
  log.append(numbered(openingEvent(response), log));
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
