// The worker thread that moves the write-ahead log into the ledger's file, so that the event loop never waits for the
// disk.
import { Database } from "bun:sqlite";

export interface CheckpointOrder {
  readonly path: string;
  /** `passive` copies what it can while the writer runs; `restart` copies the rest while the writer pauses. */
  readonly mode: "passive" | "restart";
}

export interface CheckpointReport {
  readonly error: string | undefined;
}

declare const self: Worker;

/** A new connection for each checkpoint, because an idle one would hold memory and an open file. */
function checkpoint({ path, mode }: CheckpointOrder): CheckpointReport {
  try {
    using database = new Database(path, { readwrite: true });
    database.run("pragma wal_autocheckpoint = 0");
    database.run("pragma cache_size = -64");
    database.query(`pragma wal_checkpoint(${mode})`).get();
    return { error: undefined };
  } catch (error) {
    return { error: String(error) };
  }
}

self.onmessage = (event: MessageEvent<CheckpointOrder>) => {
  self.postMessage(checkpoint(event.data));
};
