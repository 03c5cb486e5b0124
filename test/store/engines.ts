// The engines that the store suite runs on: SQLite always, PostgreSQL where a server is given.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/store.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Another connection to the same database, as a second instance would have. */
  second(): Promise<Store>;
  dispose(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  readonly skipped: boolean;
  open(): Promise<OpenedStore>;
}

export const serverUrl = process.env["TURNPIKE_TEST_POSTGRES"];

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A database of its own for one test, so that tests do not see each other. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = new URL(serverUrl ?? "");
  const admin = async (sql: string) => {
    const client = new Bun.SQL({ url: serverUrl ?? "", max: 1 });
    await client.unsafe(sql);
    await client.close();
  };
  await admin(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`drop database ${name} with (force)`) };
}

async function openSqlite(): Promise<OpenedStore> {
  const folder = temporaryFolder();
  return await opened({ dataFolder: folder.path }, async () => folder.remove());
}

async function openPostgres(): Promise<OpenedStore> {
  const database = await freshDatabase();
  return await opened({ dataFolder: "unused", databaseUrl: database.url }, database.drop);
}

async function opened(options: Parameters<typeof openStore>[0], clean: () => Promise<void>): Promise<OpenedStore> {
  const stores: Store[] = [];
  const open = async () => {
    const store = await openStore(options);
    stores.push(store);
    return store;
  };
  const dispose = async () => {
    for (const store of stores) await store.close();
    await clean();
  };
  return { store: await open(), second: open, dispose };
}

export const engines: readonly Engine[] = [
  { name: "SQLite", skipped: false, open: openSqlite },
  {
    name: serverUrl ? "PostgreSQL" : "PostgreSQL (skipped: TURNPIKE_TEST_POSTGRES is not set)",
    skipped: !serverUrl,
    open: openPostgres,
  },
];
