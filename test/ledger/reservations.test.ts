// What rows held when the process that opened them died, and the order in which settlements were written.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

test("open and pending rows of an earlier process give back what they held, settled rows nothing", async () => {
  const first = openLedger({ dataFolder: folder.path });
  const held = { organization: "org", project: "prj", endUser: "user", reservedNanoDollars: 9_007_199_254_740_993n };
  await first.open(opening("open", held));
  await first.openPending(opening("pending", { reservedNanoDollars: 2n }));
  await first.open(opening("without"));
  await (await first.open(opening("settled", held))).settle(settlement());
  expect(first.reservations).toEqual([]);
  await first.close();

  const { keyId, atMs } = opening("");
  const second = openLedger({ dataFolder: folder.path });
  const unattributed = { organization: null, project: null, endUser: null };
  const pending = { id: "pending", state: "pending" as const, atMs, keyId, ...unattributed, reservedNanoDollars: 2n };
  expect(second.reservations).toEqual([{ id: "open", state: "interrupted", atMs, keyId, ...held }, pending]);
  await second.close();

  const third = openLedger({ dataFolder: folder.path });
  expect(third.reservations).toEqual([pending]);
  await third.settlePending("pending", settlement());
  await third.close();
  const fourth = openLedger({ dataFolder: folder.path });
  expect(fourth.reservations).toEqual([]);
  await fourth.close();
});

const sequences = (): Map<string, number | null> =>
  new Map(readRequests(folder.path, { limit: 100 }).map(({ id, settledSeq }) => [id, settledSeq]));

/** Ids in the order of their settlements. */
const settledOrder = (): string[] =>
  [...sequences()]
    .flatMap(([id, seq]) => (seq === null ? [] : [{ id, seq }]))
    .sort((left, right) => left.seq - right.seq)
    .map(({ id }) => id);

test("settlements are numbered in the order in which they are written, interrupted rows and later starts too", async () => {
  const first = openLedger({ dataFolder: folder.path });
  const [a, b] = await Promise.all([first.open(opening("a")), first.open(opening("b"))]);
  await first.openPending(opening("task"));
  await first.open(opening("lost"));
  await b.settle(settlement());
  await a.settle(settlement());
  expect(sequences().get("task")).toBeNull();
  await first.close();
  const second = openLedger({ dataFolder: folder.path });
  await (await second.open(opening("c"))).settle(settlement());
  await second.settlePending("task", settlement());
  expect(settledOrder()).toEqual(["b", "a", "lost", "c", "task"]);
  expect(new Set(sequences().values()).size).toBe(5);
  await second.close();
});

test("a settlement that the disk refuses at first takes its number when it is written", async () => {
  const ledger = openLedger({ dataFolder: folder.path });
  const [a, b] = await Promise.all([ledger.open(opening("a")), ledger.open(opening("b"))]);
  using holder = new Database(join(folder.path, "ledger.db"));
  holder.run("begin immediate");
  const refused = a.settle(settlement());
  await new Promise((resolve) => setImmediate(resolve));
  holder.run("rollback");
  await Promise.all([refused, b.settle(settlement())]);
  const numbers = sequences();
  expect(settledOrder()).toEqual(["a", "b"]);
  expect(numbers.get("a")).toBeGreaterThan(2 ** 32 + 1);
  await ledger.close();
});
