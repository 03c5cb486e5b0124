// The one SQL connection of the house: statements in, rows out, on SQLite or PostgreSQL.
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
 * Changes are statements with `$1`-style parameters that both engines understand. What one statement cannot do is a
 * `transaction`. On SQLite all statements share one connection, so that others wait until it is over.
 */
export interface Store {
  readonly engine: "sqlite" | "postgres";
  /** True for the store that a transaction works with: a statement that fails there ends all of it. */
  readonly isTransaction?: true;
  /** What an operator should know about the connection; empty when all is well. */
  readonly warnings: readonly string[];
  /** Rows of one statement, integers as bigint. GatewayError `overloaded` (503) when the store is busy or away. */
  query(sql: string, parameters?: readonly SqlValue[]): Promise<readonly unknown[]>;
  /**
   * Everything that `work` does with the store that it is given, or nothing where it throws. It may run again where
   * another process holds the database, awaits nothing but its statements, and uses no other store.
   */
  transaction<Result>(work: (inside: Store) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly dataFolder: string;
  /** `postgres://…` for a database that instances share; without it, a file in the data folder. */
  readonly databaseUrl?: string | undefined;
  /** How long one statement may take in all before the caller is told that the store does not answer. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5_000;
/** Statements under way or waiting for a connection; beyond it the store says busy instead of piling them up. */
const maxPending = 512;
/** Opens the store and brings its tables up to date. Throws an Error with one sentence when it cannot. */
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

/** Whether there is an embedded database in this folder. */
export const storeExists = (dataFolder: string): boolean => existsSync(join(dataFolder, "turnpike.db"));

/** Opens the database as it is: nothing is created, migrated or written. A query fails where a table is missing. */
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

/** PostgreSQL gives a transaction a connection of its own. */
const separateConnections: Turns = { statement: (run) => run(), transaction: (run) => run() };

async function transactionOf<Result>(
  client: Bun.SQL,
  engine: Store["engine"],
  work: (inside: Bun.SQL) => Promise<Result>,
): Promise<Result> {
  try {
    // `immediate` is refused while another process writes, before anything is done.
    return await (engine === "sqlite" ? whileBusy(() => client.begin("immediate", work)) : client.begin(work));
  } catch (thrown) {
    throw isOfStore(thrown) ? told(thrown) : thrown;
  }
}

/** Errors of `work` itself pass unchanged. */
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
    throw told(thrown);
  }
}

/** Bun's client has no timer for a running statement; the statement itself is ended by the server's own timeout. */
async function withTimeout(run: Run, timeoutMs: number): Promise<readonly unknown[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  try {
    return rowsOf(await Promise.race([run(), late]));
  } catch (thrown) {
    throw told(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** A duplicate is an answer that the table groups expect; everything else means that the store cannot serve. */
function told(thrown: unknown): unknown {
  if (thrown instanceof GatewayError) return thrown;
  const failure = failureOf(thrown);
  return failure.kind === "duplicate" ? thrown : storeError(failure.kind, thrown);
}

function rowsOf(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new Error("the client gave something that is not rows");
  return result;
}

/** Another process that opens or closes the same file holds it for a moment, also against a pragma. */
async function tuneSqlite(client: Bun.SQL): Promise<void> {
  await client.unsafe(`pragma busy_timeout = ${busyBlockMs}`);
  await whileBusy(async () => {
    await client.unsafe("pragma journal_mode = wal");
    await client.unsafe("pragma synchronous = full");
    await client.unsafe("pragma cache_size = -2000");
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
