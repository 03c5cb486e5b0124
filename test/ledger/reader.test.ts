// The thread that reads the ledger gives what the functions give.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLedgerReader } from "../../src/gateway/ledger/reader.ts";
import { readRequestPage } from "../../src/gateway/ledger/request-list.ts";
import { readUsageReport } from "../../src/gateway/ledger/usage-report.ts";
import { temporaryFolder } from "../store/engines.ts";
import { fillLedger } from "../support/many-requests.ts";
import { addRows } from "./many-rows.ts";

test("usage and pages come from the thread as from this one, and so do faults", async () => {
  const folder = temporaryFolder();
  await addRows(folder.path, 300);
  const reader = createLedgerReader(folder.path);
  const usage = { groupBy: ["day", "key"] } as const;
  expect(await reader.usage(usage)).toEqual(readUsageReport(folder.path, usage));
  const page = { limit: 10, filter: { model: "smart" } };
  expect(await reader.requests(page)).toEqual(readRequestPage(folder.path, page));
  const fault = await reader.requests({ limit: 1, cursor: "x" }).catch((thrown: unknown) => String(thrown));
  expect(fault).toContain("The cursor is not one");
  reader.close();
  folder.remove();
});

test("queries are refused when they have waited for the index, and answered when it is made", async () => {
  const folder = temporaryFolder();
  await fillLedger({ dataFolder: folder.path, rows: 40_000, startMs: Date.now() - 40_000_000, everyMs: 1_000 });
  const reader = createLedgerReader(folder.path, 50);
  const refused = { code: "ledger_index_not_ready", status: 503, retryAfterMs: 60_000 };
  const made = reader.catchUp();
  await expect(reader.requests({ limit: 1 })).rejects.toMatchObject(refused);
  await expect(reader.usage({ groupBy: ["day"] })).rejects.toMatchObject(refused);
  await made;
  const patient = createLedgerReader(folder.path);
  expect((await patient.requests({ limit: 1 })).rows).toHaveLength(1);
  patient.close();
  reader.close();
  folder.remove();
});

test("the index is brought up to date without a query", async () => {
  const folder = temporaryFolder();
  await addRows(folder.path, 300);
  const reader = createLedgerReader(folder.path);
  await reader.catchUp();
  using index = new Database(join(folder.path, "usage.db"));
  expect(index.query("select through from files").values()).toEqual([[300]]);
  reader.close();
  folder.remove();
});
