// The one table of limits: every bound with its default, its range and the error that it gives. From its rows come the schema of `limits:` in turnpike.yaml, the values that the gateway is built with, and the table in docs/configuration.md.
import { Type } from "typebox";
import type { ErrorKind } from "../canon/error.ts";

interface LimitRow {
  /** As in code; `maxBodyBytes` is `max_body_bytes` in the file. */
  readonly name: string;
  readonly default: number;
  /** The smallest and the largest value that the file may set. */
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  /** What a client gets beyond it; null where a client gets no error, and `meaning` says what happens. */
  readonly error: ErrorKind | null;
  readonly meaning: string;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

const rows = [
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
    name: "maxHeaders",
    default: 128,
    least: 16,
    most: 1_000,
    unit: "headers",
    error: "too_many_headers",
    meaning: "Headers of a request.",
  },
  {
    name: "maxBodyBytes",
    default: 32 * mebibyte,
    least: kibibyte,
    most: gibibyte,
    unit: "bytes",
    error: "request_too_large",
    meaning: "Size of a request's body, after its content encoding is undone.",
  },
  {
    name: "maxJsonDepth",
    default: 128,
    least: 8,
    most: 1_000,
    unit: "levels",
    error: "invalid_json",
    meaning: "Nesting of a JSON body.",
  },
  {
    name: "maxJsonValues",
    default: 400_000,
    least: 1_000,
    most: 10_000_000,
    unit: "values",
    error: "invalid_json",
    meaning: "Values of a JSON body, all together: enough for embeddings of 300,000 tokens.",
  },
  {
    name: "maxJsonContainers",
    default: 20_000,
    least: 1_000,
    most: 1_000_000,
    unit: "objects and lists",
    error: "invalid_json",
    meaning: "Objects and lists of a JSON body.",
  },
  {
    name: "maxJsonMembers",
    default: 40_000,
    least: 1_000,
    most: 1_000_000,
    unit: "members",
    error: "invalid_json",
    meaning: "Members of all objects of a JSON body.",
  },
  {
    name: "maxJsonObjectMembers",
    default: 10_000,
    least: 100,
    most: 1_000_000,
    unit: "members",
    error: "invalid_json",
    meaning: "Members of one object of a JSON body.",
  },
  {
    name: "maxJsonStrings",
    default: 40_000,
    least: 1_000,
    most: 1_000_000,
    unit: "texts",
    error: "invalid_json",
    meaning: "Texts of a JSON body, names of members left out.",
  },
  {
    name: "maxJsonNumberChars",
    default: 1_024,
    least: 32,
    most: 65_536,
    unit: "characters",
    error: "invalid_json",
    meaning: "Characters of one number in a JSON body.",
  },
  {
    name: "maxFormParts",
    default: 256,
    least: 8,
    most: 10_000,
    unit: "parts",
    error: "invalid_value",
    meaning: "Parts of a form.",
  },
  {
    name: "maxFormTextBytes",
    default: mebibyte,
    least: kibibyte,
    most: gibibyte,
    unit: "bytes",
    error: "request_too_large",
    meaning: "Fields of a form that are not files, all together.",
  },
  {
    name: "maxFormHeaderBytes",
    default: 8 * kibibyte,
    least: 512,
    most: mebibyte,
    unit: "bytes",
    error: "invalid_value",
    meaning: "Headers of one part of a form.",
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
