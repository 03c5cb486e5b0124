// The process's limit on open files, and how many requests it allows.
import { readFileSync } from "node:fs";
import type { Limits } from "./limits.ts";

/** For the database, the ledger, the log, listeners, and connections without a request. */
const reserved = 512;
/** A request uses the client's connection and one to a provider. */
const perRequest = 2;

/** The soft limit on open files; null if the system does not report it. */
export function descriptorLimit(file = "/proc/self/limits"): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(file, "utf8")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    // Not every system has the file.
    return null;
  }
}

/**
 * The maximum concurrent requests within the limit on open files, beyond which connections fail with misleading
 * errors.
 */
export function requestsWithin(descriptors: number | null, wanted: number): number {
  if (descriptors === null) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor((descriptors - reserved) / perRequest)));
}

/** The limits, reduced to what open files allow. */
export function withinDescriptors(limits: Limits): Limits {
  return { ...limits, maxConcurrentRequests: requestsWithin(descriptorLimit(), limits.maxConcurrentRequests) };
}
