// Limits of streams whose clients read slowly, leave or return, and of the shutdown. Part of the table of limits.
import type { LimitRow } from "./limit-row.ts";

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

export const streamLimits = [
  {
    name: "heartbeatMs",
    default: 15_000,
    least: 1_000,
    most: 600_000,
    unit: "milliseconds",
    error: null,
    meaning: "Silence on a stream after which the client gets a keep-alive.",
  },
  {
    name: "maxDrainedStreams",
    default: 256,
    least: 0,
    most: 100_000,
    unit: "streams",
    error: null,
    meaning:
      "Streams at once that are read to their end for the provider's usage after the client left. Others are aborted, and their usage is estimated.",
  },
  {
    name: "drainedStreamMs",
    default: 5_000,
    least: 0,
    most: 600_000,
    unit: "milliseconds",
    error: null,
    meaning: "Duration of such a read.",
  },
  {
    name: "drainedStreamTokens",
    default: 4_096,
    least: 0,
    most: 10_000_000,
    unit: "tokens",
    error: null,
    meaning: "Output of such a read, by the gateway's estimate.",
  },
  {
    name: "maxBackgroundResponses",
    default: 1_024,
    least: 1,
    most: 100_000,
    unit: "responses",
    error: "overloaded",
    meaning: "Background responses in progress in one process.",
  },
  {
    name: "maxEventLogChars",
    default: 8 * mebibyte,
    least: 1_000,
    most: gibibyte,
    unit: "characters",
    error: null,
    meaning:
      "Events of one background response that are held for clients that reconnect. Above it, a client gets the stored response only.",
  },
  {
    name: "maxEndedEventLogsChars",
    default: 64 * mebibyte,
    least: 0,
    most: 16 * gibibyte,
    unit: "characters",
    error: null,
    meaning: "The same for all background responses that have ended. Above it, the oldest are dropped.",
  },
  {
    name: "shutdownMs",
    default: 60_000,
    least: 0,
    most: 3_600_000,
    unit: "milliseconds",
    error: null,
    meaning: "How long requests in progress may take after SIGTERM. After that their connections are closed.",
  },
] as const satisfies readonly LimitRow[];
