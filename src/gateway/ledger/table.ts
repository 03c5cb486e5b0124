// The SQLite file of the ledger: its table, its settings, and the statements of the hot path.
import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { join } from "node:path";
import type { BilledUnits } from "../../canonical/usage.ts";
import type { LedgerAttempt, LedgerOpening, LedgerProgress, LedgerSettlement, LedgerTokens } from "./types.ts";

/** `process` survives the death of the process, `power` also that of the machine: it waits for the disk at each commit. */
export type Durability = "process" | "power";

export type Write = Statement<unknown, SQLQueryBindings[]>;

export interface LedgerTable {
  readonly database: Database;
  readonly open: Write;
  readonly progress: Write;
  readonly settle: Write;
  /** As `open`, for a row that outlives the process. */
  readonly begin: Write;
  /** As `settle`, by the id of such a row. */
  readonly conclude: Write;
  /** An attempt that did not answer. */
  readonly attempt: Write;
  /** Remembers the number up to which no row can be open. */
  readonly mark: Write;
}

/** A commit writes whole pages: small ones cost half of the bytes, and 5 us less, for a row of 300 bytes; smaller ones cost groups more. */
const pageBytes = 2_048;

/** Columns from `provider` on are null or 0 until progress or settlement, but for the figures of the input; amounts are nano-dollars, times milliseconds. */
const schema = `
create table if not exists entries (
  n integer primary key,
  id text not null,
  at_ms integer not null,
  key_id text not null,
  operation text not null,
  dialect text not null,
  model text not null,
  stream integer not null,
  state text not null,
  provider text,
  upstream_model text,
  attempts integer not null default 0,
  input_tokens integer not null default 0,
  cache_read_tokens integer not null default 0,
  cache_write_tokens integer not null default 0,
  output_tokens integer not null default 0,
  reasoning_tokens integer not null default 0,
  estimated integer not null default 0,
  cost integer,
  price_version text,
  first_byte_ms integer,
  duration_ms integer,
  http_status integer,
  error_code text,
  warnings text,
  unit text,
  unit_thousandths integer,
  charged integer not null default 1,
  input_bound integer,
  request_id text
);
create table if not exists attempts (
  id text not null,
  number integer not null,
  provider text not null,
  upstream_model text not null,
  outcome text not null,
  error_code text not null,
  http_status integer,
  duration_ms integer not null,
  possible_input_tokens integer not null,
  primary key (id, number)
) without rowid;
create index if not exists pending on entries (id) where state = 'pending';
create table if not exists marks (name text primary key, n integer not null) without rowid;
`;

const tokens = `input_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?, output_tokens = ?, reasoning_tokens = ?`;
const progress = `update entries set ${tokens}, duration_ms = ?, provider = coalesce(?, provider),
  upstream_model = coalesce(?, upstream_model) where n = ? and state = 'open'`;
const settlement = `update entries set ${tokens}, state = ?, http_status = ?, provider = ?, upstream_model = ?, attempts = ?,
  estimated = ?, cost = ?, price_version = ?, first_byte_ms = ?, duration_ms = ?, error_code = ?, warnings = ?,
  unit = ?, unit_thousandths = ?, charged = ?`;
const opening = (state: "open" | "pending"): string => `insert into entries
  (n, id, at_ms, key_id, operation, dialect, model, stream, input_tokens, input_bound, request_id, state)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '${state}')`;
const attempt = `insert or ignore into attempts
  (id, number, provider, upstream_model, outcome, error_code, http_status, duration_ms, possible_input_tokens)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function ledgerPath(dataFolder: string): string {
  return join(dataFolder, "ledger.db");
}

/** Opens the file for its one writer. Checkpoints are not made here: they would stop the event loop. */
export function openTable(dataFolder: string, durability: Durability): LedgerTable {
  const database = new Database(ledgerPath(dataFolder), { create: true, readwrite: true, strict: true });
  database.run(`pragma page_size = ${pageBytes}`);
  database.run("pragma journal_mode = wal");
  database.run(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
  database.run("pragma wal_autocheckpoint = 0");
  database.run("pragma busy_timeout = 5");
  database.run(schema);
  addColumns(database);
  return {
    database,
    open: database.prepare(opening("open")),
    begin: database.prepare(opening("pending")),
    progress: database.prepare(progress),
    settle: database.prepare(`${settlement} where n = ? and state = 'open'`),
    conclude: database.prepare(`${settlement} where id = ? and state = 'pending'`),
    attempt: database.prepare(attempt),
    mark: database.prepare("insert or replace into marks (name, n) values ('settled', ?)"),
  };
}

/** Columns that files of older versions lack, and what their rows have there. */
const laterColumns = [
  { name: "unit", type: "text", value: "null" },
  { name: "unit_thousandths", type: "integer", value: "null" },
  { name: "charged", type: "integer not null default 1", value: "1" },
  { name: "input_bound", type: "integer", value: "null" },
  { name: "request_id", type: "text", value: "null" },
] as const;

export function missingColumns(database: Database): readonly (typeof laterColumns)[number][] {
  const columns = database.query<{ name: string }, []>("pragma table_info(entries)").all();
  const there = new Set(columns.map(({ name }) => name));
  return laterColumns.filter(({ name }) => !there.has(name));
}

function addColumns(database: Database): void {
  for (const { name, type } of missingColumns(database)) database.run(`alter table entries add column ${name} ${type}`);
}

export function openingValues(n: number, opening: LedgerOpening): SQLQueryBindings[] {
  const { id, atMs, keyId, operation, dialect, model, stream, inputTokens, inputBound, requestId } = opening;
  return [n, id, atMs, keyId, operation, dialect, model, stream ? 1 : 0, inputTokens, inputBound, requestId];
}

export function progressValues(n: number, report: LedgerProgress, durationMs: number): SQLQueryBindings[] {
  const values = tokenValues(report);
  values.push(Math.round(durationMs), report.provider ?? null, report.upstreamModel ?? null, n);
  return values;
}

/** `row` is the number of an open row, or the id of a pending one. */
export function settlementValues(row: number | string, end: LedgerSettlement): SQLQueryBindings[] {
  const values = tokenValues(end);
  values.push(end.state, end.httpStatus, end.provider, end.upstreamModel, end.attempts, end.estimated ? 1 : 0);
  values.push(end.costNanoDollars, end.priceVersion, rounded(end.firstByteMs), rounded(end.durationMs));
  values.push(end.errorCode, end.warnings, end.units?.kind ?? null, thousandths(end.units));
  values.push(end.charged ? 1 : 0, row);
  return values;
}

export function attemptValues(id: string, attempt: LedgerAttempt): SQLQueryBindings[] {
  const { number, provider, upstreamModel, outcome, errorCode, httpStatus } = attempt;
  const { durationMs, possibleInputTokens } = attempt;
  return [id, number, provider, upstreamModel, outcome, errorCode, httpStatus, durationMs, possibleInputTokens];
}

function tokenValues(tokens: LedgerTokens): SQLQueryBindings[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = tokens;
  return [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens];
}

/** Seconds come in fractions, and the ledger holds integers alone. */
function thousandths(units: BilledUnits | null): number | null {
  return units === null ? null : Math.round(units.amount * 1_000);
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
