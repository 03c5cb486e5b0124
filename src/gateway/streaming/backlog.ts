// Clients that read more slowly than their upstreams send: their buffered data is limited by closing the slowest
// streams.
import type { SharedInterval } from "../../lib/shared-interval.ts";

interface BacklogLimits {
  /** Resident memory above which the slow clients are closed, the longest delayed first. */
  readonly slowClientMemoryBytes: number;
  /** Resident memory above which nothing new is admitted. */
  readonly maxMemoryBytes: number;
}

export interface Backlog {
  /** A client has fallen behind; `cut` ends its stream. */
  add(cut: () => void): void;
  /** It has caught up, or disconnected. */
  remove(cut: () => void): void;
  /** Whether the process uses so much memory that nothing new should start. */
  isFull(): boolean;
}

/** The approximate memory of one stalled stream: measured by bench/slow-readers.ts. */
const bytesOfOne = 2 * 1024 * 1024;
/** Freed memory takes a while to show; closing all at once would close too many. */
const mostAtOnce = 512;

/** At the limit on open files the memory cannot be read either; other limits apply then. */
function systemResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** The memory of this process. */
export interface Memory {
  /** Called at most once a tick. */
  residentBytes(): number;
  /** Returns garbage to the system. */
  collect(): void;
}

const processMemory: Memory = { residentBytes: systemResidentBytes, collect: () => Bun.gc(false) };

/** A collection stops the event loop, so it is only repeated after so many samples above the limit. */
const samplesPerCollection = 20;

export function createBacklog(limits: BacklogLimits, ticker: SharedInterval, memory: Memory = processMemory): Backlog {
  const behind = new Set<() => void>();
  let bytes = 0;
  let isFresh = false;
  let samplesAbove = 0;
  const sample = (): number => {
    if (isFresh) return bytes;
    isFresh = true;
    bytes = memory.residentBytes();
    // A process that refuses all requests allocates too little to trigger a collection, and would refuse forever.
    if (bytes <= limits.maxMemoryBytes) samplesAbove = 0;
    else if (samplesAbove++ % samplesPerCollection === 0) memory.collect();
    return bytes;
  };
  const look = (): void => {
    isFresh = false;
    if (behind.size === 0) {
      ticker.unsubscribe(look);
      return;
    }
    const over = sample() - limits.slowClientMemoryBytes;
    if (over <= 0) return;
    const slowest = [...behind].slice(0, Math.min(mostAtOnce, Math.ceil(over / bytesOfOne)));
    for (const cut of slowest) cut();
  };
  return {
    add(cut) {
      behind.add(cut);
      ticker.subscribe(look);
    },
    remove: (cut) => void behind.delete(cut),
    isFull() {
      // Without the next tick the sample would never be updated.
      ticker.subscribe(look);
      return sample() > limits.maxMemoryBytes;
    },
  };
}
