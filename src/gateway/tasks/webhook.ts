// The job that delivers a signed webhook for a finished task, in the format of the client that created it.
import { isFinal } from "../../canonical/video.ts";
import { videoClients } from "../../dialects/video/index.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { webhookHeaders } from "../../lib/webhook.ts";
import { checkUrl, safePost } from "../../providers/safe-fetch/index.ts";
import { finishJob, type TaskJobRow } from "../../store/task-jobs.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { jobWaitMs } from "./schedule.ts";
import { requestIdsOf, type Task, taskOf } from "./task.ts";
import { viewFor } from "./task-view.ts";

const maxTries = 8;
/** 10 s, 50 s, 4 min, 21 min, 1.7 h, 8.7 h, 12 h: a day in total. */
const waits = { firstMs: 10_000, growth: 5, mostMs: 12 * 60 * 60_000 } as const;
const timeoutMs = 15_000;
const checkTimeoutMs = 5_000;
const accepted = (status: number): boolean => status >= 200 && status < 300;
const gone = 410;

/** Throws status 400 for a URL that the gateway may not call. */
export function checkCallbackUrl(
  url: string,
  param: string | undefined,
  signal: AbortSignal,
  { fetchAllow: allow, dnsFor }: Pick<GatewayDependencies, "fetchAllow" | "dnsFor">,
  owner: string,
): Promise<void> {
  return checkUrl(url, { givenBy: "client", param, signal, allow, dns: dnsFor(owner), timeoutMs: checkTimeoutMs });
}

/** The task as a poll returns it, with the name of the event and the task's id; null if none is due. */
function webhookBody(dependencies: TaskDependencies, task: Task): string | null {
  const client = videoClients.find(({ name }) => name === task.internals.client);
  if (client === undefined || !isFinal(task.state)) return null;
  const rendered = client.renderTask(viewFor(dependencies, task, task.internals.origin ?? ""), {
    requestId: webhookId(task),
    elapsedMs: 0,
  });
  return JSON.stringify({ ...rendered, type: `video.${task.state}`, task_id: task.id });
}

/** The same in each try, so that a receiver can recognize repetitions. */
const webhookId = ({ id }: Task): string => `msg_${id}`;

/** The outcome of one try. */
interface Delivery {
  readonly isOver: boolean;
  readonly retryAfterMs: number;
  /** Null if it was accepted. */
  readonly failure: unknown;
}

async function send(
  dependencies: TaskDependencies,
  task: Task,
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<Delivery> {
  const { clock, fetchAllow: allow, dnsFor } = dependencies.gateway;
  const nowMs = clock.nowMs();
  const signed = webhookHeaders(dependencies.webhookKey(task.ownerKeyId), webhookId(task), nowMs, body);
  const headers = { "content-type": "application/json", ...signed };
  const post = { body, headers };
  try {
    const { status, retryAfter } = await safePost(url, post, {
      givenBy: "client",
      signal,
      allow,
      dns: dnsFor(task.ownerKeyId),
      timeoutMs: timeoutMs,
    });
    if (accepted(status)) return { isOver: true, retryAfterMs: 0, failure: null };
    const requestedMs =
      retryAfter === null ? undefined : retryAfterMs(new Headers({ "retry-after": retryAfter }), nowMs);
    return {
      isOver: status === gone,
      retryAfterMs: requestedMs ?? 0,
      failure: new Error(`Webhook receiver returned status ${status}.`),
    };
  } catch (thrown) {
    return { isOver: false, retryAfterMs: 0, failure: thrown };
  }
}

/** One run: delivers once, and writes when to retry. Rejects only if the store fails. */
export async function deliverWebhook(
  dependencies: TaskDependencies,
  row: TaskJobRow,
  signal: AbortSignal,
): Promise<void> {
  const task = taskOf(row);
  const { callbackUrl: url } = task.internals;
  const body = webhookBody(dependencies, task);
  const finish = (atMs: number | null, tries: number): Promise<boolean> =>
    finishJob(dependencies.store, "webhook", task.id, dependencies.leaseOwner, { atMs, tries });
  if (url === undefined || body === null) return void (await finish(null, row.tries));
  const { isOver, retryAfterMs: retryMs, failure } = await send(dependencies, task, url, body, signal);
  const tries = row.tries + 1;
  const { clock, events } = dependencies.gateway;
  // The shutdown ended this try; the receiver did not fail.
  if (failure !== null && signal.aborted) return void (await finish(clock.nowMs(), row.tries));
  if (failure !== null) events.jobFailed({ job: "webhook", task: task.id, tries }, failure, requestIdsOf(task));
  const waitMs = Math.max(jobWaitMs(waits, tries, dependencies), Math.min(retryMs, waits.mostMs));
  await finish(isOver || tries >= maxTries ? null : clock.nowMs() + waitMs, tries);
}
