// Retries while another process holds SQLite's write lock.
import { failureOf } from "./failure.ts";

/** SQLite's own wait blocks the event loop, so it is short, and the rest is spent asleep. */
export const busyBlockMs = 20;
const busyWaitMs = 2_000;
const busyNapMs = 25;

/** Repeats while the database is locked; after two seconds the engine's error is thrown. */
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
