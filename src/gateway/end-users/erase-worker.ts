// The thread that removes end users from the files of a data folder: it may read a whole ledger.
import type { ThreadMessage } from "../../lib/thread.ts";
import type { Erasure } from "../../store/end-users.ts";
import { eraseIn } from "./erase.ts";

export interface EraseJob {
  readonly dataFolder: string;
  readonly erasures: readonly Erasure[];
  readonly pepper: Uint8Array;
}

declare const self: Worker;

function errorOf({ dataFolder, erasures, pepper }: EraseJob): string | null {
  try {
    eraseIn(dataFolder, erasures, pepper);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

self.onmessage = ({ data }: MessageEvent<ThreadMessage<EraseJob>>) => {
  if ("content" in data) self.postMessage({ id: data.id, content: errorOf(data.content) });
};
