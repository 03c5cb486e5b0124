// The data folder at the start: private, whole, and of one installation.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkLedger } from "../../src/gateway/ledger/integrity.ts";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { purgeOldResponses, putResponse } from "../../src/store/responses.ts";
import { openStore } from "../../src/store/store.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { opening } from "./samples.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "turnpike-folder-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A ledger with so many open requests, and of them nothing in the write-ahead log. */
async function filled(path: string, rows: number): Promise<string> {
  const ledger = openLedger({ dataFolder: path });
  await Promise.all(Array.from({ length: rows }, (_, index) => ledger.open(opening(`id-${index}-${"x".repeat(200)}`))));
  await ledger.close();
  return join(path, "ledger.db");
}

function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 8_192);
  writeFileSync(file, bytes);
}

const message = /^The ledger .*ledger\.db is damaged \(.*\)\. Restore it from a backup, or move it away together with/;

test.each([
  ["a small one", 2_000],
  ["one that is looked at in a thread", 40_000],
])(
  "a damaged page of the ledger stops the start: %s",
  async (_name, rows) => {
    using own = folder();
    const file = await filled(own.path, rows);
    const later: Error[] = [];
    await checkLedger(own.path, 60_000, (found) => later.push(found));
    damage(file);
    await expect(checkLedger(own.path, 60_000, (found) => later.push(found))).rejects.toThrow(message);
    await expect(gateway({ dataFolder: own.path })).rejects.toThrow(message);
    expect(later).toEqual([]);
  },
  60_000,
);

test("what the check finds after its time is told later", async () => {
  using own = folder();
  damage(await filled(own.path, 40_000));
  const later: Error[] = [];
  await checkLedger(own.path, 0, (found) => later.push(found));
  await until("the damage is told", () => later.length > 0);
  expect(String(later[0]?.message)).toMatch(message);
}, 60_000);

test("an empty database beside a ledger that holds requests is refused", async () => {
  using own = folder();
  await filled(own.path, 1);
  await expect(gateway({ dataFolder: own.path })).rejects.toThrow(
    /^The database turnpike\.db in .* is empty, but ledger\.db has requests\. Restore turnpike\.db/,
  );
  rmSync(join(own.path, "ledger.db"));
  await (await gateway({ dataFolder: own.path })).stop();
}, 60_000);

test("the folder and its files are their owner's only, those that were open to others too", async () => {
  using own = folder();
  await (await gateway({ dataFolder: own.path })).stop();
  chmodSync(own.path, 0o755);
  for (const name of readdirSync(own.path)) chmodSync(join(own.path, name), 0o644);
  const running = await gateway({ dataFolder: own.path });
  await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "hi" }] }),
  });
  const open = readdirSync(own.path).filter((name) => statSync(join(own.path, name)).mode & 0o077);
  expect([statSync(own.path).mode & 0o777, open]).toEqual([0o700, []]);
  await running.stop();
}, 60_000);

test("a key has so many stored responses; the oldest go, and those that are being made stay", async () => {
  using own = folder();
  const store = await openStore({ dataFolder: own.path });
  const put = (id: string, ownerKeyId: string, createdAtMs: number, aliveUntilMs: number | null = null) =>
    putResponse(store, {
      id,
      ownerKeyId,
      state: "completed",
      input: "[]",
      body: "{}",
      createdAtMs,
      expiresAtMs: 9e12,
      aliveUntilMs,
    });
  for (let index = 0; index < 1_200; index++) await put(`resp_${index}`, "a", index);
  await put("resp_running", "a", 0, 5);
  await put("resp_other", "b", 0);
  expect(await purgeOldResponses(store, 100)).toBe(1_100);
  const left = await store.query("select id from responses order by created_at_ms, id");
  expect(left.length).toBe(102);
  expect(left.slice(0, 3)).toEqual([{ id: "resp_other" }, { id: "resp_running" }, { id: "resp_1100" }]);
  await store.close();
}, 60_000);

test("the file of the ledger is whole after the check", async () => {
  using own = folder();
  const file = await filled(own.path, 10);
  await checkLedger(own.path, 1_000, () => undefined);
  using database = new Database(file, { readonly: true });
  expect(database.query("select count(*) as count from requests").get()).toEqual({ count: 10 });
});
