// Reading the ledger from outside, also while a gateway writes it: what was used, and the newest entries.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync } from "node:fs";
import { type Static, Type } from "typebox";
import type { BilledUnits } from "../../canonical/usage.ts";
import { IntColumn, NullableBigInt, NullableInt, NullableText, rowReader } from "../../store/rows.ts";
import { ledgerPath, missingColumns } from "./table.ts";

export type UsageGroup = "model" | "key" | "day" | "provider";

/** Times in Unix milliseconds: from `sinceMs` on, and before `untilMs`. */
export interface EntryFilter {
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly keyId?: string;
}

const usageShape = Type.Object({
  /** The model, key id, provider or UTC day; empty where no provider was reached. */
  group: Type.String(),
  requests: IntColumn,
  /** Of these, not completed and not under way. */
  errors: IntColumn,
  open: IntColumn,
  inputTokens: IntColumn,
  cacheReadTokens: IntColumn,
  cacheWriteTokens: IntColumn,
  outputTokens: IntColumn,
  reasoningTokens: IntColumn,
  /** Of those that have a price; null when none has. */
  costNanoDollars: NullableBigInt,
  /** Requests with tokens or units and without a price. */
  unpriced: IntColumn,
  /** Tokens of requests and attempts that failed after they were sent: what providers may bill, and no caller pays. */
  possibleTokens: IntColumn,
  /** In thousandths, as the ledger keeps them. */
  images: IntColumn,
  seconds: IntColumn,
  characters: IntColumn,
  searches: IntColumn,
});

const entryShape = Type.Object({
  id: Type.String(),
  atMs: IntColumn,
  keyId: Type.String(),
  operation: Type.String(),
  dialect: Type.String(),
  model: Type.String(),
  stream: IntColumn,
  state: Type.String(),
  provider: NullableText,
  upstreamModel: NullableText,
  attempts: IntColumn,
  inputTokens: IntColumn,
  cacheReadTokens: IntColumn,
  cacheWriteTokens: IntColumn,
  outputTokens: IntColumn,
  reasoningTokens: IntColumn,
  estimated: IntColumn,
  costNanoDollars: NullableBigInt,
  priceVersion: NullableText,
  firstByteMs: NullableInt,
  durationMs: NullableInt,
  httpStatus: NullableInt,
  errorCode: NullableText,
  warnings: NullableText,
  /** What is not counted in tokens: images, seconds, characters or searches. */
  unit: NullableText,
  unitThousandths: NullableInt,
  /** 0: the tokens are only what failed attempts may have cost. */
  charged: IntColumn,
  inputBound: NullableInt,
  /** The id that the client saw; null in rows of older versions. */
  requestId: NullableText,
});

const attemptShape = Type.Object({
  id: Type.String(),
  number: IntColumn,
  provider: Type.String(),
  upstreamModel: Type.String(),
  outcome: Type.String(),
  errorCode: Type.String(),
  httpStatus: NullableInt,
  durationMs: IntColumn,
  possibleInputTokens: IntColumn,
});

export type UsageRow = Static<typeof usageShape>;
/** `stream`, `estimated` and `charged` are 0 or 1. */
export type EntryRow = Static<typeof entryShape>;
export type AttemptRow = Static<typeof attemptShape>;

const readUsageRows = rowReader("entries", usageShape);
const readEntryRows = rowReader("entries", entryShape);
const readAttemptRows = rowReader("attempts", attemptShape);

const groupSql: { readonly [group in UsageGroup]: string } = {
  model: "model",
  key: "key_id",
  provider: "coalesce(provider, '')",
  day: "strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch')",
};

const unitKinds = ["images", "seconds", "characters", "searches"] as const satisfies readonly BilledUnits["kind"][];
const unitSums = unitKinds.map(
  (kind) => `sum(case when charged and unit = '${kind}' then unit_thousandths else 0 end) as ${kind}`,
);

const tokenColumns = [
  ["input_tokens", "inputTokens"],
  ["cache_read_tokens", "cacheReadTokens"],
  ["cache_write_tokens", "cacheWriteTokens"],
  ["output_tokens", "outputTokens"],
  ["reasoning_tokens", "reasoningTokens"],
] as const;
/** Only what is charged: tokens of failed attempts are summed apart. */
const tokenSums = tokenColumns.map(([column, name]) => `sum(case when charged then ${column} else 0 end) as "${name}"`);

