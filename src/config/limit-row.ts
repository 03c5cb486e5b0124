// A row in the table of limits, and the rows of idempotency keys and of transcoded speech.
import type { ErrorKind } from "../canonical/error.ts";

export interface LimitRow {
  /** In camelCase; `maxBodyBytes` is `max_body_bytes` in the file. */
  readonly name: string;
  readonly default: number;
  /** The smallest and the largest allowed value. */
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  /** The client's error beyond the limit; null if there is none, and `meaning` describes what happens. */
  readonly error: ErrorKind | null;
  readonly meaning: string;
}

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

export const transcodeLimits = [
  {
    name: "maxTranscodes",
    default: 8,
    least: 1,
    most: 1_000,
    unit: "processes",
    error: "overloaded",
    meaning: "Concurrent speech responses that are transcoded by ffmpeg.",
  },
  {
    name: "transcodeMs",
    default: 600_000,
    least: 100,
    most: 86_400_000,
    unit: "milliseconds",
    error: "transcoding_failed",
    meaning: "Duration of one transcoded speech response.",
  },
  {
    name: "transcodeBytes",
    default: 256 * mebibyte,
    least: kibibyte,
    most: 16 * gibibyte,
    unit: "bytes",
    error: "transcoding_failed",
    meaning: "Size of one transcoded speech response, before and after transcoding.",
  },
] as const satisfies readonly LimitRow[];
