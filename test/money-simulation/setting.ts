// A ledger in memory with budgets over it, and the model that both are checked against.
import type { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { type Ledger, type LedgerEntry, ledgerIn } from "../../src/gateway/ledger/ledger.ts";
import { openFile } from "../../src/gateway/ledger/schema.ts";
import { type Budgets, createBudgets } from "../../src/gateway/policy/budgets.ts";
import { createMemoryCounters } from "../../src/gateway/policy/counters.ts";
import type { Reservation } from "../../src/gateway/policy/policy.ts";
import { createPendingReservations, type PendingReservations } from "../../src/gateway/policy/reservations.ts";
import { createWindows } from "../../src/gateway/policy/windows.ts";
import { createPriceBook } from "../../src/gateway/prices/price-book.ts";
import { createPrices } from "../../src/gateway/prices/prices.ts";
import { seeded } from "../support/routing.ts";
import {
  callersOf,
  type Held,
  type Level,
  left,
  ModelProcess,
  namesOf,
  perInput,
  periods,
  perOutput,
  type Row,
  type Who,
  zones,
} from "./model.ts";
import { type MortalDatabase, processesOf } from "./mortal-database.ts";
import { emptyIndex } from "./roll-ups.ts";

const rowOfPrice = (of: "inputTokens" | "outputTokens", each: bigint) => ({
  ...{ model: "*", of, per: 1_000_000n, nanoDollars: each * 1_000_000n },
});
const book = createPriceBook("1", [rowOfPrice("inputTokens", perInput), rowOfPrice("outputTokens", perOutput)]);
const prices = createPrices(book, createPriceBook("none", []), []);
export const limits = { reserveOutputTokens: 2_000, extendOutputTokens: 500 };
export const priceOf = (input: number, output: number): bigint => perInput * BigInt(input) + perOutput * BigInt(output);

export const real = openFile(":memory:", "process");
const nextProcess = processesOf(real);
/** The index of a ledger takes longer than all the rest. */
const indexedEvery = 8;
const tables = ["requests", "attempts", "spend", "repricings", "adjustments", "adjusted_spend", "marks"];
const spendLevels = real.prepare("select level, id, sum(price) as price from spend group by 1, 2");
const rowsSql = real.prepare("select id, state, price, settled_seq as seq, n from requests order by n");
const attemptsSql = real.prepare(
  "select (select count(*) from attempts where attempts.id = requests.id) as count from requests order by n",
);
for (const each of [spendLevels, rowsSql]) each.safeIntegers(true);

/** A request in progress. */
export interface Running {
  readonly row: Row;
  readonly entry: LedgerEntry | null;
  readonly reservation: Reservation | null;
  held: Held;
  amount: bigint;
  readonly base: bigint;
  readonly bound: number;
  covered: number;
  reportedAtMs: number;
}

/** One process after another over one ledger. */
export class Setting {
  protected readonly random: () => number;
  protected readonly isIndexed: boolean;
  protected readonly zone: (typeof zones)[number];
  protected readonly callers: readonly Who[];
  readonly rows: Row[] = [];
  protected running: Running[] = [];
  /** What has happened and waits to be committed. */
  protected waiting: (() => void)[] = [];
  protected process!: MortalDatabase;
  protected ledger!: Ledger;
  protected budgets!: Budgets;
  protected pendings!: PendingReservations;
  protected callerOf!: ReturnType<typeof callersOf>;
  protected model!: ModelProcess;
  protected nowMs: number;
  protected monotonicMs = 0;
  protected number = 0;
  /** A budget may be exceeded by what was reported above a reservation, booked later, or dated back by the clock. */
  protected mayExceed = false;
  /** Settlements that wait to be committed. */
  protected uncommitted = 0;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.isIndexed = seed % indexedEvery === 0;
    if (this.isIndexed) emptyIndex();
    for (const table of tables) real.run(`delete from ${table}`);
    this.zone = this.pick(zones);
    this.nowMs = Date.UTC(2026, this.whole(12), 1 + this.whole(28), this.whole(24), this.whole(60));
    this.callers = this.someCallers();
    this.start();
  }

  protected pick<T>(all: readonly T[]): T {
    return all[this.whole(all.length)] as T;
  }

  protected whole(below: number): number {
    return Math.floor(this.random() * below);
  }

  protected level(level: Level["level"], id: string): Level[] {
    if (this.random() < 0.3) return [];
    const own = periods.filter(() => this.random() < 0.4);
    const budgets = own.map((period) => ({ period, limit: BigInt(this.whole(120)) * 1_000_000n }));
    return budgets.length === 0 ? [] : [{ level, id, budgets }];
  }

  protected someCallers(): readonly Who[] {
    const above = [...this.level("organization", "default"), ...this.level("project", "shop")];
    const users = new Map(["ann", "bob"].map((name) => [name, this.level("end_user", `shop/${name}`)]));
    return ["one", "two"].map((keyId) => {
      const endUser = this.random() < 0.5 ? this.pick(["ann", "bob"]) : null;
      const user = users.get(endUser ?? "") ?? [];
      return { keyId, endUser, levels: [...above, ...this.level("key", keyId), ...user] };
    });
  }

  /** A process starts: everything in memory is made from the ledger. */
  protected start(): void {
    this.process = nextProcess();
    this.ledger = ledgerIn(this.process.database as Database, () => undefined, {
      dataFolder: "",
      clock: { nowMs: () => this.nowMs, monotonicMs: () => this.monotonicMs },
      priceOf: ({ inputTokens, outputTokens }) => {
        const price = priceOf(inputTokens, outputTokens);
        return { costNanoDollars: price, priceNanoDollars: price };
      },
    });
    const budgets = createBudgets({
      ...{ counters: createMemoryCounters(), limits, prices: () => prices },
      windows: createWindows(this.zone[0], () => this.nowMs),
      clock: { nowMs: () => this.nowMs, monotonicMs: () => this.monotonicMs },
      events: { budgetThreshold: () => undefined },
      spent: this.ledger.spent,
    });
    this.budgets = budgets;
    this.callerOf = callersOf(this.callers);
    this.model = new ModelProcess(this.rows, this.zone[1], () => this.nowMs);
    this.waiting = [];
    this.uncommitted = 0;
    this.pendings = createPendingReservations([budgets], this.ledger.reservations);
    this.running = this.rows
      .filter(({ state }) => state === "pending")
      .map((row) => {
        const held = row.reserved === null ? [] : this.model.resume(row);
        const amount = row.reserved ?? 0n;
        return { row, entry: null, reservation: null, held, amount, base: 0n, bound: 0, covered: 0, reportedAtMs: 0 };
      });
  }

  /** What is true as soon as a row is committed. */
  protected wait<T>(promise: Promise<T>, then: (value: T) => void): void {
    let value: { readonly is: T } | null = null;
    promise.then(
      (is) => {
        value = { is };
      },
      () => undefined,
    );
    this.waiting.push(() => {
      if (value === null) throw new Error("A row was not committed.");
      then(value.is);
    });
  }

  protected async flush(): Promise<void> {
    await this.ledger.probe();
    // Promises that follow those of the same commit.
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    for (const each of this.waiting.splice(0)) each();
  }

  /** What each budget has left is the same as in the model. */
  checkBudgets(): void {
    for (const who of this.callers) {
      const amounts = this.budgets.status(this.callerOf(who)).map(({ spent, reserved }) => [spent, reserved]);
      const expected = this.model.parts(who).map(({ window }) => [window.settled, window.reserved]);
      if (!Bun.deepEquals(amounts, expected)) expect(amounts).toEqual(expected);
      for (const part of this.mayExceed ? [] : this.model.parts(who))
        if (left(part) < 0n) expect(left(part)).toBeGreaterThanOrEqual(0n);
    }
  }

  /** Each request is in the ledger once, as it ended, and what levels spent is the sum of its rows. */
  async checkLedger(): Promise<void> {
    await this.flush();
    const found = rowsSql.all() as { id: string; state: string; price: bigint | null; seq: bigint | null }[];
    const settledRows = found.filter(({ seq }) => seq !== null);
    const written = found.map(({ id, state, price }) => [id, state, price]);
    const expected = this.rows.map(({ id, state, price }) => [id, state, price]);
    if (!Bun.deepEquals(written, expected)) expect(written).toEqual(expected);
    expect(new Set(settledRows.map(({ seq }) => seq)).size).toBe(settledRows.length);
    expect(settledRows.length).toBe(this.rows.filter(({ state }) => !["open", "pending"].includes(state)).length);
    const attempts = attemptsSql.all().map((row) => Object(row).count);
    if (
      !Bun.deepEquals(
        attempts,
        this.rows.map((row) => row.attempts),
      )
    )
      expect(attempts).toEqual(this.rows.map((row) => row.attempts));
    const sums = new Map<string, bigint>();
    for (const { who, price } of this.rows)
      for (const { level, id } of namesOf(who)) {
        const name = `${level} ${id}`;
        if (price !== null) sums.set(name, (sums.get(name) ?? 0n) + price);
      }
    const spend = spendLevels.all() as { level: string; id: string; price: bigint }[];
    for (const { level, id, price } of spend) {
      if (price !== (sums.get(`${level} ${id}`) ?? 0n)) expect(spend).toEqual([]);
      sums.delete(`${level} ${id}`);
    }
    for (const price of sums.values()) expect(price).toBe(0n);
  }
}
