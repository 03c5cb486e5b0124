// Limits of requests with an idempotency key. Part of the table of limits.
import type { LimitRow } from "./limit-row.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

export const idempotencyLimits = [
  {
    name: "idempotencyMs",
    default: 86_400_000,
    least: 1_000,
    most: 604_800_000,
    unit: "milliseconds",
    error: null,
    meaning: "How long the reply to a request with an `Idempotency-Key` is stored.",
  },
  {
    name: "idempotencyReplyBytes",
    default: mebibyte,
    least: kibibyte,
    most: 16 * mebibyte,
    unit: "bytes",
    error: null,
    meaning:
      "Size of a reply that is stored for its `Idempotency-Key`. A larger reply is not stored, and the key is free again.",
  },
  {
    name: "idempotencyTotalBytes",
    default: 256 * mebibyte,
    least: mebibyte,
    most: 64 * gibibyte,
    unit: "bytes",
    error: null,
    meaning: "Size of all stored replies. When exceeded, the oldest are deleted.",
  },
  {
    name: "maxIdempotencyWaiters",
    default: 64,
    least: 1,
    most: 10_000,
    unit: "requests",
    error: "idempotency_in_progress",
    meaning: "Requests that wait for the reply to an earlier request with the same `Idempotency-Key`.",
  },
] as const satisfies readonly LimitRow[];
