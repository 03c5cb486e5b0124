// The only SQL connection: statements in, rows out, on SQLite or PostgreSQL.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { GatewayError } from "../canonical/error.ts";
import { type Connection, postgresConnection, sqliteConnection } from "./connect.ts";
import { failureOf, storeError } from "./failure.ts";
import { busyBlockMs, whileBusy } from "./lock-retry.ts";
import { migrate } from "./migrate.ts";
import { folderFailure, makeFailure, serverFailure } from "./open-failure.ts";
import { IntColumn, rowReader } from "./rows.ts";
import { createTurns, type Turns } from "./turns.ts";

export type SqlValue = string | number | bigint | null;

/**
 * Changes are statements with `$1`-style parameters that both engines accept, or a `transaction` of several. On SQLite
 * all statements share one connection, so that others wait until a transaction has ended.
 */
export interface Store {
  readonly engine: "sqlite" | "postgres";
  /** True for the store within a transaction: a failed statement there ends the whole transaction. */
  readonly isTransaction?: true;
  /** Warnings about the connection for the operator. */
  readonly warnings: readonly string[];
  /**
   * Rows of one statement, integers as bigint. GatewayError `overloaded` (503) when the store is busy or unavailable.
   */
  query(sql: string, parameters?: readonly SqlValue[]): Promise<readonly unknown[]>;
  /**
   * Commits everything that `work` does with the given store, or nothing if it throws. It may be repeated when another
   * process locks the database. `work` awaits only its statements, and uses no other store.
   */
  transaction<Result>(work: (inside: Store) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface StoreOptions {
  readonly dataFolder: string;
  /** `postgres://…` for a database shared by instances; without it, a file in the data folder. */
  readonly databaseUrl?: string | undefined;
  /** Maximum time of one statement in total; after it the store is reported as unavailable. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5_000;
/** Running and waiting statements; beyond it the store reports busy instead of queueing more. */
const maxPending = 512;
/** Opens the store and migrates its tables. Throws an Error with one sentence when it cannot. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const connection = options.databaseUrl
    ? postgresConnection(options.databaseUrl)
    : sqliteConnection(writableFolder(options.dataFolder));
  try {
    await migrate(migrationConnection(connection, options));
    const client = new Bun.SQL(connection.options);
    if (connection.engine === "sqlite") await tuneSqlite(client);
    return storeOver(client, connection, options.timeoutMs ?? defaultTimeoutMs);
  } catch (cause) {
    throw options.databaseUrl ? serverFailure(options.databaseUrl, cause) : folderFailure(options.dataFolder, cause);
  }
}

/** Whether this folder contains an embedded database. */
export const storeExists = (dataFolder: string): boolean => existsSync(join(dataFolder, "turnpike.db"));

/** Opens the database read-only: nothing is created, migrated or written. A query fails if a table is missing. */
export function openStoreReadOnly({ dataFolder, databaseUrl, timeoutMs = defaultTimeoutMs }: StoreOptions): Store {
  const connection = databaseUrl ? postgresConnection(databaseUrl) : sqliteConnection(dataFolder);
  const mode = databaseUrl ? { max: 1 } : { readonly: true, create: false };
  return storeOver(new Bun.SQL({ ...connection.options, ...mode } as Bun.SQL.Options), connection, timeoutMs);
}

const readClock = rowReader("the clock", Type.Object({ now_ms: IntColumn }));

/** The time of the shared database's server, in Unix milliseconds. */
export async function databaseClockMs(store: Store): Promise<number> {
  const sql = "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms";
  return readClock(await store.query(sql))[0]?.now_ms ?? Number.NaN;
}

function storeOver(client: Bun.SQL, connection: Connection, timeoutMs: number): Store {
  let pending = 0;
  const { engine, warnings } = connection;
  const run = engine === "sqlite" ? patiently : withTimeout;
  const turns = engine === "sqlite" ? createTurns() : separateConnections;
  return {
    engine,
    warnings,
    async query(sql, parameters = []) {
      if (pending >= maxPending) throw storeError("busy", new Error(`${pending} statements are waiting`));
      pending += 1;
      try {
        return await turns.statement(() => run(() => client.unsafe(sql, [...parameters]), timeoutMs));
      } finally {
        pending -= 1;
      }
    },
    transaction: (work) =>
      turns.transaction(() =>
        transactionOf(client, engine, (inside) => work(storeInside(inside, connection, timeoutMs))),
      ),
    close: () => client.close({ timeout: 1 }),
  };
}

/** PostgreSQL uses a separate connection for each transaction. */
const separateConnections: Turns = { statement: (run) => run(), transaction: (run) => run() };

async function transactionOf<Result>(
  client: Bun.SQL,
  engine: Store["engine"],
  work: (inside: Bun.SQL) => Promise<Result>,
): Promise<Result> {
  try {
    // `immediate` is refused while another process writes, before any statement has run.
    return await (engine === "sqlite" ? whileBusy(() => client.begin("immediate", work)) : client.begin(work));
  } catch (thrown) {
    throw isOfStore(thrown) ? translated(thrown) : thrown;
  }
}

/** Errors of `work` itself are rethrown unchanged. */
const isOfStore = (thrown: unknown): boolean => thrown instanceof Bun.SQL.SQLError;

function storeInside(inside: Bun.SQL, { engine, warnings }: Connection, timeoutMs: number): Store {
  const run = engine === "sqlite" ? once : withTimeout;
  return {
    engine,
    warnings,
    isTransaction: true,
    query: (sql, parameters = []) => run(() => inside.unsafe(sql, [...parameters]), timeoutMs),
    transaction: () => Promise.reject(new Error("a transaction inside a transaction")),
    close: () => Promise.reject(new Error("a transaction does not close the store")),
  };
}

async function once(run: Run): Promise<readonly unknown[]> {
  return rowsOf(await run());
}

type Run = () => Promise<unknown>;

async function patiently(run: Run): Promise<readonly unknown[]> {
  try {
    return rowsOf(await whileBusy(run));
  } catch (thrown) {
    throw translated(thrown);
  }
}

/** Bun's client has no timeout for a running statement; the server's timeout ends the statement. */
async function withTimeout(run: Run, timeoutMs: number): Promise<readonly unknown[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  try {
    return rowsOf(await Promise.race([run(), late]));
  } catch (thrown) {
    throw translated(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** A duplicate is an expected result; everything else means that the store is unavailable. */
function translated(thrown: unknown): unknown {
  if (thrown instanceof GatewayError) return thrown;
  const failure = failureOf(thrown);
  return failure.kind === "duplicate" ? thrown : storeError(failure.kind, thrown);
}

function rowsOf(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new Error("the client gave something that is not rows");
  return result;
}

/** Another process that opens or closes the same file locks it for a moment, even against a pragma. */
async function tuneSqlite(client: Bun.SQL): Promise<void> {
  await client.unsafe(`pragma busy_timeout = ${busyBlockMs}`);
  await whileBusy(async () => {
    await client.unsafe("pragma journal_mode = wal");
    await client.unsafe("pragma synchronous = full");
    await client.unsafe("pragma cache_size = -2000");
    // What is deleted is overwritten, and not only forgotten.
    await client.unsafe("pragma secure_delete = on");
  });
}

function migrationConnection(connection: Connection, { databaseUrl }: StoreOptions): Connection {
  return databaseUrl ? postgresConnection(databaseUrl, 60_000) : connection;
}

function writableFolder(dataFolder: string): string {
  try {
    mkdirSync(dataFolder, { recursive: true });
  } catch (cause) {
    throw makeFailure(dataFolder, cause);
  }
  return dataFolder;
}
