// Follows the list of erased end users: each instance removes them from its own files.
import { createThread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";
import { listErasures } from "../../store/end-users.ts";
import type { Store } from "../../store/store.ts";
import { erasedThrough } from "./erase.ts";
import type { EraseJob } from "./erase-worker.ts";

export interface Erasures {
  /** Resolves when this instance has applied what is on the list. */
  apply(): Promise<void>;
  close(): Promise<void>;
}

interface ErasuresOptions {
  readonly store: Store;
  readonly dataFolder: string;
  readonly pepper: Uint8Array;
  readonly failed: (cause: unknown) => void;
}

const lookEveryMs = 2_000;

export function followErasures({ store, dataFolder, pepper, failed }: ErasuresOptions): Erasures {
  const thread = createThread<EraseJob, string | null>(() =>
    workerAddress("gateway/end-users/erase-worker.ts", import.meta),
  );
  let through: number | null = null;
  let last: Promise<void> = Promise.resolve();
  const follow = async (): Promise<void> => {
    through ??= erasedThrough(dataFolder);
    const erasures = await listErasures(store, through);
    const newest = erasures.at(-1);
    if (newest === undefined) return;
    const { result } = await thread.run({ dataFolder, erasures, pepper });
    if (result !== null) throw new Error(result);
    through = newest.seq;
  };
  // One after another: two threads would wait for each other's locks.
  const apply = (): Promise<void> => {
    last = last.catch(() => undefined).then(follow);
    return last;
  };
  const timer = setInterval(() => void apply().catch(failed), lookEveryMs).unref();
  void apply().catch(failed);
  return {
    apply,
    async close() {
      clearInterval(timer);
      await last.catch(() => undefined);
      thread.close();
    },
  };
}
