// The ledger's promises: committed before it says so, once, recovered, and honest about a disk that refuses.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ledger, type LedgerOptions, openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement, usageOf } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
let ledgers: Ledger[];

beforeEach(() => {
  folder = temporaryFolder();
  ledgers = [];
});
afterEach(async () => {
  for (const ledger of ledgers) await ledger.close();
  folder.remove();
});

function opened(options: Partial<LedgerOptions> = {}): Ledger {
  const ledger = openLedger({ dataFolder: folder.path, ...options });
  ledgers.push(ledger);
  return ledger;
}

async function closed(ledger: Ledger): Promise<void> {
  ledgers = ledgers.filter((other) => other !== ledger);
  await ledger.close();
}

/** Not `expect().rejects`, which waits without an end for a promise that is lost. */
const refusalOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const refused = { status: 503, code: "ledger_unavailable" };

const entries = () => readRequests(folder.path, { limit: 100 });

test("an opening is there for a reader as soon as it is acknowledged, and so is its settlement", async () => {
  const ledger = opened();
  const known = {
    ...{ organization: "org", project: "prj", endUser: "user", session: "sess" },
    ...{ reservedNanoDollars: 5n, costVersion: "c1", priceVersion: "p1" },
  };
  const entry = await ledger.open(opening("a", known));
  expect(entries()).toMatchObject([{ id: "a", state: "open", costNanoDollars: null, httpStatus: null, stream: 1 }]);
  const costNanoDollars = 9_007_199_254_740_993n;
  expect(
    await entry.settle(
      settlement({
        ...{ costNanoDollars, priceNanoDollars: 7n, credential: "main", attemptStartedMs: 1.4, firstByteMs: 2.6 },
        usage: {
          ...{ inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, cacheWrite1hTokens: 4, outputTokens: 5 },
          ...{
            reasoningTokens: 6,
            audioInputTokens: 7,
            imageInputTokens: 8,
            audioOutputTokens: 9,
            imageOutputTokens: 10,
          },
          ...{ estimated: true, reported: ["inputTokens", "searches"] },
          units: [
            { kind: "images", amount: 2, size: "1024x1024", quality: "high" },
            { kind: "images", amount: 1 },
            { kind: "audioMs", amount: 8_470 },
            { kind: "searches", amount: 3 },
          ],
        },
      }),
    ),
  ).toBe(true);
  const { usage: _usage, ...end } = settlement();
  const { inputTokens: _input, ...open } = opening("a", known);
  const { unitDetails, estimatedBuckets, ...row } = entries()[0] ?? ({} as never);
  expect<unknown>(row).toEqual({
    ...{ ...open, ...end, n: 1, stream: 1, estimated: 1, charged: 1, replayOf: null, settledSeq: 2 ** 32 + 1 },
    ...{ costNanoDollars, priceNanoDollars: 7n, credential: "main", attemptStartedMs: 1, firstByteMs: 3 },
    ...{ inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, cacheWrite1hTokens: 4, outputTokens: 5 },
    ...{ reasoningTokens: 6, audioInputTokens: 7, imageInputTokens: 8, audioOutputTokens: 9, imageOutputTokens: 10 },
    ...{ images: 3, audioMs: 8_470, videoMs: 0, characters: 0, pages: 0, searches: 3, billedRequests: 0 },
  });
  expect(JSON.parse(unitDetails ?? "")).toMatchObject([{ size: "1024x1024", quality: "high" }, {}, {}, {}]);
  expect(estimatedBuckets?.split(" ")).toEqual([
    ...["cacheReadTokens", "cacheWriteTokens", "cacheWrite1hTokens", "audioInputTokens", "imageInputTokens"],
    ...["outputTokens", "reasoningTokens", "audioOutputTokens", "imageOutputTokens", "images", "audioMs"],
  ]);
});

test("a second settlement changes nothing and says so", async () => {
  const entry = await opened().open(opening("a"));
  const ends = await Promise.all([entry.settle(settlement()), entry.settle(settlement({ state: "failed" }))]);
  expect(ends).toEqual([true, false]);
  expect(await entry.settle(settlement({ state: "cancelled" }))).toBe(false);
  expect(entries()).toMatchObject([{ state: "completed" }]);
});

test("what comes in one turn is one transaction, and every caller hears of it", async () => {
  const ledger = opened();
  const all = await Promise.all(Array.from({ length: 50 }, (_, index) => ledger.open(opening(`r${index}`))));
  await Promise.all(all.map((entry, index) => entry.settle(settlement({ usage: usageOf({ outputTokens: index }) }))));
  const rows = entries();
  expect(rows.map((row) => row.outputTokens)).toEqual(Array.from({ length: 50 }, (_, index) => 49 - index));
});

