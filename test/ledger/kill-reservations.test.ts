// `kill -9` while requests reserve, open and settle: each start finds what was spent, and holds what is still pending, nothing else.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../store/engines.ts";

const isFull = process.env["TURNPIKE_TEST_FULL"] === "1";
const kills = Number(process.env["TURNPIKE_TEST_RESERVATION_KILLS"] ?? (isFull ? 1_000 : 8));
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** What a process says before it is killed, so many milliseconds after it is ready; without a time it ends by itself. */
async function resultOf(killMs: number | null): Promise<string[]> {
  const task = killMs === null ? ["finish"] : [];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "reserving-child.ts"), folder.path, ...task], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  let isReady = false;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (isReady || killMs === null || !text.includes("ready\n")) continue;
    isReady = true;
    setTimeout(() => child.kill("SIGKILL"), killMs);
  }
  const code = await child.exited;
  expect([code, child.signalCode]).toEqual(killMs === null ? [0, null] : [137, "SIGKILL"]);
  return text.slice(0, text.lastIndexOf("\n")).split("\n");
}

/** What a start must find in the rows: rows that are open are charged 3 each, and pending ones hold what they reserved. */
function sums(): { readonly spent: bigint; readonly reserved: bigint } {
  if (!existsSync(join(folder.path, "ledger.db"))) return { spent: 0n, reserved: 0n };
  using database = new Database(join(folder.path, "ledger.db"), { readonly: true, safeIntegers: true });
  const one = (sql: string): bigint => BigInt(Object(database.query(sql).get()).n ?? 0);
  return {
    spent: one("select sum(iif(state = 'open', 3, price)) as n from requests"),
    reserved: one("select sum(reserved) as n from requests where state = 'pending'"),
  };
}

const budgetLines = ({ spent, reserved }: ReturnType<typeof sums>): string[] =>
  ["total", "month"].map((period) => `${period} ${spent} ${reserved}`);

test(`${kills} kills lose no reservation and leave none`, async () => {
  const settled = new Map<string, bigint>();
  const pending = new Set<string>();
  const startedMs = performance.now();
  for (let round = 0; round <= kills; round++) {
    const expected = budgetLines(sums());
    const lines = await resultOf(round === kills ? null : Math.random() * 60);
    expect(lines.slice(0, 2)).toEqual(expected);
    for (const line of lines) {
      const [kind, id = "", price = "0"] = line.split(" ");
      if (kind === "S") settled.set(id, BigInt(price));
      if (kind === "P") pending.add(id);
    }
    if (round < kills) continue;
    const after = sums();
    expect(after.reserved).toBe(0n);
    expect(lines.slice(-2)).toEqual(budgetLines(after));
  }
  const tookMs = performance.now() - startedMs;
  using database = new Database(join(folder.path, "ledger.db"), { readonly: true, safeIntegers: true });
  const rows = database.query("select id, state, price from requests").all() as {
    id: string;
    state: string;
    price: bigint;
  }[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect(byId.size).toBe(rows.length);
  expect([...settled].filter(([id, price]) => byId.get(id)?.price !== price)).toEqual([]);
  expect([...pending].filter((id) => byId.get(id)?.state !== "completed")).toEqual([]);
  expect(rows.filter(({ state, price }) => state === "interrupted" && price !== 3n)).toEqual([]);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["completed", "interrupted"]));
  expect(settled.size).toBeGreaterThan(kills);
  if (isFull) process.stdout.write(`${kills} kills, ${rows.length} rows: ${Math.round(tookMs / 1_000)} s\n`);
}, 3_600_000);
