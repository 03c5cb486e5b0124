// The table of limits: every limit with its default, its range and its error. It is the source of the schema of
// `limits:` in turnpike.yaml, of the values in use, and of the table in docs/configuration.md.
import { Type } from "typebox";
import { bodyLimits } from "./body-limits.ts";
import { idempotencyLimits, type LimitRow, transcodeLimits } from "./limit-row.ts";
import { routingLimits } from "./routing-limits.ts";
import { streamLimits } from "./stream-limits.ts";
import { upstreamLimits } from "./upstream-limits.ts";

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
      "How long the start waits for the check of a large ledger.db. After that the check continues in the background and corruption is logged.",
  },
  {
    name: "maxStoredResponses",
    default: 10_000,
    least: 1,
    most: 10_000_000,
    unit: "responses",
    error: null,
    meaning:
      "Stored responses per key. When exceeded, the oldest are deleted; continuing one of them returns 404 `object_not_found`.",
  },
  {
    name: "maxConversationItems",
    default: 10_000,
    least: 10,
    most: 1_000_000,
    unit: "items",
    error: "invalid_value",
    meaning: "Items of a response request together with the stored conversation that it continues.",
  },
  {
    name: "maxConcurrentRequests",
    default: 16_384,
    least: 1,
    most: 1_000_000,
    unit: "requests",
    error: "overloaded",
    meaning: "Concurrent model requests in one process.",
  },
  {
    name: "keepAliveMs",
    default: 600_000,
    least: 10,
    most: 86_400_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning:
      "How long a started stream may contain only keep-alives that the provider documents (`: OPENROUTER PROCESSING`, `: keep-alive`, `event: ping`). Other comments are ignored, and `idle_timeout_ms` applies.",
  },
  {
    name: "candidateCooldownMs",
    default: 300_000,
    least: 1_000,
    most: 86_400_000,
    unit: "milliseconds",
    error: null,
    meaning:
      "How long a candidate of a route is moved to the end of the order after its provider did not have the model or refused the gateway's credential.",
  },
  {
    name: "maxConcurrentRequestsPerKey",
    default: 12_000,
    least: 1,
    most: 1_000_000,
    unit: "requests",
    error: "concurrency_limit_exceeded",
    meaning: "Concurrent model requests of one key in one process.",
  },
  {
    name: "maxPromptChars",
    default: 100_000,
    least: 1_000,
    most: 10_000_000,
    unit: "characters",
    error: "invalid_value",
    meaning: "Length of the prompt of an image or video request.",
  },
  {
    name: "clientStallMs",
    default: 30_000,
    least: 1_000,
    most: 3_600_000,
    unit: "milliseconds",
    error: "client_closed",
    meaning: "How long a client may read nothing from a stream before its connection is closed.",
  },
  {
    name: "minClientBytesPerSecond",
    default: 1_024,
    least: 1,
    most: gibibyte,
    unit: "bytes per second",
    error: "client_closed",
    meaning:
      "Minimum rate of a client that is behind its stream for most of `client_stall_ms`. Slower clients are disconnected.",
  },
  {
    name: "slowClientMemoryBytes",
    default: 512 * mebibyte,
    least: 64 * mebibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "client_closed",
    meaning: "Resident memory above which clients that are behind their streams are disconnected, the slowest first.",
  },
  {
    name: "maxMemoryBytes",
    default: 2 * gibibyte,
    least: 128 * mebibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "overloaded",
    meaning: "Resident memory above which new requests are rejected.",
  },
  {
    name: "lookupMs",
    default: 3_000,
    least: 100,
    most: 60_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning: "Time limit for resolving a host name in a client's URL.",
  },
  {
    name: "maxLookupsPerKey",
    default: 16,
    least: 1,
    most: 1_000,
    unit: "lookups",
    error: "concurrency_limit_exceeded",
    meaning: "Concurrent DNS lookups for URLs of one key.",
  },
  {
    name: "maxPreferredDialects",
    default: 1_000,
    least: 1,
    most: 100_000,
    unit: "entries",
    error: null,
    meaning:
      "Models for which the gateway remembers which API of their provider to use, after another API refused a request. The oldest entry is dropped first.",
  },
  {
    name: "preferredDialectMs",
    default: 3_600_000,
    least: 1_000,
    most: 86_400_000,
    unit: "milliseconds",
    error: null,
    meaning: "How long such an entry is valid.",
  },
  {
    name: "voiceListMs",
    default: 5_000,
    least: 100,
    most: 60_000,
    unit: "milliseconds",
    error: null,
    meaning:
      "How long the first speech request to a provider waits for the account's list of voices. After that the built-in voices are used.",
  },
  {
    name: "videoDownloadMs",
    default: 1_800_000,
    least: 100,
    most: 86_400_000,
    unit: "milliseconds",
    error: "upstream_timeout",
    meaning:
      "Duration of one download of a completed video from its provider, for a client or for a stored copy. If the response has already started, its connection is closed.",
  },
  {
    name: "videoDownloadBytes",
    default: 4 * gibibyte,
    least: 64 * kibibyte,
    most: 1_024 * gibibyte,
    unit: "bytes",
    error: "upstream_protocol_error",
    meaning: "Size of one such download. If the response has already started, its connection is closed.",
  },
  {
    name: "reserveOutputTokens",
    default: 16_384,
    least: 256,
    most: 10_000_000,
    unit: "tokens",
    error: null,
    meaning:
      "Output that a request reserves of token limits and budgets before it starts, where it allows that much or more. A longer stream reserves more as it grows.",
  },
  {
    name: "extendOutputTokens",
    default: 4_096,
    least: 64,
    most: 1_000_000,
    unit: "tokens",
    error: null,
    meaning: "Output that a stream reserves of its budgets in addition whenever it has used what it had reserved.",
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
    meaning: "Size of one stream as sent to the client.",
  },
  {
    name: "streamOutputTokens",
    default: 5_000_000,
    least: 1_000,
    most: 100_000_000,
    unit: "tokens",
    error: "upstream_protocol_error",
    meaning: "Output of one stream, by the gateway's estimate.",
  },
  ...streamLimits,
  ...routingLimits,
  ...upstreamLimits,
  ...transcodeLimits,
  ...idempotencyLimits,
] as const satisfies readonly LimitRow[];

/** All limits by their names. */
export type Limits = { readonly [name in (typeof rows)[number]["name"]]: number };

/** For the documentation and tests. */
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
  { additionalProperties: false, description: "Limits of the gateway. See [Limits](#limits)." },
);

/** The limits in effect: those of the file, and the defaults. `settings` has passed the schema. */
export function limitsOf(settings: Readonly<Record<string, unknown>> = {}): Limits {
  const settingOf = ({ name, default: usual }: LimitRow) => {
    const set = settings[fieldOf(name)];
    return [name, typeof set === "number" ? set : usual] as const;
  };
  return Object.fromEntries(limitRows.map(settingOf)) as Limits;
}

/** The limits of a gateway without any in the file. */
export const defaultLimits: Limits = limitsOf();
