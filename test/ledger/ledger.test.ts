// The ledger's promises: committed before it says so, once, recovered, and honest about a disk that refuses.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ledger, type LedgerOptions, openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readEntries, readUsage } from "../../src/gateway/ledger/read.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

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

const entries = () => readEntries(folder.path, { limit: 100 });

test("an opening is there for a reader as soon as it is acknowledged, and so is its settlement", async () => {
  const ledger = opened();
  const entry = await ledger.open(opening("a"));
  expect(entries()).toMatchObject([{ id: "a", state: "open", costNanoDollars: null, httpStatus: null, stream: 1 }]);
  const costNanoDollars = 9_007_199_254_740_993n;
  expect(
    await entry.settle(
      settlement({
        costNanoDollars,
        priceVersion: "p1",
        estimated: true,
        firstByteMs: 2.6,
        units: { kind: "seconds", amount: 8.4704 },
      }),
    ),
  ).toBe(true);
  const { units: _told, ...end } = settlement();
  const { id, atMs, keyId, operation, dialect, model } = opening("a");
  expect(entries()).toEqual([
    {
      ...{ id, atMs, keyId, operation, dialect, model },
      ...end,
      stream: 1,
      estimated: 1,
      charged: 1,
      inputBound: 0,
      requestId: "req_a",
      costNanoDollars,
      priceVersion: "p1",
      unit: "seconds",
      unitThousandths: 8_470,
    },
  ]);
});

test("a file of an older version gets the columns that it lacks", async () => {
  await closed(opened());
  const path = join(folder.path, "ledger.db");
  using database = new Database(path);
  for (const column of ["unit", "unit_thousandths"]) database.run(`alter table entries drop column ${column}`);
  database.close();
  const entry = await opened().open(opening("a"));
  await entry.settle(settlement({ units: { kind: "images", amount: 2 } }));
  expect(entries()).toMatchObject([{ unit: "images", unitThousandths: 2_000 }]);
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
  await Promise.all(all.map((entry, index) => entry.settle(settlement({ outputTokens: index }))));
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
  entry.progress({ ...usage, outputTokens: 1 });
  monotonicMs = 5_000;
  entry.progress({ ...usage, provider: "sandbox" });
  monotonicMs = 9_999;
  entry.progress({ ...usage, outputTokens: 99 });
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
  expect(readUsage(folder.path, { groupBy: "model" })).toMatchObject([
    { group: "smart", requests: 401, errors: 1, open: 0 },
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

describe("usage", () => {
  const day = 86_400_000;
  beforeEach(async () => {
    const ledger = opened();
    const add = async (id: string, at: number, keyId: string, model: string, cost: bigint | null, failed = false) => {
      const entry = await ledger.open(opening(id, { atMs: at, keyId, model }));
      const end = failed ? { state: "failed" as const, provider: null, inputTokens: 0, outputTokens: 0 } : {};
      await entry.settle(settlement({ costNanoDollars: cost, ...end }));
    };
    await add("1", 0, "key_a", "smart", 5_000_000_000_000_000n);
    await add("2", day, "key_b", "smart", 5_000_000_000_000_000n);
    await add("3", day + 1, "key_a", "fast", null);
    await add("4", day + 2, "key_a", "fast", null, true);
    await ledger.open(opening("5", { atMs: 2 * day, model: "fast" }));
  });

  test("is summed by model, money exactly, the unpriced apart", () => {
    const tokens = { inputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 };
    const units = { images: 0, seconds: 0, characters: 0, searches: 0 };
    expect(readUsage(folder.path, { groupBy: "model" })).toEqual([
      {
        group: "smart",
        requests: 2,
        errors: 0,
        open: 0,
        ...tokens,
        costNanoDollars: 10_000_000_000_000_000n,
        unpriced: 0,
        possibleTokens: 0,
        ...units,
      },
      {
        group: "fast",
        requests: 3,
        errors: 1,
        open: 1,
        ...tokens,
        inputTokens: 10,
        outputTokens: 5,
        costNanoDollars: null,
        unpriced: 1,
        possibleTokens: 0,
        ...units,
      },
    ]);
  });

  test("is filtered by time and key, and grouped by day, key or provider", () => {
    const groups = (filter: Parameters<typeof readUsage>[1]) =>
      Object.fromEntries(readUsage(folder.path, filter).map((row) => [row.group, row.requests]));
    expect(groups({ groupBy: "day" })).toEqual({ "1970-01-01": 1, "1970-01-02": 3, "1970-01-03": 1 });
    expect(groups({ groupBy: "key", sinceMs: day, untilMs: 2 * day })).toEqual({ key_a: 2, key_b: 1 });
    expect(groups({ groupBy: "provider", keyId: "key_a" })).toEqual({ sandbox: 2, "": 2 });
  });

  test("units are summed by their kind, and what only has units is unpriced too", async () => {
    const other = temporaryFolder();
    const ledger = openLedger({ dataFolder: other.path });
    const bare = { inputTokens: 0, outputTokens: 0 };
    for (const units of [
      { kind: "images", amount: 2 },
      { kind: "images", amount: 1 },
      { kind: "seconds", amount: 1.5 },
    ] as const)
      await (await ledger.open(opening(`${units.kind}${units.amount}`))).settle(settlement({ ...bare, units }));
    await ledger.close();
    expect(readUsage(other.path, { groupBy: "model" })).toMatchObject([
      { unpriced: 3, images: 3_000, seconds: 1_500, characters: 0, searches: 0, costNanoDollars: null },
    ]);
    other.remove();
  });

  test("of a folder without a ledger is empty", () => {
    expect(readUsage(join(folder.path, "nowhere"), { groupBy: "model" })).toEqual([]);
  });
});
