// The one table of limits: every bound with its default, its range and the error that it gives. From its rows come the schema of `limits:` in turnpike.yaml, the values that the gateway is built with, and the table in docs/configuration.md.
import { Type } from "typebox";
import { bodyLimits } from "./body-limits.ts";
import type { LimitRow } from "./limit-row.ts";
import { transcodeLimits } from "./transcode-limits.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

const rows = [
  ...bodyLimits,
  {
    name: "ledgerCheckMs",
    default: 3_000,
    least: 0,
    most: 600_000,
    unit: "milliseconds",
    error: null,
    meaning:
      "How long the start waits for the check of a large ledger.db; it goes on in the background, and damage is then logged.",
  },
  {
    name: "maxStoredResponses",
    default: 10_000,
    least: 1,
    most: 10_000_000,
    unit: "responses",
    error: null,
    meaning:
      "Stored responses of one key. Beyond it the oldest are deleted; continuing one of them is 404 `object_not_found`.",
  },
  {
    name: "maxConcurrentRequests",
    default: 16_384,
    least: 1,
    most: 1_000_000,
    unit: "requests",
    error: "overloaded",
    meaning: "Requests to models that are in progress in one process.",
  },
  {
    name: "keepAliveMs",
    default: 600_000,
    least: 10,
    most: 86_400_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning:
      "How long a provider's stream, once begun, may hold nothing but keep-alives that its vendor documents (`: OPENROUTER PROCESSING`, `: keep-alive`, `event: ping`). Other comments do not count as life: `idle_timeout_ms` applies.",
  },
  {
    name: "candidateCooldownMs",
    default: 300_000,
    least: 1_000,
    most: 86_400_000,
    unit: "milliseconds",
    error: null,
    meaning:
      "How long a candidate of a route is asked last after its provider did not have the model, or refused the gateway's credential.",
  },
  {
    name: "maxConcurrentRequestsPerKey",
    default: 12_000,
    least: 1,
    most: 1_000_000,
    unit: "requests",
    error: "concurrency_limit_exceeded",
    meaning: "Requests to models of one key that are in progress in one process.",
  },
  {
    name: "maxPromptChars",
    default: 100_000,
    least: 1_000,
    most: 10_000_000,
    unit: "characters",
    error: "invalid_value",
    meaning: "The prompt of an image or a video.",
  },
  {
    name: "clientStallMs",
    default: 30_000,
    least: 1_000,
    most: 3_600_000,
    unit: "milliseconds",
    error: "client_closed",
    meaning: "How long a client may read nothing of a stream before its connection is closed.",
  },
  {
    name: "minClientBytesPerSecond",
    default: 1_024,
    least: 1,
    most: gibibyte,
    unit: "bytes per second",
    error: "client_closed",
    meaning: "A client that is behind its stream for most of `client_stall_ms` and takes less is disconnected.",
  },
  {
    name: "slowClientMemoryBytes",
    default: 512 * mebibyte,
    least: 64 * mebibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "client_closed",
    meaning:
      "Resident memory of the process above which the clients that are behind their streams are disconnected, the slowest first.",
  },
  {
    name: "maxMemoryBytes",
    default: 2 * gibibyte,
    least: 128 * mebibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "overloaded",
    meaning: "Resident memory of the process above which new requests are refused.",
  },
  {
    name: "lookupMs",
    default: 3_000,
    least: 100,
    most: 60_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning: "How long the look-up of a host name in a client's URL may take.",
  },
  {
    name: "maxLookupsPerKey",
    default: 16,
    least: 1,
    most: 1_000,
    unit: "look-ups",
    error: "concurrency_limit_exceeded",
    meaning: "Look-ups of host names in URLs of one key that are in progress.",
  },
  {
    name: "maxPreferredDialects",
    default: 1_000,
    least: 1,
    most: 100_000,
    unit: "entries",
    error: null,
    meaning:
      "Models for which the gateway remembers that one API of their provider refused a request and another one served it. The oldest is forgotten first.",
  },
  {
    name: "preferredDialectMs",
    default: 3_600_000,
    least: 1_000,
    most: 86_400_000,
    unit: "milliseconds",
    error: null,
    meaning: "How long it remembers that.",
  },
  {
    name: "voiceListMs",
    default: 5_000,
    least: 100,
    most: 60_000,
    unit: "milliseconds",
    error: null,
    meaning:
      "How long the first speech request to a provider may wait for the list of the account's voices; without it the built-in voices are used.",
  },
  {
    name: "videoDownloadMs",
    default: 1_800_000,
    least: 100,
    most: 86_400_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning:
      "Duration of one download of a finished video from its provider, whole or in part, for a client or for a copy. Once the answer has begun, its connection is closed.",
  },
  {
    name: "videoDownloadBytes",
    default: 4 * gibibyte,
    least: 64 * kibibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "upstream_protocol_error",
    meaning: "Size of such a download. Once the answer has begun, its connection is closed.",
  },
  {
    name: "streamMs",
    default: 3_600_000,
    least: 1_000,
    most: 86_400_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning: "Duration of one stream, from its first byte.",
  },
  {
    name: "streamBytes",
    default: 256 * mebibyte,
    least: 64 * kibibyte,
    most: 16 * gibibyte,
    unit: "bytes",
    error: "upstream_protocol_error",
    meaning: "Size of one stream, as the client gets it.",
  },
  {
    name: "streamOutputTokens",
    default: 5_000_000,
    least: 1_000,
    most: 100_000_000,
    unit: "tokens",
    error: "upstream_protocol_error",
    meaning: "Output of one stream, by the gateway's own quick estimate.",
  },
  ...transcodeLimits,
] as const satisfies readonly LimitRow[];

/** All limits by their names. */
export type Limits = { readonly [name in (typeof rows)[number]["name"]]: number };

/** For documents and tests. */
export const limitRows: readonly LimitRow[] = rows;

/** `maxBodyBytes` as `max_body_bytes`. */
export const fieldOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The schema of `limits:` in the file. */
export const limitsSchema = Type.Object(
  Object.fromEntries(
    limitRows.map(({ name, least, most }) => [
      fieldOf(name),
      Type.Optional(Type.Integer({ minimum: least, maximum: most })),
    ]),
  ),
  { additionalProperties: false, description: "Bounds of the gateway. See [Limits](#limits)." },
);

/** The limits that hold: what the file sets, and the defaults. `settings` has passed the schema. */
export function limitsOf(settings: Readonly<Record<string, unknown>> = {}): Limits {
  const settingOf = ({ name, default: usual }: LimitRow) => {
    const set = settings[fieldOf(name)];
    return [name, typeof set === "number" ? set : usual] as const;
  };
  return Object.fromEntries(limitRows.map(settingOf)) as Limits;
}

/** The limits of a gateway whose file sets none. */
export const defaultLimits: Limits = limitsOf();
