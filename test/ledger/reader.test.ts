// The thread that reads the ledger gives what the functions give.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLedgerReader } from "../../src/gateway/ledger/reader.ts";
import { readRequestPage } from "../../src/gateway/ledger/request-list.ts";
import { readUsageReport } from "../../src/gateway/ledger/usage-report.ts";
import { temporaryFolder } from "../store/engines.ts";
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
