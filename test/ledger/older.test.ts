// A ledger of the first version, read before any gateway has opened it: every question has an answer, and the file stays as it is.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { findEntries, readAttempts, readEntries, readUsage } from "../../src/gateway/ledger/read.ts";
import { place } from "../cli/command.ts";
import { temporaryFolder } from "../store/engines.ts";

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

const row = { id: "a", inputTokens: 10, outputTokens: 5, charged: 1, inputBound: null, unit: null, requestId: null };

test("usage, entries and attempts are read, and the file is not changed", () => {
  const before = schemaNow();
  expect(readUsage(folder.path, { groupBy: "model" })).toMatchObject([
    { group: "smart", requests: 1, inputTokens: 10, outputTokens: 5, unpriced: 1, possibleTokens: 0, images: 0 },
  ]);
  expect(readEntries(folder.path, { limit: 10 })).toMatchObject([row]);
  expect(findEntries(folder.path, "a", 10)).toMatchObject([row]);
  expect(readAttempts(folder.path, "a")).toEqual([]);
  expect(schemaNow()).toEqual(before);
});

test("a gateway that opens it adds what it lacks, and the same is read", async () => {
  await openLedger({ dataFolder: folder.path }).close();
  expect(readEntries(folder.path, { limit: 10 })).toMatchObject([row]);
  expect(readUsage(folder.path, { groupBy: "model" })).toMatchObject([{ inputTokens: 10, possibleTokens: 0 }]);
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
