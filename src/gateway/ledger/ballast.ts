// Disk space for settlements: a file that is written when the disk is nearly full, and deleted when it is full.
import { rmSync } from "node:fs";
import { type FileHandle, open, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface Ballast {
  /** True since the space was freed, until there is enough again: no new requests are accepted then. */
  isFreed(): boolean;
  /** Frees the space for rows that wait. False if there is none to free. */
  free(): boolean;
  close(): void;
}

const lookMs = 2_000;
const mebibyte = 1024 * 1024;
/** With more free space there is no file. */
const lowBytes = 1024 * mebibyte;
/** For 8,000 requests in progress: a settlement writes two pages at most. */
const mostBytes = 64 * mebibyte;
/** At most this share of the free space. */
const share = 4;

const pathIn = (dataFolder: string): string => join(dataFolder, "ledger.ballast");

/** Deletes the file of an earlier process, so that the start has its space. */
export function freeBallast(dataFolder: string): void {
  rmSync(pathIn(dataFolder), { force: true });
}

/** Starts to watch the disk of the data folder. */
export function createBallast(dataFolder: string, failed: (cause: unknown) => void): Ballast {
  const path = pathIn(dataFolder);
  let sizeBytes = 0;
  let freedBytes = 0;
  let isClosed = false;
  const remove = (): void => {
    rmSync(path, { force: true });
    sizeBytes = 0;
  };
  const look = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(dataFolder);
    const freeBytes = bavail * bsize;
    if (sizeBytes > 0) {
      if (freeBytes > 2 * lowBytes) remove();
      return;
    }
    if (isClosed || freeBytes < 2 * freedBytes) return;
    freedBytes = 0;
    const wantedBytes = Math.min(mostBytes, Math.floor(freeBytes / share));
    if (freeBytes < lowBytes && wantedBytes >= mebibyte) sizeBytes = await write(path, wantedBytes);
    if (isClosed) remove();
  };
  let isLooking = false;
  const start = (): void => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch((cause) => {
        // A folder may be removed as soon as its ledger is closed.
        if (!isClosed) failed(cause);
      })
      .finally(() => {
        isLooking = false;
      });
  };
  start();
  const timer = setInterval(start, lookMs).unref();
  return {
    isFreed: () => freedBytes > 0,
    free() {
      if (sizeBytes === 0) return false;
      freedBytes = sizeBytes;
      remove();
      return true;
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      remove();
    },
  };
}

/** Writes the file piece by piece, because space that is only declared is not reserved. Returns its size. */
async function write(path: string, bytes: number): Promise<number> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, "w", 0o600);
    const piece = Buffer.alloc(mebibyte);
    let written = 0;
    while (written < bytes)
      written += (await file.write(piece, 0, Math.min(piece.length, bytes - written))).bytesWritten;
    return bytes;
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause;
  } finally {
    await file?.close();
  }
}
