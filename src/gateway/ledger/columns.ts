// The columns of the ledger's tables for its readers: shapes, selects, and rows of one shape.
import { type Static, type TObject, Type } from "typebox";
import { type TokenBucket, tokenBuckets, type UnitKind } from "../../canonical/usage.ts";
import { IntColumn, NullableBigInt, NullableInt, NullableText, rowReader } from "../../store/rows.ts";

type Columns<Name extends string> = { readonly [name in Name]: typeof IntColumn };

const integers = <const Name extends string>(names: readonly Name[]): Columns<Name> =>
  Object.fromEntries(names.map((name) => [name, IntColumn])) as Columns<Name>;

/** Units by their column names: units billed by the request are not the number of requests of a group. */
export const unitNames = [
  "images",
  "audioMs",
  "videoMs",
  "characters",
  "pages",
  "searches",
  "billedRequests",
] as const satisfies readonly (UnitKind | "billedRequests")[];

export const amountNames = [...tokenBuckets, ...unitNames] as const;
export const amounts: Columns<TokenBucket | (typeof unitNames)[number]> = integers(amountNames);

const requestShape = Type.Object({
  n: IntColumn,
  id: Type.String(),
  /** The request id that the client saw; null in rows of older versions. */
  requestId: NullableText,
  atMs: IntColumn,
  organization: NullableText,
  project: NullableText,
  keyId: Type.String(),
  endUser: NullableText,
  session: NullableText,
  operation: Type.String(),
  dialect: Type.String(),
  model: Type.String(),
  stream: IntColumn,
  state: Type.String(),
  provider: NullableText,
  upstreamModel: NullableText,
  credential: NullableText,
  attemptStartedMs: NullableInt,
  attempts: IntColumn,
  httpStatus: NullableInt,
  errorCode: NullableText,
  warnings: NullableText,
  firstByteMs: NullableInt,
  durationMs: NullableInt,
  inputBound: NullableInt,
  ...amounts,
  /** JSON of the units one by one, if they have sizes or qualities. */
  unitDetails: NullableText,
  estimated: IntColumn,
  /** Names of the estimated buckets, separated by spaces. */
  estimatedBuckets: NullableText,
  /** 0: the usage is only what failed attempts may have cost. */
  charged: IntColumn,
  reservedNanoDollars: NullableBigInt,
  costNanoDollars: NullableBigInt,
  costVersion: NullableText,
  priceNanoDollars: NullableBigInt,
  priceVersion: NullableText,
  /** Its position among all settlements of this file; null until it is settled. */
  settledSeq: NullableInt,
  /** The exchange whose reply was repeated. */
  replayOf: NullableText,
  /** JSON of the candidates that were skipped, with the reasons. */
  passedOver: NullableText,
  /** The service tier, if it is not the default; null in rows of older versions. */
  tier: NullableText,
  /** Of src/canonical/timings.ts; null in rows of older versions. */
  timings: NullableText,
});

const attemptShape = Type.Object({
  id: Type.String(),
  number: IntColumn,
  provider: Type.String(),
  upstreamModel: Type.String(),
  credential: NullableText,
  outcome: Type.String(),
  errorCode: NullableText,
  httpStatus: NullableInt,
  startedMs: NullableInt,
  firstByteMs: NullableInt,
  durationMs: NullableInt,
  possibleInputTokens: IntColumn,
  costNanoDollars: NullableBigInt,
  costVersion: NullableText,
});

/** `stream`, `estimated` and `charged` are 0 or 1. */
export type RequestRow = Static<typeof requestShape>;
export type AttemptRow = Static<typeof attemptShape>;

export const readRequestRows = rowReader("requests", requestShape);
export const readAttemptRows = rowReader("attempts", attemptShape);

/** `cacheWrite1hTokens` is `cache_write_1h_tokens`, and `costNanoDollars` is `cost`. */
export const columnOf = (name: string): string =>
  name.replace("NanoDollars", "").replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);

const selectOf = (shape: TObject): string =>
  Object.keys(shape.properties)
    .map((name) => `${columnOf(name)} as "${name}"`)
    .join(", ");

export const requestsSql = `select ${selectOf(requestShape)} from requests`;
export const attemptsSql = `select ${selectOf(attemptShape)} from attempts`;
