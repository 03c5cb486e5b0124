// How the store opens, migrates, refuses and fails.

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { putCatalogEntry } from "../../src/store/catalog.ts";
import { postgresConnection, sqliteConnection } from "../../src/store/connect.ts";
import { migrate } from "../../src/store/migrate.ts";
import { migrations } from "../../src/store/migrations/index.ts";
import { BigIntColumn, IntColumn, NullableBigInt, rowReader } from "../../src/store/rows.ts";
import { openStore } from "../../src/store/store.ts";
import { engines, freshDatabase, serverUrl, temporaryFolder } from "./engines.ts";

for (const engine of engines) {
  describe.skipIf(engine.skipped)(engine.name, () => {
    test("money beyond 2^53 and null come back exactly", async () => {
      const opened = await engine.open();
      await opened.store.query("create table money (amount bigint, count bigint)");
      await opened.store.query("insert into money values ($1, $2)", [9_007_199_254_740_993n, 12]);
      await opened.store.query("insert into money values ($1, $2)", [null, 1_760_000_000_000]);
      const rows = await opened.store.query("select amount, count from money order by count");
      const read = rowReader("money", Type.Object({ amount: NullableBigInt, count: IntColumn }));
      expect(read(rows)).toEqual([
        { amount: 9_007_199_254_740_993n, count: 12 },
        { amount: null, count: 1_760_000_000_000 },
      ]);
      const asCount = rowReader("money", Type.Object({ amount: IntColumn, count: IntColumn }));
      expect(() => asCount(rows)).toThrow("too large");
      const wrong = rowReader("money", Type.Object({ amount: BigIntColumn, count: IntColumn }));
      expect(() => wrong(rows)).toThrow("money");
      await opened.dispose();
    });

    test("migrations that two instances start together are applied once", async () => {
      const opened = await engine.open();
      await Promise.all([opened.second(), opened.second(), opened.second()]);
      expect(await opened.store.query("select name from migrations")).toHaveLength(migrations.length);
      await opened.dispose();
    });
  });
}

test("a migration that fails half way leaves nothing behind", async () => {
  const folder = temporaryFolder();
  const connection = sqliteConnection(folder.path);
  const broken = { name: "broken", statements: ["create table half (a bigint)", "create nonsense"] };
  await expect(migrate(connection, [broken])).rejects.toThrow("syntax error");
  await migrate(connection, [{ name: "whole", statements: ["create table half (a bigint)"] }]);
  folder.remove();
});

test("two processes that migrate one SQLite file at once both succeed", async () => {
  const folder = temporaryFolder();
  const script = `import { openStore } from ${JSON.stringify(join(import.meta.dir, "../../src/store/store.ts"))};
    await (await openStore({ dataFolder: ${JSON.stringify(folder.path)} })).close();`;
  const start = () => Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" }).exited;
  expect(await Promise.all([start(), start(), start()])).toEqual([0, 0, 0]);
  folder.remove();
});

test("a folder that cannot be made is one sentence", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "file"), "");
  await expect(openStore({ dataFolder: join(folder.path, "file", "data") })).rejects.toThrow(
    /^The data folder .* cannot be created: .*\.$/,
  );
  folder.remove();
});

test("a database file that is no database is one sentence that names it", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "turnpike.db"), "not a database, ".repeat(100));
  chmodSync(join(folder.path, "turnpike.db"), 0o600);
  await expect(openStore({ dataFolder: folder.path })).rejects.toThrow(
    /turnpike\.db in the data folder .* cannot be opened: /,
  );
  folder.remove();
});

test("a database that nobody serves is one sentence without the password", async () => {
  const opening = openStore({ dataFolder: "unused", databaseUrl: "postgres://me:hunter2@127.0.0.1:1/turnpike" });
  const thrown = await opening.catch((error: unknown) => error);
  expect((thrown as Error).message).toBe(
    "The database turnpike at 127.0.0.1:1 cannot be opened as user 'me': the host does not exist, or the port is closed. Check DATABASE_URL.",
  );
  expect(Bun.inspect(thrown)).not.toContain("hunter2");
});

/** A server that answers every connection as PostgreSQL answers one that it refuses. */
function refusingServer(code: string) {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mhunter2 is wrong\0\0`);
  const head = Buffer.from([69, 0, 0, 0, fields.length + 4]);
  return Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end(Buffer.concat([head, fields])) },
  });
}

test.each([
  ["28P01", "the server refuses the user or the password"],
  ["3D000", "the database does not exist"],
  ["53300", "the server has no free connections"],
])("a database that refuses with %s says so in one sentence with host and user", async (code, reason) => {
  const server = refusingServer(code);
  const databaseUrl = `postgres://me%40home:hunter2@127.0.0.1:${server.port}/turnpike`;
  const thrown = await openStore({ dataFolder: "unused", databaseUrl }).catch((error: unknown) => error);
  server.stop(true);
  expect((thrown as Error).message).toBe(
    `The database turnpike at 127.0.0.1:${server.port} cannot be opened as user 'me@home': ${reason}. Check DATABASE_URL.`,
  );
});

