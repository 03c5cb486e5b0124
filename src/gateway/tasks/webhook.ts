// Telling the owner of a task that it is over: a signed webhook in the words of the client's own format.
import { isFinal } from "../../canonical/video.ts";
import { videoClients } from "../../dialects/video/index.ts";
import { webhookHeaders } from "../../lib/webhook.ts";
import { checkUrl, safePost } from "../../providers/safe-fetch/post.ts";
import { finishJob, type TaskJobRow } from "../../store/task-jobs.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import { retryAfterMs } from "../streaming/buffered-response.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { jobWaitMs } from "./schedule.ts";
import { type Task, taskOf } from "./task.ts";
import { viewFor } from "./task-view.ts";

const mostTries = 8;
/** 10 s, 50 s, 4 min, 21 min, 1.7 h, 8.7 h, 12 h: a day in all. */
const waits = { firstMs: 10_000, growth: 5, mostMs: 12 * 60 * 60_000 } as const;
const patienceMs = 15_000;
const judgePatienceMs = 5_000;
const accepted = (status: number): boolean => status >= 200 && status < 300;
const gone = 410;

/** Throws the 400 of an address to which nothing can be sent. */
export function checkCallbackUrl(
  url: string,
  param: string | undefined,
  signal: AbortSignal,
  { fetchAllow: allow, dnsFor }: Pick<GatewayDependencies, "fetchAllow" | "dnsFor">,
  owner: string,
): Promise<void> {
  return checkUrl(url, { givenBy: "client", param, signal, allow, dns: dnsFor(owner), timeoutMs: judgePatienceMs });
}

/** The answer to a question for the task, with the name of the event and the task's id; null where nobody is to be told. */
function noticeOf(dependencies: TaskDependencies, task: Task): string | null {
  const client = videoClients.find(({ name }) => name === task.internals.client);
  if (client === undefined || !isFinal(task.state)) return null;
  const told = client.told(viewFor(dependencies, task, task.internals.origin ?? ""), {
    requestId: noticeId(task),
    elapsedMs: 0,
  });
  return JSON.stringify({ ...told, type: `video.${task.state}`, task_id: task.id });
}

/** The same in each try: a receiver knows by it what it has seen. */
const noticeId = ({ id }: Task): string => `msg_${id}`;

/** What one try has come to. */
interface Said {
  readonly isOver: boolean;
  readonly askedMs: number;
  /** Null where it was taken. */
  readonly failure: unknown;
}

async function send(
  dependencies: TaskDependencies,
  task: Task,
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<Said> {
  const { clock, fetchAllow: allow, dnsFor } = dependencies.gateway;
  const nowMs = clock.nowMs();
  const signed = webhookHeaders(dependencies.webhookKey(task.ownerKeyId), noticeId(task), nowMs, body);
  const headers = { "content-type": "application/json", ...signed };
  const post = { body, headers };
  try {
    const { status, retryAfter } = await safePost(url, post, {
      givenBy: "client",
      signal,
      allow,
      dns: dnsFor(task.ownerKeyId),
      timeoutMs: patienceMs,
    });
    if (accepted(status)) return { isOver: true, askedMs: 0, failure: null };
    const asked = retryAfter === null ? undefined : retryAfterMs(new Headers({ "retry-after": retryAfter }), nowMs);
    return {
      isOver: status === gone,
      askedMs: asked ?? 0,
      failure: new Error(`Webhook receiver returned status ${status}.`),
    };
  } catch (thrown) {
    return { isOver: false, askedMs: 0, failure: thrown };
  }
}

/** One turn: tells once, and notes whether it has to be told again. Rejects only where the store does not answer. */
export async function deliverWebhook(
  dependencies: TaskDependencies,
  row: TaskJobRow,
  signal: AbortSignal,
): Promise<void> {
  const task = taskOf(row);
  const { callbackUrl: url } = task.internals;
  const body = noticeOf(dependencies, task);
  const leave = (atMs: number | null, tries: number): Promise<boolean> =>
    finishJob(dependencies.store, "tell", task.id, dependencies.leaseOwner, { atMs, tries });
  if (url === undefined || body === null) return void (await leave(null, row.tries));
  const { isOver, askedMs, failure } = await send(dependencies, task, url, body, signal);
  const tries = row.tries + 1;
  const { clock, events } = dependencies.gateway;
  // Stopping ended the try, not the receiver.
  if (failure !== null && signal.aborted) return void (await leave(clock.nowMs(), row.tries));
  if (failure !== null) events.errandFailed("tell", task.id, tries, failure);
  const waitMs = Math.max(jobWaitMs(waits, tries, dependencies), Math.min(askedMs, waits.mostMs));
  await leave(isOver || tries >= mostTries ? null : clock.nowMs() + waitMs, tries);
}
