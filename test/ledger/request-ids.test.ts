// Requests found by id: with the time of their request in it, with another one, and given by clients, also while they are open.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Ledger, openLedger } from "../../src/gateway/ledger/ledger.ts";
import { findRequests, readRequestPage } from "../../src/gateway/ledger/request-list.ts";
import { blockRows, withUsageIndex } from "../../src/gateway/ledger/usage-index.ts";
import { requestIdOf } from "../../src/lib/ids.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

const folder = temporaryFolder();
const hourMs = 3_600_000;
const firstMs = Date.UTC(2026, 4, 1);
const stepMs = 5_000;
const rows = 4 * blockRows;
const idAt = (ms: number): string => Bun.randomUUIDv7("hex", ms);
const clientIdAt = (ms: number): string => `req_${Bun.randomUUIDv7("base64url", ms)}`;
const ids: { readonly id: string; readonly requestId: string }[] = [];
let ledger: Ledger;

/** What the client calls the request with this number. */
const named: Readonly<Record<number, (ms: number) => string>> = {
  3: () => "order-17",
  900: () => "order-17",
  901: (ms) => clientIdAt(ms - 5 * hourMs),
  902: (ms) => idAt(ms + 5 * hourMs),
  903: () => "req_of a client",
  904: () => "Ünïcode-☃",
};

async function add(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    const atMs = firstMs + ids.length * stepMs;
    const id = idAt(atMs);
    const requestId = (named[ids.length] ?? clientIdAt)(atMs);
    ids.push({ id, requestId });
    const entry = await ledger.open(opening(id, { atMs, requestId }));
    if (ids.length % 7 !== 0) void entry.settle(settlement());
  }
}

beforeAll(async () => {
  ledger = openLedger({ dataFolder: folder.path });
  await add(rows);
});
afterAll(async () => {
  await ledger.close();
  folder.remove();
});

const found = (requestId: string): string[] =>
  readRequestPage(folder.path, { filter: { requestId }, limit: 10 }).rows.map(({ id }) => id);

test("every request is found by both of its ids, whether or not it is settled", () => {
  for (const { id, requestId } of ids.filter((_, index) => index % 61 === 0 || named[index] !== undefined)) {
    expect(found(id)).toEqual([id]);
    expect(found(requestId)).toContain(id);
  }
});

test("an id that a client uses twice gives the newest first", () => {
  const newestFirst = [ids[900]?.id ?? "", ids[3]?.id ?? ""];
  expect(found("order-17")).toEqual(newestFirst);
  expect(findRequests(folder.path, "order-17", 10).map(({ id }) => id)).toEqual(newestFirst);
});

test("a request that is added later is found at once", async () => {
  await add(1);
  const last = ids.at(-1) ?? { id: "", requestId: "" };
  expect(found(last.requestId)).toEqual([last.id]);
});

test.each(["", "nothing", idAt(firstMs), clientIdAt(firstMs), requestIdOf(null), "' or 1 = 1 --"])(
  "%p is the id of no request",
  (id) => expect(found(id)).toEqual([]),
);

test("only ids without their time are indexed", () => {
  const indexed = withUsageIndex(folder.path, ({ database }) => database.query("select n from ids").values().length);
  expect(indexed).toBe(Object.keys(named).length);
});
