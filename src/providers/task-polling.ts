// Polls an upstream task within one request until there is a result.

import { GatewayError } from "../canonical/error.ts";
import type { UpstreamDialect } from "../dialects/dialect.ts";
import { pause } from "../lib/abortable.ts";
import type { Cancellation } from "../lib/cancellation.ts";
import type { Clock } from "../lib/clock.ts";
import { isObject, type JsonObject, parseJsonText } from "../lib/json.ts";
import type { HttpResponse } from "./transport/response.ts";
import { readBounded } from "./upstream.ts";

/** How tasks of one dialect are polled. */
export interface TaskPolling {
  readonly dialect: UpstreamDialect;
  /** The path, below the base URL, of the status of this reply's task; null for a final reply. Pure. */
  next(reply: JsonObject): string | null;
  /** Wait before each poll, in milliseconds; the last one repeats. */
  readonly waitsMs: readonly [number, ...number[]];
  /** After this time the task is abandoned. */
  readonly mostMs: number;
}

interface PollingDependencies {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Sends a GET request to a path. */
  ask(path: string, signal: Cancellation): Promise<HttpResponse>;
  /** Replaces the timer, for tests. */
  readonly wait?: (ms: number, signal: Cancellation) => Promise<void>;
}

/** Consecutive failures after which a task is still polled, because it has started and is billed. */
const mostFailures = 3;
const maxReplyBytes = 8 * 1024 * 1024;

/** A reply within limits, as text that can be read again. */
async function textOf(response: HttpResponse, signal: Cancellation): Promise<string> {
  const bytes = await readBounded(response, maxReplyBytes, signal);
  if (bytes !== null) return Buffer.from(bytes).toString("utf8");
  throw new GatewayError("upstream_protocol_error", "The task status from the provider exceeds the size limit.");
}

const again = ({ status, headers }: HttpResponse, text: string): HttpResponse =>
  new Response(text, { status, headers: [...headers] });

/** Null for a failure that is worth another poll: the network failed, or the server is busy. */
async function pollOnce(
  path: string,
  failures: number,
  { ask }: PollingDependencies,
  signal: Cancellation,
): Promise<HttpResponse | null> {
  const mayFail = failures + 1 < mostFailures;
  try {
    const response = await ask(path, signal);
    if (!mayFail || (response.status < 500 && response.status !== 429)) return response;
    await response.body?.cancel();
    return null;
  } catch (thrown) {
    if (signal.aborted || !mayFail) throw thrown;
    return null;
  }
}

/** The last reply of the task that `first` started; the same reply if it started none. Throws `upstream_timeout`. */
export async function pollUntilDone(
  first: HttpResponse,
  { next, waitsMs, mostMs }: TaskPolling,
  tools: PollingDependencies,
  signal: Cancellation,
): Promise<HttpResponse> {
  const dueMs = tools.clock.monotonicMs() + mostMs;
  const wait = tools.wait ?? pause;
  let response = first;
  let path: string | null = null;
  let failures = 0;
  for (let polls = 0; ; polls++) {
    if (response.ok) {
      const text = await textOf(response, signal);
      const reply = parseJsonText(text);
      path = isObject(reply) ? next(reply) : null;
      if (path === null) return again(response, text);
    } else if (path === null || failures === 0) return response;
    const ms = waitsMs[Math.min(polls, waitsMs.length - 1)] ?? waitsMs[0];
    if (tools.clock.monotonicMs() + ms > dueMs)
      throw new GatewayError("upstream_timeout", "The provider did not finish in time.");
    await wait(ms, signal);
    const answer = await pollOnce(path, failures, tools, signal);
    failures = answer === null ? failures + 1 : 0;
    response = answer ?? new Response(null, { status: 503 });
  }
}
