// The schedule of work on tasks: growing waits with jitter, so that tasks are not polled all at once, and repeated
// rounds.
import type { VideoUpstream } from "../../dialects/video/upstream.ts";
import type { Events } from "../../telemetry/events.ts";
import type { TaskDependencies } from "./dependencies.ts";
import type { Task } from "./task.ts";

const growth = 1.3;
const firstMs = 5_000;
const mostMs = 10_000;
/** The longest wait after a failure. */
const mostTroubleMs = 60_000;
/** Waits are spread by a fifth to either side. */
const spread = 0.2;

type Pace = Pick<TaskDependencies, "random" | "waitScale">;

/** A wait with jitter and scale; whole milliseconds. */
export function jitter(waitMs: number, { random, waitScale }: Pace): number {
  return Math.max(1, Math.round(waitMs * waitScale * (1 - spread + 2 * spread * random())));
}

/** The wait before the first poll. */
export function initialDelayMs(upstream: VideoUpstream): number {
  return upstream.pace?.firstMs ?? firstMs;
}

/** The wait after a successful poll. */
export function nextDelayMs({ internals }: Task, upstream: VideoUpstream): number {
  const most = upstream.pace?.mostMs ?? mostMs;
  return Math.min(most, Math.max(1, internals.waitMs) * growth);
}

/** The wait after a failed poll; `requestedMs` is the upstream's `Retry-After`. */
export function errorBackoffMs({ internals }: Task, requestedMs: number | undefined): number {
  const grown = Math.min(mostTroubleMs, firstMs * 2 ** Math.min(internals.troubles, 5));
  return Math.max(grown, requestedMs ?? 0);
}

/** How waits between the tries of a job grow. */
interface TaskJobWaits {
  readonly firstMs: number;
  readonly growth: number;
  readonly mostMs: number;
}

/** The wait after so many tries, with jitter and scale; whole milliseconds. */
export function jobWaitMs({ firstMs, growth, mostMs }: TaskJobWaits, tries: number, pace: Pace): number {
  return jitter(Math.min(mostMs, firstMs * growth ** (tries - 1)), pace);
}

const shortestIntervalMs = 10;

/** Calls repeatedly, never concurrently, and reports failures; returns a function that stops it. */
export function repeat(events: Events, everyMs: number, call: () => Promise<void>): () => void {
  let isBusy = false;
  const timer = setInterval(
    () => {
      if (isBusy) return;
      isBusy = true;
      void call()
        .catch((thrown: unknown) => events.backgroundTaskFailed("videos", thrown))
        .finally(() => {
          isBusy = false;
        });
    },
    Math.max(shortestIntervalMs, everyMs),
  );
  timer.unref();
  return () => clearInterval(timer);
}

/** Resolves when everything has ended, or after the timeout. */
export async function settledWithin(work: Iterable<Promise<void>>, patienceMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}
