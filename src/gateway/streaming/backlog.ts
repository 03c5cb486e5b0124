// Clients that take less than their upstreams send: what has come for them lies in memory, and is bounded by cutting the slowest.
import type { SharedInterval } from "../../lib/shared-interval.ts";

export interface BacklogLimits {
  /** Resident memory from which on the clients that are behind are cut, the longest first. */
  readonly slowClientMemoryBytes: number;
  /** Resident memory from which on nothing new is admitted. */
  readonly maxMemoryBytes: number;
}

export interface Backlog {
  /** A client has fallen behind; `cut` ends its stream. */
  add(cut: () => void): void;
  /** It has caught up, or is gone. */
  remove(cut: () => void): void;
  /** Whether the process holds so much memory that nothing new should begin. */
  isFull(): boolean;
}

/** What one stalled stream holds, roughly: measured by bench/slow-readers.ts. */
const bytesOfOne = 2 * 1024 * 1024;
/** Memory that was freed takes a while to show; cutting all at once would cut too many. */
const mostAtOnce = 512;

/** At the limit on open files the memory cannot be read either; other bounds hold then. */
function systemResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** The memory of this process. */
export interface Memory {
  /** Asked once a tick at most. */
  residentBytes(): number;
  /** Gives garbage back to the system. */
  collect(): void;
}

export const processMemory: Memory = { residentBytes: systemResidentBytes, collect: () => Bun.gc(false) };

/** A collection stops the event loop, so it is tried again only after so many samples above the limit. */
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
    // A process that refuses everything allocates too little to collect by itself, and would refuse for ever.
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
      // Without the next tick the sample would be kept for ever.
      ticker.subscribe(look);
      return sample() > limits.maxMemoryBytes;
    },
  };
}
