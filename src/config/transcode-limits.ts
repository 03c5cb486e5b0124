// Limits of transcoded speech. Part of the table of limits.
import type { LimitRow } from "./limit-row.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

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