test("an address that is not PostgreSQL's is refused without being repeated", async () => {
  const opening = openStore({ dataFolder: "unused", databaseUrl: "mysql://me:hunter2@host/db" });
  await expect(opening).rejects.toThrow("DATABASE_URL is not a postgres:// address.");
});

describe("a host that is not this machine must prove its certificate", () => {
  const modeOf = (url: string) =>
    new URL(String((postgresConnection(url).options as { url: string }).url)).searchParams.get("sslmode");
  test("by default", () => expect(modeOf("postgres://u@db.example/x")).toBe("verify-full"));
  test("but not on this machine", () => expect(modeOf("postgres://u@127.0.0.1/x")).toBeNull());
  test("and what the URL says wins, with a warning", () => {
    expect(modeOf("postgres://u@db.example/x?sslmode=require")).toBe("require");
    expect(postgresConnection("postgres://u:p@db.example/x?sslmode=require").warnings).toEqual([
      "The connection to the database at db.example does not verify its certificate (sslmode=require).",
    ]);
    expect(postgresConnection("postgres://u@db.example/x").warnings).toEqual([]);
  });
});

test("SQLite that another process holds makes a writer wait without stopping the event loop", async () => {
  const folder = temporaryFolder();
  const store = await openStore({ dataFolder: folder.path });
  const holder = new Database(join(folder.path, "turnpike.db"));
  holder.run("begin immediate");
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
    if (ticks === 10) holder.run("rollback");
  }, 10);
  await store.query("insert into settings (name, value) values ($1, $2)", ["a", "b"]);
  clearInterval(ticking);
  expect(ticks).toBeGreaterThanOrEqual(10);
  holder.close();
  await store.close();
  folder.remove();
});

describe.skipIf(!serverUrl)(
  serverUrl ? "PostgreSQL" : "PostgreSQL (skipped: TURNPIKE_TEST_POSTGRES is not set)",
  () => {
    test("a statement that does not end is told to the caller in time", async () => {
      const database = await freshDatabase();
      const store = await openStore({ dataFolder: "unused", databaseUrl: database.url, timeoutMs: 80 });
      const thrown = await store.query("select pg_sleep(1)").catch((error: unknown) => error);
      expect(thrown).toMatchObject({ status: 503, code: "store_unavailable" });
      await store.close();
      await database.drop();
    });

    /** Resolves when some statement in this database waits for a lock. */
    async function untilWaiting(client: Bun.SQL): Promise<void> {
      const sql = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      while ((await client.unsafe(sql)).length === 0) await Bun.sleep(5);
    }

    test("an instance waits while another one migrates", async () => {
      const database = await freshDatabase();
      const other = new Bun.SQL({ url: database.url, max: 2 });
      let opening: ReturnType<typeof openStore> | undefined;
      await other.begin(async (inside) => {
        await inside.unsafe("select pg_advisory_xact_lock(7421884)");
        await inside.unsafe("create table migrations (name text primary key, applied_at_ms bigint not null)");
        for (const { name } of migrations) await inside.unsafe("insert into migrations values ($1, 1)", [name]);
        opening = openStore({ dataFolder: "unused", databaseUrl: database.url });
        await untilWaiting(other);
      });
      const store = await opening;
      expect(await store?.query("select name from migrations")).toHaveLength(migrations.length);
      await store?.close();
      await other.close();
      await database.drop();
    });

    test("a writer whose number was taken takes the next one", async () => {
      const database = await freshDatabase();
      const store = await openStore({ dataFolder: "unused", databaseUrl: database.url });
      const other = new Bun.SQL({ url: database.url, max: 2 });
      let writing: Promise<number | undefined> | undefined;
      await other.begin(async (inside) => {
        await inside.unsafe("insert into catalog (kind, name, body, version) values ('route', 'first', '{}', 1)");
        writing = putCatalogEntry(store, { kind: "route", name: "second", body: "{}" });
        await untilWaiting(other);
      });
      expect(await writing).toBe(2);
      await store.close();
      await other.close();
      await database.drop();
    });

    test("rows of one statement never reach another", async () => {
      const database = await freshDatabase();
      const store = await openStore({ dataFolder: "unused", databaseUrl: database.url });
      const requested = Array.from({ length: 400 }, (_, index) => index);
      const sql = (index: number) => `select $1 as requested, ${index % 7} as kind, pg_sleep(random() / 500)`;
      const answers = await Promise.all(requested.map((index) => store.query(sql(index), [`${index}`])));
      expect(answers.map((rows) => Number(Object(rows[0]).requested))).toEqual(requested);
      await store.close();
      await database.drop();
    });
  },
);
