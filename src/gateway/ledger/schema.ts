// The SQLite file of the ledger: its tables, its settings, and the migration of older files.
import { Database } from "bun:sqlite";
import { addAdjustmentTables } from "./adjustments.ts";
import { addSpend } from "./spend.ts";

/**
 * `process` survives the end of the process, `power` also that of the machine: it waits for the disk at each commit.
 */
export type Durability = "process" | "power";

/**
 * A commit writes whole pages: small ones halve the bytes, and save 5 us, for a row of 300 bytes; smaller ones make
 * groups more expensive.
 */
const pageBytes = 2_048;

/**
 * One row per request. Columns from `provider` on are null or 0 until progress or settlement, except `input_tokens`,
 * which starts as an estimate. Amounts of money are nano-dollars, times milliseconds.
 */
const requests = `create table requests (
  n integer primary key,
  id text not null,
  request_id text,
  at_ms integer not null,
  organization text,
  project text,
  key_id text not null,
  end_user text,
  session text,
  operation text not null,
  dialect text not null,
  model text not null,
  stream integer not null,
  input_bound integer,
  reserved integer,
  cost_version text,
  price_version text,
  state text not null,
  provider text,
  upstream_model text,
  credential text,
  attempt_started_ms integer,
  attempts integer not null default 0,
  http_status integer,
  error_code text,
  warnings text,
  first_byte_ms integer,
  duration_ms integer,
  input_tokens integer not null default 0,
  cache_read_tokens integer not null default 0,
  cache_write_tokens integer not null default 0,
  cache_write_1h_tokens integer not null default 0,
  audio_input_tokens integer not null default 0,
  image_input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  reasoning_tokens integer not null default 0,
  audio_output_tokens integer not null default 0,
  image_output_tokens integer not null default 0,
  images integer not null default 0,
  audio_ms integer not null default 0,
  video_ms integer not null default 0,
  characters integer not null default 0,
  pages integer not null default 0,
  searches integer not null default 0,
  billed_requests integer not null default 0,
  unit_details text,
  estimated integer not null default 0,
  estimated_buckets text,
  charged integer not null default 1,
  cost integer,
  price integer,
  settled_seq integer,
  replay_of text,
  passed_over text,
  tier text,
  timings text
)`;

/** Attempts other than the one in the request's row. */
const attempts = `create table attempts (
  id text not null,
  number integer not null,
  provider text not null,
  upstream_model text not null,
  credential text,
  outcome text not null,
  error_code text,
  http_status integer,
  started_ms integer,
  first_byte_ms integer,
  duration_ms integer not null,
  possible_input_tokens integer not null,
  cost integer,
  cost_version text,
  primary key (id, number)
) without rowid`;

const marks = "create table if not exists marks (name text primary key, n integer not null) without rowid";
const pendingIndex = "create index pending on requests (id) where state = 'pending'";

/** In `user_version` of the file. The first files have 0 there, and `entries` instead of `requests`. */
const version = 5;

/** Opens the file for its only writer. Checkpoints are not made here, because they would block the event loop. */
export function openFile(path: string, durability: Durability): Database {
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  // First, because a reader that looks at the new file would make the next lines fail.
  database.run("pragma busy_timeout = 500");
  database.run(`pragma page_size = ${pageBytes}`);
  database.run("pragma journal_mode = wal");
  database.run(`pragma synchronous = ${durability === "power" ? "full" : "normal"}`);
  database.run("pragma wal_autocheckpoint = 0");
  database.transaction(migrate).immediate(database);
  database.run("pragma busy_timeout = 5");
  return database;
}

/**
 * Opens a file that a gateway may be writing, for short changes: the gateway waits for them only a few milliseconds, and
 * empties the log itself.
 */
export function openForChanges(path: string): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run("pragma busy_timeout = 10000");
  database.run("pragma synchronous = normal");
  database.run("pragma wal_autocheckpoint = 0");
  return database;
}

/** In one transaction: an interruption changes nothing. The rows of the first files are copied once. */
function migrate(database: Database): void {
  const found = versionOf(database);
  if (found > version) throw new Error(`it was written by a newer version (${found})`);
  if (found < version) {
    if (hasTable(database, "requests")) addColumns(database);
    else makeTables(database);
    database.run(`pragma user_version = ${version}`);
  }
  addSpend(database);
  addAdjustmentTables(database);
}