test("a row that cannot be written takes no other of its turn with it", async () => {
  const ledger = opened();
  const broken = { ...opening("bad"), model: null } as never;
  const results = await Promise.allSettled([ledger.open(opening("a")), ledger.open(broken), ledger.open(opening("b"))]);
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { status: 503, code: "ledger_unavailable" } });
  expect(entries().map((row) => row.id)).toEqual(["b", "a"]);
  await ledger.open(opening("c"));
});

test("open rows of an earlier process become interrupted, with the last that was reported", async () => {
  let monotonicMs = 0;
  const first = opened({ clock: { nowMs: () => 0, monotonicMs: () => monotonicMs } });
  const usage = { inputTokens: 10, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 3, reasoningTokens: 4 };
  const entry = await first.open(opening("a"));
  const done = await first.open(opening("b"));
  monotonicMs = 4_999;
  entry.progress({ usage: { ...usage, outputTokens: 1 } });
  monotonicMs = 5_000;
  entry.progress({ usage, provider: "sandbox" });
  monotonicMs = 9_999;
  entry.progress({ usage: { ...usage, outputTokens: 99 } });
  await done.settle(settlement());
  await closed(first);
  const second = opened();
  expect(second.interrupted).toBe(1);
  expect(entries()).toMatchObject([
    { id: "b", state: "completed" },
    {
      ...usage,
      id: "a",
      state: "interrupted",
      provider: "sandbox",
      durationMs: 5_000,
      estimated: 1,
      errorCode: "interrupted",
    },
  ]);
  expect((await second.open(opening("c"))).settle).toBeFunction();
  expect(entries().map((row) => row.id)).toEqual(["c", "b", "a"]);
});

test("checkpoints run while rows are written, and none of them is lost or recovered twice", async () => {
  const failures: unknown[] = [];
  const ledger = opened({ checkpointEveryRows: 50, onFailure: (error) => failures.push(error) });
  const long = await ledger.open(opening("long"));
  for (let index = 0; index < 400; index++) await (await ledger.open(opening(`r${index}`))).settle(settlement());
  await closed(ledger);
  expect(failures).toEqual([]);
  expect(Bun.file(join(folder.path, "ledger.db-wal")).size).toBe(0);
  const next = opened();
  expect(next.interrupted).toBe(1);
  expect(readUsage(folder.path, { groupBy: ["model"] })).toMatchObject([
    { group: { model: "smart" }, requests: 401, errors: 1, open: 0 },
  ]);
  expect(await refusalOf(long.settle(settlement()))).toMatchObject(refused);
  expect(await refusalOf(ledger.open(opening("late")))).toMatchObject(refused);
});

test("a second process is refused in one sentence, and let in when the first is gone", async () => {
  const ledger = opened();
  expect(() => openLedger({ dataFolder: folder.path })).toThrow(
    /^The data folder .* is in use by another running gateway\.$/,
  );
  const script = `import { openLedger } from ${JSON.stringify(join(import.meta.dir, "../../src/gateway/ledger/ledger.ts"))};
    openLedger({ dataFolder: ${JSON.stringify(folder.path)} });`;
  const outside = Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" });
  expect(await outside.stderr.text()).toContain("is in use by another running gateway");
  expect(await outside.exited).not.toBe(0);
  await closed(ledger);
  opened();
});

test("a file that is no ledger is one sentence, and the folder is let go", () => {
  writeFileSync(join(folder.path, "ledger.db"), "not a database, ".repeat(100));
  const open = () => openLedger({ dataFolder: folder.path });
  expect(open).toThrow(/^The ledger in the data folder .* cannot be opened: .*\.$/);
  expect(open).toThrow("cannot be opened");
});

describe("a disk that refuses", () => {
  const holder = () => {
    const database = new Database(join(folder.path, "ledger.db"));
    database.run("begin immediate");
    return { release: () => database.run("rollback"), [Symbol.dispose]: () => database.close() };
  };

  test("lets no new request in, and settlements wait until it heals", async () => {
    const refusals: unknown[] = [];
    const ledger = opened({ onFailure: (error) => refusals.push(error) });
    const entry = await ledger.open(opening("a"));
    using held = holder();
    expect(await refusalOf(ledger.open(opening("b")))).toMatchObject(refused);
    const ending = entry.settle(settlement());
    await Bun.sleep(40);
    expect(await refusalOf(ledger.open(opening("c")))).toMatchObject(refused);
    held.release();
    expect(await ending).toBe(true);
    await ledger.open(opening("d"));
    expect(entries().map((row) => [row.id, row.state])).toEqual([
      ["d", "open"],
      ["a", "completed"],
    ]);
    expect(refusals.length).toBeGreaterThan(1);
  });

  test("for too long: the caller of a settlement is told, and it is written all the same", async () => {
    const ledger = opened({ settleWaitMs: 30 });
    const entry = await ledger.open(opening("a"));
    using held = holder();
    expect(await refusalOf(entry.settle(settlement()))).toMatchObject(refused);
    held.release();
    await closed(ledger);
    expect(entries()).toMatchObject([{ id: "a", state: "completed" }]);
  });
});
