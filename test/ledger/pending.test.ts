// Rows of tasks: they outlive the process that began them, and are settled once, by their id.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const states = () =>
  readRequests(folder.path, { limit: 10 }).map(({ id, state, provider }) => ({ id, state, provider }));

test("a pending row is still pending after a restart, and is settled once", async () => {
  const first = openLedger({ dataFolder: folder.path });
  await first.openPending(opening("task"));
  await first.open(opening("request"));
  const { id } = first;
  await first.close();

  const second = openLedger({ dataFolder: folder.path });
  expect({ interrupted: second.interrupted, id: second.id }).toEqual({ interrupted: 1, id });
  expect(states()).toEqual([
    { id: "request", state: "interrupted", provider: null },
    { id: "task", state: "pending", provider: null },
  ]);
  const [usage] = readUsage(folder.path, { groupBy: ["model"] });
  expect(usage).toMatchObject({ requests: 2, open: 1, errors: 1 });
  expect(await second.settlePending("task", settlement({ provider: "one" }))).toBe(true);
  expect(await second.settlePending("task", settlement({ provider: "two", state: "failed" }))).toBe(false);
  expect(await second.settlePending("request", settlement({ provider: "two" }))).toBe(false);
  expect(await second.settlePending("nobody", settlement())).toBe(false);
  expect(states()).toEqual([
    { id: "request", state: "interrupted", provider: null },
    { id: "task", state: "completed", provider: "one" },
  ]);
  await second.close();
});

test("a row that is begun and concluded in one breath is settled", async () => {
  const ledger = openLedger({ dataFolder: folder.path });
  await Promise.all([
    ledger.openPending(opening("task")),
    ledger.settlePending("task", settlement({ provider: "one" })),
  ]);
  expect(states()).toEqual([{ id: "task", state: "completed", provider: "one" }]);
  await ledger.close();
});
