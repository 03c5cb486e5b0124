// Several ledger files in one folder, as a rotation or other instances leave them, are read as one.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readAttempts, readRequests } from "../../src/gateway/ledger/read.ts";
import { findRequests } from "../../src/gateway/ledger/request-list.ts";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { place } from "../cli/command.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const failedAttempt = {
  ...{ number: 1, provider: "alpha", upstreamModel: "m", outcome: "possible", errorCode: "timeout" },
  ...{ httpStatus: null, durationMs: 3, possibleInputTokens: 12 },
};

/** Requests with these ids and times, settled, in the file that is written. */
async function written(requests: readonly (readonly [id: string, atMs: number, cost: bigint | null])[]): Promise<void> {
  const ledger = openLedger({ dataFolder: folder.path });
  for (const [id, atMs, costNanoDollars] of requests) {
    const entry = await ledger.open(opening(id, { atMs, requestId: "req_same" }));
    await entry.settle(settlement({ costNanoDollars }), [failedAttempt]);
  }
  await ledger.close();
}

const moveAside = (name: string): void => renameSync(join(folder.path, "ledger.db"), join(folder.path, name));

async function twoFiles(): Promise<void> {
  await written([
    ["a", 10, 5n],
    ["c", 30, null],
    ["e", 50, 7n],
  ]);
  moveAside("ledger-2026-01.db");
  await written([
    ["b", 20, 1n],
    ["d", 30, null],
    ["f", 60, null],
  ]);
}

test("requests come in the order of their times, then of their ids, and the limit is one of all files", async () => {
  await twoFiles();
  const ids = (limit: number) => readRequests(folder.path, { limit }).map(({ id }) => id);
  expect(ids(10)).toEqual(["f", "e", "d", "c", "b", "a"]);
  expect(ids(4)).toEqual(["f", "e", "d", "c"]);
  expect(findRequests(folder.path, "req_same", 3).map(({ id }) => id)).toEqual(["f", "e", "d"]);
  expect(findRequests(folder.path, "a", 3).map(({ id }) => id)).toEqual(["a"]);
  expect(readAttempts(folder.path, "a")).toMatchObject([{ id: "a", provider: "alpha" }]);
});

test("usage is summed over them", async () => {
  await twoFiles();
  expect(readUsage(folder.path, { groupBy: ["model"] })).toMatchObject([
    { group: { model: "smart" }, requests: 6, inputTokens: 60, costNanoDollars: 13n, unpriced: 3, possibleTokens: 72 },
  ]);
  const days = readUsage(folder.path, { groupBy: ["day"], sinceMs: 20, untilMs: 31 });
  expect(days).toMatchObject([{ group: { day: "1970-01-01" }, requests: 3, costNanoDollars: 1n }]);
});

test("a file without the one that is written is read, and a copy of a file counts once", async () => {
  await twoFiles();
  copyFileSync(join(folder.path, "ledger-2026-01.db"), join(folder.path, "ledger-backup.db"));
  moveAside("ledger-2026-02.db");
  expect(readUsage(folder.path, { groupBy: ["model"] })).toMatchObject([{ requests: 6 }]);
});

test("a file that is not a ledger is one sentence with its name", async () => {
  await twoFiles();
  writeFileSync(join(folder.path, "ledger-notes.db"), "not a database, ".repeat(100));
  expect(() => readRequests(folder.path, { limit: 1 })).toThrow(/^The ledger .*ledger-notes\.db cannot be read: .+\.$/);
});

test("turnpike usage and turnpike requests show read all of them", async () => {
  await twoFiles();
  const here = place();
  const environment = { TURNPIKE_DATA: folder.path };
  const usage = await here.run(["usage"], environment);
  expect(usage.out).toMatch(/smart +6 +0 +0 +60 /);
  const shown = await here.run(["requests", "show", "req_same", "--json"], environment);
  const found = JSON.parse(shown.out) as { id: string; failedAttempts: unknown[] }[];
  expect(found.map(({ id, failedAttempts }) => [id, failedAttempts.length])).toEqual(
    ["f", "e", "d", "c", "b", "a"].map((id) => [id, 1]),
  );
  here.remove();
}, 120_000);
