// Pages of requests, compared with the rows that were written.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { type RequestListFilter, readRequestPage } from "../../src/gateway/ledger/request-list.ts";
import { temporaryFolder } from "../store/engines.ts";
import { addRows, type KnownRow } from "./many-rows.ts";

let folder: ReturnType<typeof temporaryFolder>;
/** The newest first: those of the file that was moved aside come last. */
let known: KnownRow[];
beforeAll(async () => {
  folder = temporaryFolder();
  const older = await addRows(folder.path, 700, 2);
  renameSync(join(folder.path, "ledger.db"), join(folder.path, "ledger-2026-01.db"));
  known = [...older, ...(await addRows(folder.path, 2_000))].reverse();
});
afterAll(() => folder.remove());

function matches({ opening, settlement }: KnownRow, filter: RequestListFilter): boolean {
  const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, ...others } = filter;
  const { minDurationMs = 0, maxDurationMs, minCostNanoDollars, maxCostNanoDollars, ...exact } = others;
  const isWithin = (value: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): boolean =>
    value !== null && value !== undefined && Number(value) >= least && Number(value) <= most;
  const fitsCost =
    (minCostNanoDollars ?? maxCostNanoDollars) === undefined ||
    isWithin(settlement?.costNanoDollars, minCostNanoDollars, maxCostNanoDollars);
  const fitsDuration =
    (others.minDurationMs ?? maxDurationMs) === undefined ||
    isWithin(settlement?.durationMs, minDurationMs, maxDurationMs);
  const row = {
    ...opening,
    key: opening.keyId,
    state: settlement?.state ?? "interrupted",
    provider: settlement?.provider,
    errorCode: settlement === null ? "interrupted" : settlement.errorCode,
  };
  const isInTime = opening.atMs >= sinceMs && opening.atMs < untilMs;
  return (
    isInTime && fitsCost && fitsDuration && Object.entries(exact).every(([name, value]) => Object(row)[name] === value)
  );
}

function allPages(filter: RequestListFilter, limit: number): string[] {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = readRequestPage(folder.path, { filter, limit, ...(cursor ? { cursor } : {}) });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== null);
  return ids;
}

test.each<[string, RequestListFilter, number]>([
  ["all", {}, 333],
  ["pages of one row", { endUser: "user-3" }, 1],
  ["of a rare key", { key: "key_rare" }, 3],
  ["of a key and a model that failed", { key: "key_b", model: "fast", state: "failed" }, 10],
  ["with an error", { errorCode: "upstream_timeout" }, 40],
  ["of an end user", { endUser: "user-7", project: "web" }, 7],
  ["in a time", { sinceMs: Date.UTC(2026, 0, 31, 3, 20), untilMs: Date.UTC(2026, 0, 31, 9), provider: "claude" }, 25],
  ["of an operation", { operation: "embed", organization: "default" }, 500],
  ["of a session", { session: "session-1" }, 5],
  ["within costs", { minCostNanoDollars: 300, maxCostNanoDollars: 320 }, 10],
  ["within durations, of a key", { minDurationMs: 100, maxDurationMs: 900, key: "key_b" }, 50],
  ["of nothing", { model: "unknown" }, 5],
])("%s", (_name, filter, limit) => {
  const expected = known.filter((row) => matches(row, filter)).map(({ opening }) => opening.id);
  expect(allPages(filter, limit)).toEqual(expected);
});

test("a cursor that is not one is refused", () => {
  expect(() => readRequestPage(folder.path, { limit: 1, cursor: "x" })).toThrow("The cursor is not one");
});
