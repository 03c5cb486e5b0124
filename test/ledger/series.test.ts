// Series from roll-ups, compared with the rows that were written, at every level and after the ledger has gone on.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readFacets } from "../../src/gateway/ledger/facets.ts";
import { queryFile } from "../../src/gateway/ledger/files.ts";
import { readIndexRows } from "../../src/gateway/ledger/index-rows.ts";
import { addRollUps, type RollUpDimension, rollUpTables } from "../../src/gateway/ledger/roll-ups.ts";
import { readSeries, type SeriesQuery, seriesMetrics, stepFor } from "../../src/gateway/ledger/series.ts";
import { dropUsageIndex } from "../../src/gateway/ledger/usage-index.ts";
import { sumAllRows } from "../../src/gateway/ledger/usage-report.ts";
import { sumParts } from "../../src/gateway/ledger/usage-sums.ts";
import { temporaryFolder } from "../store/engines.ts";
import { fillLedger } from "../support/many-requests.ts";
import { addRows, type KnownRow } from "./many-rows.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const sinceMs = Date.UTC(2026, 0, 30, 20);
const untilMs = sinceMs + 51 * hourMs;
let folder: ReturnType<typeof temporaryFolder>;
let known: KnownRow[];
beforeAll(async () => {
  folder = temporaryFolder();
  known = await addRows(folder.path, 1_500);
});
afterAll(() => folder.remove());

const dimensionOf: { readonly [name in RollUpDimension]: (row: KnownRow) => string } = {
  project: ({ opening }) => opening.project ?? "",
  key: ({ opening }) => opening.keyId,
  model: ({ opening }) => opening.model,
  provider: ({ settlement }) => settlement?.provider ?? "",
  operation: ({ opening }) => opening.operation,
  status: ({ settlement }) => (settlement?.httpStatus ? `${Math.floor(settlement.httpStatus / 100)}xx` : ""),
};

const settled = () => known.filter(({ settlement }) => settlement !== null);
const sum = (rows: readonly KnownRow[], of: (row: KnownRow) => bigint | number | null): bigint =>
  rows.reduce((total, row) => total + BigInt(of(row) ?? 0), 0n);

const base: SeriesQuery = {
  metrics: ["requests", "errors", "inputTokens", "cost"],
  sinceMs,
  untilMs,
  nowMs: untilMs,
  top: 20,
};
const ask = (query: Partial<SeriesQuery> = {}) => readSeries(folder.path, { ...base, ...query });

function expectedOf(rows: readonly KnownRow[]) {
  const isError = ({ settlement }: KnownRow) => !["completed", "replayed"].includes(settlement?.state ?? "");
  const costs = rows.flatMap(({ settlement }) => settlement?.costNanoDollars ?? []);
  return {
    requests: rows.length,
    errors: rows.filter(isError).length,
    inputTokens: Number(sum(rows, ({ settlement }) => (settlement?.charged ? settlement.usage.inputTokens : 0))),
    cost: rows.length > 0 && costs.length === 0 ? null : costs.reduce((one, other) => one + other, 0n),
  };
}

function check(query: Partial<SeriesQuery>, stepMs: number): void {
  const { groupBy, filter = {} } = query;
  const found = ask({ ...query, stepMs });
  expect(found.stepMs).toBe(stepMs);
  const wanted = Object.entries(filter) as [RollUpDimension, string][];
  const rows = settled().filter((row) => wanted.every(([name, value]) => dimensionOf[name](row) === value));
  const groups = Map.groupBy(rows, (row) => (groupBy === undefined ? null : dimensionOf[groupBy](row)));
  expect(new Set(found.groups.map(({ value }) => value))).toEqual(new Set(groups.keys()));
  for (const { value, totals, points } of found.groups) {
    const mine = groups.get(value) ?? [];
    expect({ value, ...totals }).toEqual({ value, ...expectedOf(mine) });
    const at = Math.floor(found.points / 2);
    const from = found.startMs + at * stepMs;
    const inStep = mine.filter(({ opening }) => opening.atMs >= from && opening.atMs < from + stepMs);
    const point = Object.fromEntries(base.metrics.map((name) => [name, points[name]?.[at]]));
    expect({ value, ...point }).toEqual({ value, ...expectedOf(inStep) });
  }
}

const dimensions = Object.keys(dimensionOf) as RollUpDimension[];

test.each([hourMs, 3 * hourMs, dayMs])("all requests and each dimension, in steps of %d ms", (stepMs) => {
  check({}, stepMs);
  for (const groupBy of dimensions) check({ groupBy }, stepMs);
});

test("one dimension within another, and two without a group", () => {
  for (const groupBy of dimensions)
    for (const other of dimensions)
      if (groupBy !== other) {
        const value = dimensionOf[other](settled()[0] as KnownRow);
        check({ groupBy, filter: { [other]: value } }, dayMs);
      }
  check({ filter: { key: "key_a", model: "fast" } }, hourMs);
});

test("the others are one series, so that the sum stays the same", () => {
  const all = ask().groups[0];
  const { groups } = ask({ groupBy: "key", top: 2 });
  expect(groups.map(({ isOther }) => isOther)).toEqual([false, false, true]);
  const total = groups.reduce((one, { totals }) => one + Number(totals.requests), 0);
  expect(total).toBe(Number(all?.totals.requests));
  const costs = groups.reduce((one, { totals }) => one + BigInt(totals.cost ?? 0), 0n);
  expect(costs).toBe(BigInt(all?.totals.cost ?? 0));
});