/** One row per group, the dearest first. Empty when there is no ledger yet. */
export function readUsage(dataFolder: string, filter: EntryFilter & { readonly groupBy: UsageGroup }): UsageRow[] {
  const { where, values } = conditions(filter);
  const sql = `select ${groupSql[filter.groupBy]} as "group", count(*) as requests,
    sum(state not in ('completed', 'open', 'pending')) as errors, sum(state in ('open', 'pending')) as open,
    ${tokenSums.join(", ")}, sum(cost) as "costNanoDollars",
    sum(state not in ('open', 'pending') and charged and cost is null and (input_tokens + cache_read_tokens + output_tokens > 0 or unit is not null)) as unpriced,
    sum((select coalesce(sum(possible_input_tokens), 0) from attempts where attempts.id = entries.id)) as "possibleTokens",
    ${unitSums.join(", ")}
    from entries ${where} group by 1 order by sum(cost) desc, count(*) desc, 1`;
  return readUsageRows(select(dataFolder, sql, values));
}

/** The newest entries first, at most `limit`. */
export function readEntries(dataFolder: string, filter: EntryFilter & { readonly limit: number }): EntryRow[] {
  const { where, values } = conditions(filter);
  return entriesWhere(dataFolder, `${where} order by n desc limit ?`, [...values, filter.limit]);
}

/** The entries with this id of ours, or under this id that clients saw: callers may use theirs twice. Newest first. */
export function findEntries(dataFolder: string, id: string, limit: number): EntryRow[] {
  return entriesWhere(dataFolder, "where id = ? or request_id = ? order by n desc limit ?", [id, id, limit]);
}

function entriesWhere(dataFolder: string, rest: string, values: SQLQueryBindings[]): EntryRow[] {
  const sql = `select id, at_ms as "atMs", key_id as "keyId", operation, dialect, model, stream, state, provider,
    upstream_model as "upstreamModel", attempts, input_tokens as "inputTokens", cache_read_tokens as "cacheReadTokens",
    cache_write_tokens as "cacheWriteTokens", output_tokens as "outputTokens", reasoning_tokens as "reasoningTokens",
    estimated, cost as "costNanoDollars", price_version as "priceVersion", first_byte_ms as "firstByteMs",
    duration_ms as "durationMs", http_status as "httpStatus", error_code as "errorCode", warnings,
    unit, unit_thousandths as "unitThousandths", charged, input_bound as "inputBound",
    request_id as "requestId"
    from entries ${rest}`;
  return readEntryRows(select(dataFolder, sql, values));
}

/** The attempts of one request that did not answer, in order. */
export function readAttempts(dataFolder: string, id: string): AttemptRow[] {
  const sql = `select id, number, provider, upstream_model as "upstreamModel", outcome, error_code as "errorCode",
    http_status as "httpStatus", duration_ms as "durationMs", possible_input_tokens as "possibleInputTokens"
    from attempts where id = ? order by number`;
  return readAttemptRows(select(dataFolder, sql, [id]));
}

function conditions({ sinceMs, untilMs, keyId }: EntryFilter): { where: string; values: SQLQueryBindings[] } {
  const asked: readonly (readonly [string, string | number | undefined])[] = [
    ["at_ms >= ?", sinceMs],
    ["at_ms < ?", untilMs],
    ["key_id = ?", keyId],
  ];
  const clauses: string[] = [];
  const values: SQLQueryBindings[] = [];
  for (const [clause, value] of asked) {
    if (value === undefined) continue;
    clauses.push(clause);
    values.push(value);
  }
  return { where: clauses.length > 0 ? `where ${clauses.join(" and ")}` : "", values };
}

/** `query_only` instead of a read-only file: after a crash the first reader has to rebuild the index of the log. */
function select(dataFolder: string, sql: string, values: SQLQueryBindings[]): unknown[] {
  const path = ledgerPath(dataFolder);
  if (!existsSync(path)) return [];
  using database = new Database(path, { readwrite: true, safeIntegers: true });
  database.run("pragma query_only = 1");
  database.run("pragma busy_timeout = 2000");
  return database.query(`${inPlaceOfOlder(database)} ${sql}`).all(...values);
}

const noAttempts = `attempts(id, number, provider, upstream_model, outcome, error_code, http_status, duration_ms,
  possible_input_tokens) as (select null, null, null, null, null, null, null, null, null where 0)`;

/** A reader changes nothing: what a file of an older version lacks is put in its place for the one statement. */
function inPlaceOfOlder(database: Database): string {
  const columns = missingColumns(database).map(({ name, value }) => `${value} as ${name}`);
  const hasAttempts = database.query("select 1 from sqlite_master where name = 'attempts'").get() !== null;
  const parts = [
    ...(columns.length === 0 ? [] : [`entries as (select *, ${columns.join(", ")} from main.entries)`]),
    ...(hasAttempts ? [] : [noAttempts]),
  ];
  return parts.length === 0 ? "" : `with ${parts.join(", ")}`;
}