/** Columns that a later version added; they are null in existing rows. */
function addColumns(database: Database): void {
  using today = emptyTables();
  for (const table of ["requests", "attempts"])
    for (const name of missingColumns(database, today, table))
      database.run(`alter table ${table} add column ${name} ${columnTypes[name] ?? "text"}`);
}

/** Added columns that are not text. */
const columnTypes: { readonly [name: string]: string } = {};

function missingColumns(database: Database, today: Database, table: string): string[] {
  const found = new Set(columnsOf(database, table).map(({ name }) => name));
  return columnsOf(today, table).flatMap(({ name }) => (found.has(name) ? [] : [name]));
}

function makeTables(database: Database): void {
  using today = emptyTables();
  const older = selectsOfOlder(database, today);
  if (older?.hasAttempts) database.run("alter table attempts rename to older_attempts");
  createTables(database);
  if (older !== null) {
    database.run(`insert into requests ${older.requests}`);
    database.run("drop table entries");
  }
  if (older?.hasAttempts) {
    database.run(`insert into attempts ${older.attempts.replace("main.attempts", "older_attempts")}`);
    database.run("drop table older_attempts");
  }
  database.run(pendingIndex);
}

function createTables(database: Database): void {
  for (const table of [requests, attempts, marks]) database.run(table);
}

/** The tables of this version, in memory. */
export function emptyTables(): Database {
  const database = new Database(":memory:");
  createTables(database);
  return database;
}

function versionOf(database: Database): number {
  return Number(Object(database.query("pragma user_version").get()).user_version);
}

/** Selects that return every column of today's tables, in order. */
interface OlderSelects {
  readonly requests: string;
  readonly attempts: string;
  readonly hasAttempts: boolean;
}

interface Column {
  readonly name: string;
  readonly dflt_value: string | null;
}

/** Columns that were added to the old table over time, and their values in rows without them. */
const added: { readonly [column: string]: string } = { charged: "1" };

export const hasTable = (database: Database, name: string): boolean =>
  database.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null;

const columnsOf = (database: Database, table: string): Column[] =>
  database.query<Column, []>(`pragma table_info(${table})`).all();

/** Units as separate columns, from one unit and its thousandths. */
function unitsOf(has: (column: string) => boolean): { readonly [column: string]: string } {
  if (!has("unit")) return {};
  const whole = (kind: string): string => `iif(unit = '${kind}', unit_thousandths / 1000, 0)`;
  const seconds = (which: string): string => `iif(unit = 'seconds' and ${which}, unit_thousandths, 0)`;
  return {
    images: whole("images"),
    characters: whole("characters"),
    searches: whole("searches"),
    audio_ms: seconds("operation <> 'video'"),
    video_ms: seconds("operation = 'video'"),
  };
}

/** Null for a file whose tables have all columns. `today` has the tables of this version. */
export function selectsOfOlder(database: Database, today: Database): OlderSelects | null {
  const source = hasTable(database, "entries") ? "entries" : "requests";
  if (source === "requests" && isCurrent(database, today)) return null;
  const older = new Set(columnsOf(database, source).map(({ name }) => name));
  const made: { readonly [column: string]: string } = {
    ...added,
    ...unitsOf((column) => older.has(column)),
    settled_seq: "iif(state in ('open', 'pending'), null, n)",
  };
  const columnValue = ({ name, dflt_value }: Column): string =>
    older.has(name) ? name : `${made[name] ?? dflt_value ?? "null"} as ${name}`;
  const ofAttempts = new Set(columnsOf(database, "attempts").map(({ name }) => name));
  const hasAttempts = ofAttempts.size > 0;
  const attemptValue = ({ name }: Column): string => (ofAttempts.has(name) ? name : `null as ${name}`);
  const attempts = columnsOf(today, "attempts").map(attemptValue).join(", ");
  return {
    requests: `select ${columnsOf(today, "requests").map(columnValue).join(", ")} from main.${source}`,
    attempts: `select ${attempts} ${hasAttempts ? "from main.attempts" : "where 0"}`,
    hasAttempts,
  };
}

/** A file without any table is not older: its tables are about to be created. */
function isCurrent(database: Database, today: Database): boolean {
  return ["requests", "attempts"].every(
    (table) => !hasTable(database, table) || missingColumns(database, today, table).length === 0,
  );
}
