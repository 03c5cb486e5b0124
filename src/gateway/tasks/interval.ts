// Doing something again and again, never twice at once; a failure is told and changes nothing.
import type { Events } from "../../telemetry/events.ts";

/** Gives what ends it. */
export function repeat(events: Events, everyMs: number, call: () => Promise<void>): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void call()
      .catch((thrown: unknown) => events.backgroundFailed("videos", thrown))
      .finally(() => {
        isBusy = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Resolves when everything has ended, or so much later. */
export async function settledWithin(work: Iterable<Promise<void>>, patienceMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}
