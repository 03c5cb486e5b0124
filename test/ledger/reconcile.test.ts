// Reconciling: figures that were changed behind the ledger's back are found and made again, and an invoice is compared by day and model.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { reconcileIndex, reconcileInvoice } from "../../src/gateway/ledger/reconcile.ts";
import { place } from "../cli/command.ts";
import { temporaryFolder } from "../store/engines.ts";
import { addRows } from "./many-rows.ts";
import { opening, settlement, usageOf } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

test("a sum that is not that of its rows is found, and is right afterwards", async () => {
  await addRows(folder.path, 800);
  expect(reconcileIndex(folder.path)).toEqual([]);
  {
    using database = new Database(join(folder.path, "usage.db"));
    database.run(
      "update sums set output_tokens = output_tokens + 5 where level = 'day' and key_id = 'key_a' and model = 'fast'",
    );
  }
  const found = reconcileIndex(folder.path);
  expect(found.length).toBeGreaterThan(0);
  expect(found[0]).toMatchObject({ figure: "outputTokens", group: { key: "key_a", model: "fast" } });
  expect(reconcileIndex(folder.path)).toEqual([]);
});

const atMs = Date.UTC(2026, 0, 31, 12);

async function bookedRows(dataFolder: string): Promise<void> {
  const ledger = openLedger({ dataFolder });
  const usage = usageOf({ inputTokens: 100, outputTokens: 20 });
  const failed = {
    ...{ number: 1, provider: "openai", upstreamModel: "gpt-x", outcome: "possible", errorCode: "upstream_reset" },
    ...{ httpStatus: null, durationMs: 1, possibleInputTokens: 30, costNanoDollars: 3_000n },
  };
  const end = settlement({ provider: "openai", upstreamModel: "gpt-x", usage, costNanoDollars: 12_000n });
  await (await ledger.open(opening("a", { atMs }))).settle(end, [failed]);
  await (await ledger.open(opening("b", { atMs: atMs + 86_400_000 }))).settle(end);
  await (await ledger.open(opening("c", { atMs }))).settle(settlement({ provider: "other", upstreamModel: "gpt-x" }));
  await ledger.close();
}

test("an invoice parts from the ledger by day and model, and possible costs count", async () => {
  await bookedRows(folder.path);
  const line = { day: "2026-01-31", model: "gpt-x", tokens: 150, nanoDollars: 15_000n };
  expect(reconcileInvoice(folder.path, "openai", [line])).toEqual([]);
  const halves = [
    { ...line, tokens: 100, nanoDollars: 15_000n },
    { ...line, tokens: 50, nanoDollars: 1n },
  ];
  expect(reconcileInvoice(folder.path, "openai", halves)).toEqual([
    {
      ...{ day: "2026-01-31", model: "gpt-x", invoiced: { tokens: 150, nanoDollars: 15_001n } },
      booked: { tokens: 150, nanoDollars: 15_000n },
    },
  ]);
  expect(reconcileInvoice(folder.path, "openai", [{ ...line, model: "gpt-y" }])).toHaveLength(2);
});

test("the command reads a CSV file and names a line that it cannot read", async () => {
  const here = place();
  const dataFolder = join(here.folder, "data");
  await bookedRows(dataFolder);
  const csv = join(here.folder, "invoice.csv");
  writeFileSync(csv, 'date,model,tokens,amount\n2026-01-31,"gpt-x",150,0.000016\n');
  const environment = { TURNPIKE_DATA: dataFolder };
  const { out } = await here.run(["reconcile", "--invoice", csv, "--provider", "openai", "--json"], environment);
  expect(JSON.parse(out)).toMatchObject({
    sums: [],
    invoice: [{ invoiced: { nanoDollars: "16000" }, booked: { nanoDollars: "15000" } }],
  });
  writeFileSync(csv, "date,model,tokens,amount\nyesterday,gpt-x,1,1\n");
  const failed = await here.run(["reconcile", "--invoice", csv, "--provider", "openai"], environment);
  expect(failed.err).toContain("Line 2 of the invoice");
});
