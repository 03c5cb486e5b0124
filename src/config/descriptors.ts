// The process's limit on open files, and how many requests fit below it.
import { readFileSync } from "node:fs";
import type { Limits } from "./limits.ts";

/** The database, the ledger, the log, listeners, and clients that are connected without a request. */
const reserved = 512;
/** A request holds the connection of its client and one to a provider. */
const perRequest = 2;

/** The soft limit on open files; null where the system does not say it. */
export function descriptorLimit(file = "/proc/self/limits"): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(file, "utf8")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    // Not every system has the file.
    return null;
  }
}

/** How many requests may be in progress, so that the limit on open files is never reached: beyond it connections fail in ways that nobody understands. */
export function requestsWithin(descriptors: number | null, wanted: number): number {
  if (descriptors === null) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor((descriptors - reserved) / perRequest)));
}

/** The limits as far as the process may open files. */
export function withinDescriptors(limits: Limits): Limits {
  return { ...limits, maxConcurrentRequests: requestsWithin(descriptorLimit(), limits.maxConcurrentRequests) };
}
