// A ledger of the first version, read before any gateway has opened it: every question has an answer, and the file stays as it is.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readAttempts, readRequests } from "../../src/gateway/ledger/read.ts";
import { findRequests } from "../../src/gateway/ledger/request-list.ts";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { place } from "../cli/command.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

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
  warnings text
);
create table if not exists marks (name text primary key, n integer not null) without rowid;
`;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  using database = new Database(join(folder.path, "ledger.db"), { create: true });
  database.run("pragma journal_mode = wal");
  database.run(schema);
  database.run(`insert into entries (id, at_ms, key_id, operation, dialect, model, stream, state, input_tokens, output_tokens)
    values ('a', 1760000000000, 'key_a', 'chat', 'openai-chat', 'smart', 0, 'completed', 10, 5)`);
});
afterEach(() => folder.remove());

function schemaNow(): unknown {
  using database = new Database(join(folder.path, "ledger.db"), { readonly: true });
  return database.query("select name, sql from sqlite_master order by name").all();
}

const row = { id: "a", inputTokens: 10, outputTokens: 5, charged: 1, inputBound: null, images: 0, requestId: null };

test("usage, entries and attempts are read, and the file is not changed", () => {
  const before = schemaNow();
  expect(readUsage(folder.path, { groupBy: ["model"] })).toMatchObject([
    {
      group: { model: "smart" },
      requests: 1,
      inputTokens: 10,
      outputTokens: 5,
      unpriced: 1,
      possibleTokens: 0,
      images: 0,
    },
  ]);
  expect(readRequests(folder.path, { limit: 10 })).toMatchObject([row]);
  expect(findRequests(folder.path, "a", 10)).toMatchObject([row]);
  expect(readAttempts(folder.path, "a")).toEqual([]);
  expect(schemaNow()).toEqual(before);
});

test("a gateway that opens it brings its rows along, and the same is read", async () => {
  await openLedger({ dataFolder: folder.path }).close();
  expect(readRequests(folder.path, { limit: 10 })).toMatchObject([row]);
  expect(readUsage(folder.path, { groupBy: ["model"] })).toMatchObject([{ inputTokens: 10, possibleTokens: 0 }]);
});

test("turnpike usage and turnpike requests show print it", async () => {
  const here = place();
  const environment = { TURNPIKE_DATA: folder.path };
  const usage = await here.run(["usage"], environment);
  expect({ code: usage.code, err: usage.err }).toEqual({ code: 0, err: "" });
  expect(usage.out).toMatch(/smart +1 +0 +0 +10 +0 +0 +5 /);
  const shown = await here.run(["requests", "show", "a"], environment);
  expect({ code: shown.code, err: shown.err }).toEqual({ code: 0, err: "" });
  expect(shown.out).toMatch(/inputTokens +10/);
  here.remove();
}, 120_000);

/** What the version before this one added. */
function asPreviousVersion(): void {
  using database = new Database(join(folder.path, "ledger.db"));
  database.run("alter table entries add column unit text");
  database.run("alter table entries add column unit_thousandths integer");
  database.run("alter table entries add column charged integer not null default 1");
  database.run("alter table entries add column input_bound integer");
  database.run("alter table entries add column request_id text");
  database.run("create index pending on entries (id) where state = 'pending'");
  database.run(`create table attempts (id text not null, number integer not null, provider text not null,
    upstream_model text not null, outcome text not null, error_code text not null, http_status integer,
    duration_ms integer not null, possible_input_tokens integer not null, primary key (id, number)) without rowid`);
  const add = (id: string, operation: string, state: string, unit: string | null, thousandths: number | null) =>
    database.run(
      `insert into entries (id, at_ms, key_id, operation, dialect, model, stream, state, unit, unit_thousandths, charged,
        input_bound, request_id) values (?, 1760000000000, 'key_a', ?, 'd', 'm', 0, ?, ?, ?, 0, 9, 'req')`,
      [id, operation, state, unit, thousandths],
    );
  add("image", "image", "completed", "images", 2_000);
  add("speech", "transcribe", "completed", "seconds", 1_500);
  add("video", "video", "pending", null, null);
  add("film", "video", "completed", "seconds", 8_000);
  add("chat", "chat", "open", null, null);
  database.run("insert into attempts values ('image', 1, 'alpha', 'm', 'possible', 'timeout', null, 30, 12)");
}

const previous = [
  { id: "chat", requestId: "req", inputBound: 9, charged: 0 },
  { id: "film", videoMs: 8_000, audioMs: 0 },
  { id: "video", state: "pending", videoMs: 0, settledSeq: null },
  { id: "speech", videoMs: 0, audioMs: 1_500 },
  { id: "image", images: 2, settledSeq: 2 },
  { id: "a", inputTokens: 10, charged: 1, requestId: null },
];
const previousAttempt = { provider: "alpha", outcome: "possible", possibleInputTokens: 12, credential: null };

test("rows, units and attempts of the version before are read in place, and after a gateway has opened the file", async () => {
  asPreviousVersion();
  expect(readRequests(folder.path, { limit: 10 })).toMatchObject(previous);
  expect(readAttempts(folder.path, "image")).toMatchObject([previousAttempt]);
  const ledger = openLedger({ dataFolder: folder.path });
  expect(ledger.interrupted).toBe(1);
  const [chat, ...others] = previous;
  const after = [{ ...chat, state: "interrupted", settledSeq: 2 ** 32 + 6 }, ...others];
  expect(readRequests(folder.path, { limit: 10 })).toMatchObject(after);
  expect(readAttempts(folder.path, "image")).toMatchObject([previousAttempt]);
  await ledger.settlePending("video", settlement());
  expect(readRequests(folder.path, { limit: 10 })[2]).toMatchObject({ id: "video", state: "completed" });
  await ledger.close();
  await openLedger({ dataFolder: folder.path }).close();
  expect(readRequests(folder.path, { limit: 10 }).map(({ id }) => id)).toEqual(previous.map(({ id }) => id));
});

test("a file of a newer version is refused in one sentence", async () => {
  await openLedger({ dataFolder: folder.path }).close();
  using database = new Database(join(folder.path, "ledger.db"));
  database.run("pragma user_version = 99");
  expect(() => openLedger({ dataFolder: folder.path })).toThrow(
    /^The ledger in the data folder .* cannot be opened: it was written by a newer version \(99\)\.$/,
  );
});

test("a file of version 2 is read as it is, and gets today's columns when a gateway opens it", async () => {
  const second = temporaryFolder();
  const first = openLedger({ dataFolder: second.path });
  await (await first.open(opening("b"))).settle(settlement());
  await first.close();
  const path = join(second.path, "ledger.db");
  const added = ["replay_of", "passed_over", "timings"];
  const columns = () => {
    using database = new Database(path, { readonly: true });
    return database
      .query<{ name: string }, []>("pragma table_info(requests)")
      .all()
      .map(({ name }) => name);
  };
  {
    using database = new Database(path);
    for (const name of added) database.run(`alter table requests drop column ${name}`);
    database.run("pragma user_version = 2");
  }
  expect(readRequests(second.path, { limit: 5 })).toMatchObject([
    { id: "b", state: "completed", replayOf: null, timings: null },
  ]);
  expect(readUsage(second.path, { groupBy: ["model"] })).toMatchObject([{ group: { model: "smart" }, requests: 1 }]);
  expect(columns()).not.toContain("replay_of");
  const opened = openLedger({ dataFolder: second.path });
  await (await opened.open(opening("c", { replayOf: "b" }))).settle({ ...settlement(), timings: "12,,3" });
  await opened.close();
  expect(columns()).toEqual(expect.arrayContaining(added));
  expect(findRequests(second.path, "b", 5)).toMatchObject([{ id: "b", replayOf: null, timings: null }]);
  expect(findRequests(second.path, "c", 5)).toMatchObject([{ id: "c", replayOf: "b", timings: "12,,3" }]);
  second.remove();
});
