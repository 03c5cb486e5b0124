// How a writer waits for another process that holds SQLite's write lock.
import { failureOf } from "./failure.ts";

/** SQLite's own waiting blocks the event loop, so it gets little and the rest is spent in naps. */
export const busyBlockMs = 20;
const busyWaitMs = 2_000;
const busyNapMs = 25;

/** Runs it again while the database is locked; after two seconds the engine's error stands. */
export async function whileBusy<Result>(run: () => Promise<Result>, waitMs = busyWaitMs): Promise<Result> {
  const giveUpMs = performance.now() + waitMs;
  for (;;) {
    try {
      return await run();
    } catch (thrown) {
      if (failureOf(thrown).kind !== "busy" || performance.now() > giveUpMs) throw thrown;
      await Bun.sleep(busyNapMs);
    }
  }
}
