// Usage by any dimensions, compared with sums over the rows that were written.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  readUsageReport,
  sumAllRows,
  type UsageDimension,
  type UsageQuery,
  type UsageReportRow,
} from "../../src/gateway/ledger/usage-report.ts";
import { randomFrom } from "../hostile/bodies.ts";
import { temporaryFolder } from "../store/engines.ts";
import { addRows, type KnownRow } from "./many-rows.ts";

let folder: ReturnType<typeof temporaryFolder>;
let known: KnownRow[];
beforeAll(async () => {
  folder = temporaryFolder();
  known = await addRows(folder.path, 2_000);
});
afterAll(() => folder.remove());

const isoOf = (row: KnownRow) => new Date(row.opening.atMs).toISOString();
const dimensionOf: { readonly [dimension in UsageDimension]: (row: KnownRow) => string } = {
  hour: (row) => isoOf(row).slice(0, 13),
  day: (row) => isoOf(row).slice(0, 10),
  organization: ({ opening }) => opening.organization ?? "",
  project: ({ opening }) => opening.project ?? "",
  key: ({ opening }) => opening.keyId,
  endUser: ({ opening }) => opening.endUser ?? "",
  model: ({ opening }) => opening.model,
  provider: ({ settlement }) => settlement?.provider ?? "",
  operation: ({ opening }) => opening.operation,
};

const hourMs = 3_600_000;

function expected({ groupBy, filter = {}, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER }: UsageQuery) {
  const groups = new Map<string, KnownRow[]>();
  for (const row of known) {
    const hour = Math.floor(row.opening.atMs / hourMs) * hourMs;
    if (hour < Math.floor(sinceMs / hourMs) * hourMs || hour >= Math.floor(untilMs / hourMs) * hourMs) continue;
    const wanted = Object.entries(filter) as [UsageDimension, string][];
    if (!wanted.every(([name, value]) => dimensionOf[name](row) === value)) continue;
    const group = JSON.stringify(Object.fromEntries(groupBy.map((name) => [name, dimensionOf[name](row)])));
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, rows]) => ({ group: JSON.parse(group), ...sumsOf(rows) }));
}

const sumsOf = (rows: readonly KnownRow[]) => {
  const settled = rows.flatMap(({ settlement }) => settlement ?? []);
  const charged = settled.filter((each) => each.charged);
  const costs = settled.flatMap(({ costNanoDollars }) => costNanoDollars ?? []);
  const sum = (amounts: number[]) => amounts.reduce((total, each) => total + each, 0);
  const total = costs.length === 0 ? null : costs.reduce((one, other) => one + other, 0n);
  return {
    requests: rows.length,
    open: rows.length - settled.length,
    errors: settled.filter(({ state }) => state !== "completed" && state !== "replayed").length,
    inputTokens: sum(charged.map(({ usage }) => usage.inputTokens)),
    outputTokens: sum(charged.map(({ usage }) => usage.outputTokens)),
    costNanoDollars: total,
    priceNanoDollars: total,
    unpriced: charged.filter(
      ({ costNanoDollars, usage }) => costNanoDollars === null && usage.inputTokens + usage.outputTokens > 0,
    ).length,
    possibleTokens: sum(rows.map(({ possibleTokens }) => possibleTokens)),
  };
};

const from = Date.UTC(2026, 0, 31, 3, 20);
const until = Date.UTC(2026, 1, 1, 1, 40);

test.each<[string, UsageQuery]>([
  ["everything", { groupBy: [] }],
  ["by day and model", { groupBy: ["day", "model"] }],
  ["by hour", { groupBy: ["hour"] }],
  ["by hour from an hour to another", { groupBy: ["hour", "key"], sinceMs: from, untilMs: until }],
  ["in whole days", { groupBy: ["model"], sinceMs: Date.UTC(2026, 0, 31), untilMs: Date.UTC(2026, 1, 1) }],
  ["by end user", { groupBy: ["endUser", "project"] }],
  ["by end user within hours", { groupBy: ["endUser"], sinceMs: from, untilMs: until }],
  ["of one end user by hour", { groupBy: ["hour"], filter: { endUser: "user-3" } }],
  [
    "of one key and model by provider and operation",
    { groupBy: ["provider", "operation"], filter: { key: "key_a", model: "fast" } },
  ],
  ["of nothing", { groupBy: ["day"], filter: { key: "key_unknown" } }],
])("%s", (_name, query) => {
  const rows: UsageReportRow[] = readUsageReport(folder.path, query);
  expect(rows.map(({ group }) => group)).toEqual(expected(query).map(({ group }) => group));
  for (const [index, row] of expected(query).entries()) expect(rows[index]).toMatchObject(row);
});

test("any range by any group is the same as the sum of all rows", () => {
  const random = randomFrom(17);
  const within = (least: number, most: number): number => least + Math.floor(random() * (most - least));
  const pick = <Item>(items: readonly Item[]): Item => items[within(0, items.length)] as Item;
  const firstHour = Date.UTC(2025, 11, 30) / hourMs;
  const lastHour = Date.UTC(2026, 2, 2) / hourMs;
  const days = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)];
  const times = () => pick([undefined, pick(days), within(firstHour, lastHour) * hourMs]);
  const groups: readonly UsageDimension[][] = [
    [],
    ["model"],
    ["day"],
    ["hour", "key"],
    ["endUser"],
    ["endUser", "day"],
  ];
  for (let round = 0; round < 100; round++) {
    const [sinceMs, untilMs] = [times(), times()];
    const query: UsageQuery = {
      groupBy: pick(groups),
      ...(sinceMs === undefined ? {} : { sinceMs }),
      ...(untilMs === undefined ? {} : { untilMs }),
      ...pick([{}, { filter: { endUser: "user-3" } }, { filter: { key: "key_b" } }]),
    };
    expect({ query, rows: readUsageReport(folder.path, query) }).toEqual({
      query,
      rows: sumAllRows(folder.path, query),
    });
  }
});
