// A ledger of a million requests: reports and pages in the times that docs/performance.md names, with the event loop free meanwhile.
import { afterAll, expect, test } from "bun:test";
import { createLedgerReader } from "../../src/gateway/ledger/reader.ts";
import { temporaryFolder } from "../store/engines.ts";
import { fillLedger } from "../support/many-requests.ts";

const isFull = process.env["TURNPIKE_TEST_FULL"] === "1";
const rows = 1_000_000;
const folder = temporaryFolder();
afterAll(() => folder.remove());

const startMs = Date.UTC(2026, 0, 1);

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 9; run++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times.sort((one, other) => one - other)[4] ?? 0;
}

/** How late a timer of 1 ms comes while the work runs, sorted. */
async function delays(work: () => Promise<unknown>): Promise<number[]> {
  const late: number[] = [];
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const startedMs = performance.now();
      await Bun.sleep(1);
      late.push(Math.max(0, performance.now() - startedMs - 1));
    }
  })();
  await work();
  isOver = true;
  await watch;
  return late.sort((one, other) => one - other);
}

test.skipIf(!isFull)("usage by day and model, and filtered pages, of a million requests", async () => {
  await fillLedger({ dataFolder: folder.path, rows, startMs, everyMs: 2_592 });
  const reader = createLedgerReader(folder.path);
  const figures: Record<string, number> = {};
  const idle = await delays(() => Bun.sleep(3_000));
  const usualMs = idle[Math.floor(idle.length * 0.999)] ?? 0;
  figures["loop p99.9 without queries, ms"] = usualMs;
  const usage = () => reader.usage({ groupBy: ["day", "model"] });
  const startedMs = performance.now();
  const building = await delays(reader.catchUp);
  figures["index made, ms"] = performance.now() - startedMs;
  figures["loop p99.9 meanwhile, ms"] = building[Math.floor(building.length * 0.999)] ?? 0;
  const all = async () => {
    figures["usage by day and model, ms"] = await medianMs(usage);
    figures["usage by hour of one key, ms"] = await medianMs(() =>
      reader.usage({ groupBy: ["hour"], filter: { key: "key-7" } }),
    );
    for (const [name, filter] of Object.entries({
      "page of one key": { key: "key-7" },
      "page of failures of a model": { state: "failed", model: "model-10" },
      "page of one end user": { endUser: "user-2997" },
      "page in a day a month ago": { sinceMs: startMs, untilMs: startMs + 86_400_000, provider: "provider-1" },
      "page of what never comes together": { key: "key-0", project: "project-1" },
    }))
      figures[`${name}, ms`] = await medianMs(() => reader.requests({ filter, limit: 50 }));
    figures["page of the feed, ms"] = await medianMs(() => reader.feed({ limit: 100 }));
  };
  const late = await delays(all);
  figures["loop p99.9 with queries, ms"] = late[Math.floor(late.length * 0.999)] ?? 0;
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  expect((await usage()).reduce((sum, { requests }) => sum + requests, 0)).toBe(rows);
  expect(figures["usage by day and model, ms"]).toBeLessThan(200);
  for (const [name, value] of Object.entries(figures))
    if (name.startsWith("page")) expect({ name, fits: value < 50 }).toEqual({ name, fits: true });
  for (const [name, value] of Object.entries(figures))
    if (name.startsWith("loop")) expect({ name, fits: value < 20 + usualMs }).toEqual({ name, fits: true });
  reader.close();
});