test("percentiles are exact to three percent", () => {
  const names = ["durationP50Ms", "durationP99Ms", "firstByteP50Ms"] as const;
  const totals: Readonly<Record<string, unknown>> = ask({ metrics: [...names] }).groups[0]?.totals ?? {};
  const durations = settled().flatMap(({ settlement }) => settlement?.durationMs ?? []);
  const sorted = durations.sort((one, other) => one - other);
  for (const [name, part] of [
    ["durationP50Ms", 0.5],
    ["durationP99Ms", 0.99],
  ] as const) {
    const exact = sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
    expect(Math.abs(Number(totals[name]) - exact)).toBeLessThanOrEqual(1 + exact * 0.03);
  }
});

test("facets are the values with most requests", () => {
  const found = readFacets(folder.path, { dimension: "key", sinceMs, limit: 2 });
  expect(found.length).toBe(2);
  const counts = Map.groupBy(settled(), dimensionOf.key);
  for (const { value, requests } of found) expect(requests).toBe(counts.get(value)?.length ?? -1);
});

/** Every row of the ledger, as the reference: rows that were left open are interrupted by the next start. */
function agrees(): void {
  for (const groupBy of ["project", "key", "model", "provider", "operation"] as const) {
    const { groups } = ask({ groupBy, stepMs: dayMs });
    const rows = sumAllRows(folder.path, { groupBy: [groupBy] });
    expect(groups.length).toBe(rows.length);
    for (const { value, totals } of groups) {
      const row = rows.find(({ group }) => group[groupBy] === value);
      const expected = {
        requests: (row?.requests ?? 0) - (row?.open ?? 0),
        errors: row?.errors,
        cost: row?.costNanoDollars,
      };
      expect({ value, requests: totals.requests, errors: totals.errors, cost: totals.cost }).toEqual({
        value,
        ...expected,
      });
    }
  }
}

test("what settles later is added once, and a deleted index is built again", async () => {
  await addRows(folder.path, 400, 2);
  agrees();
  agrees();
  dropUsageIndex(folder.path);
  agrees();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder.path, `usage.db${suffix}`), { force: true });
  agrees();
});

test("recent requests have minutes, which are deleted when they are old", () => {
  using database = new Database(":memory:", { safeIntegers: true });
  for (const table of rollUpTables) database.run(table);
  const path = join(folder.path, "ledger.db");
  const add = (nowMs: number, where: string) =>
    queryFile(path, (_, query) => {
      const from = `requests where ${where} and settled_seq is not null`;
      addRollUps(database, "x", readIndexRows(query, { parts: sumParts, hasLatency: true, from, values: [] }), nowMs);
    });
  add(untilMs, "1");
  const minutes = () =>
    database.query("select at_ms, requests from cells where level = 'minute' and name = ''").values();
  const counted =
    "select at_ms / 60000 * 60000 as at, count(*) as n from requests where settled_seq is not null group by 1";
  expect(minutes()).toEqual(queryFile(path, (query) => query(counted).map((row) => Object.values(Object(row)))));
  add(untilMs + 10 * dayMs, "0");
  expect(minutes()).toEqual([]);
});

test("totals without points are those with points", async () => {
  const nowMs = Date.now();
  const recent = temporaryFolder();
  await fillLedger({ dataFolder: recent.path, rows: 2_000, startMs: nowMs - 60 * hourMs, everyMs: 100_000 });
  const metrics = Object.keys(seriesMetrics) as (keyof typeof seriesMetrics)[];
  const groups = [{}, { groupBy: "model" }, { groupBy: "key", filter: { project: "project-1" } }] as const;
  for (const [path, endMs] of [
    [folder.path, untilMs],
    [recent.path, nowMs],
  ] as const)
    for (const lengthMs of [0.3 * hourMs, 3 * hourMs, 7.7 * hourMs, 30 * hourMs, 55 * hourMs])
      for (const beforeMs of [0, 7 * 60_000, 20 * hourMs])
        for (const more of groups) {
          const range = { sinceMs: endMs - beforeMs - lengthMs, untilMs: endMs - beforeMs, nowMs };
          const query = { metrics, top: 2, ...range, ...more };
          const whole = readSeries(path, { ...query, isTotalOnly: true });
          expect(whole.groups.flatMap(({ points }) => Object.values(points).flat())).toEqual([]);
          const totals = ({ groups: found }: typeof whole) =>
            found.map(({ value, isOther, totals: each }) => ({ value, isOther, each })).sort(byValue);
          expect(totals(whole)).toEqual(totals(readSeries(path, query)));
        }
  recent.remove();
});

const byValue = (one: { readonly value: string | null }, other: { readonly value: string | null }): number =>
  String(one.value) < String(other.value) ? -1 : 1;

test("a step is as long as the range needs", () => {
  const step = (lengthMs: number, ageMs = 0) =>
    stepFor({ sinceMs: untilMs - ageMs - lengthMs, untilMs: untilMs - ageMs, nowMs: untilMs });
  expect([hourMs, 12 * hourMs, dayMs, 2 * dayMs].map((each) => step(each) / 60_000)).toEqual([1, 5, 15, 15]);
  expect([7, 30, 180, 1_000, 3_000].map((days) => step(days * dayMs) / hourMs)).toEqual([1, 6, 24, 168, 720]);
  expect(step(hourMs, 5 * dayMs)).toBe(hourMs);
  const pair = { groupBy: "model", filter: { project: "web" } } as const;
  expect(stepFor({ sinceMs: untilMs - hourMs, untilMs, nowMs: untilMs, ...pair })).toBe(60_000);
  expect(stepFor({ sinceMs: untilMs - dayMs, untilMs, nowMs: untilMs, ...pair })).toBe(hourMs);
});

test("every metric has a value for every step", () => {
  const metrics = Object.keys(seriesMetrics) as (keyof typeof seriesMetrics)[];
  const found = ask({ metrics });
  for (const name of metrics) expect(found.groups[0]?.points[name]?.length).toBe(found.points);
});
