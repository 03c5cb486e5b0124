// The feed of settled requests: each once, in the order of settlement, also while rows settle late and files are moved aside.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { readFeed } from "../../src/gateway/ledger/feed.ts";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { temporaryFolder } from "../store/engines.ts";
import { addRows } from "./many-rows.ts";
import { opening, settlement } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function follow(after: string | undefined, limit: number) {
  const ids: string[] = [];
  let cursor = after;
  for (;;) {
    const page = readFeed(folder.path, { limit, ...(cursor === undefined ? {} : { after: cursor }) });
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.next;
    if (!page.hasMore) return { ids, next: page.next };
  }
}

test("whoever follows it gets every settled request once, those that settle late behind the others", async () => {
  const ledger = openLedger({ dataFolder: folder.path });
  const open = (id: string) => ledger.open(opening(id));
  const [a, b, c] = [await open("a"), await open("b"), await open("c")];
  expect(follow(undefined, 2)).toEqual({ ids: [], next: "" });
  await c.settle(settlement());
  const first = follow(undefined, 2);
  expect(first.ids).toEqual(["c"]);
  await ledger.openPending(opening("task"));
  const d = await open("d");
  await Promise.all([b.settle(settlement()), d.settle(settlement())]);
  const second = follow(first.next, 1);
  expect(second.ids).toEqual(["b", "d"]);
  expect(follow(second.next, 5)).toEqual({ ids: [], next: second.next });
  await Promise.all([ledger.settlePending("task", settlement()), a.settle(settlement())]);
  expect(follow(second.next, 5).ids).toEqual(["task", "a"]);
  await open("left");
  await ledger.close();
  const again = openLedger({ dataFolder: folder.path });
  await (await again.open(opening("e"))).settle(settlement());
  expect(follow(undefined, 3).ids).toEqual(["c", "b", "d", "task", "a", "left", "e"]);
  await again.close();
});

test("a ledger that was moved aside comes first, and many rows come as they settled", async () => {
  const isSettled = ({ settlement: end }: { settlement: object | null }) => end !== null;
  const older = (await addRows(folder.path, 700, 2)).filter(isSettled).map((row) => row.opening.id);
  const before = follow(undefined, 100);
  expect([...before.ids].sort()).toEqual(older.sort());
  renameSync(join(folder.path, "ledger.db"), join(folder.path, "ledger-2026-01.db"));
  const newer = (await addRows(folder.path, 1_500)).filter(isSettled).map((row) => row.opening.id);
  const after = follow(before.next, 64);
  expect([...after.ids].sort()).toEqual(newer.sort());
  expect(follow(undefined, 1_000).ids).toEqual([...before.ids, ...after.ids]);
  expect(() => readFeed(folder.path, { limit: 1, after: "x" })).toThrow("The cursor is not one");
});
