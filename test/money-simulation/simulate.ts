// One seeded life of a ledger and its budgets: requests, streams that grow, tasks, adjustments, clocks that jump, processes that end or die.
import { expect } from "bun:test";
import type { GatewayError } from "../../src/canonical/error.ts";
import { zeroUsage } from "../../src/canonical/usage.ts";
import { noMedia } from "../../src/dialects/tokens/figures.ts";
import type { LedgerEntry } from "../../src/gateway/ledger/ledger.ts";
import type { RequestSize, Reservation } from "../../src/gateway/policy/policy.ts";
import { opening, settlement } from "../ledger/samples.ts";
import { candidate } from "../support/routing.ts";
import { fits, hourMs, namesOf, type Row } from "./model.ts";
import { checkIndex, index } from "./roll-ups.ts";
import { limits, priceOf, type Running, real, Setting } from "./setting.ts";

const candidates = [candidate("model")];

export class Life extends Setting {
  private size(input: number, bound: number | null, isStream: boolean, isStrict: boolean): RequestSize {
    return {
      ...{ isStream, isStrict, cachePath: "", tierPath: "" },
      ...{ inputBound: () => input, outputBound: () => bound, leastOutput: () => Math.min(bound ?? 1_024, 1_024) },
      ...{ units: () => [], mediaInput: () => noMedia, mediaOutput: () => [], cacheWrites: () => "none" },
      ...{ tier: () => null, pricedTools: () => [] },
    };
  }

  /** A request is admitted just when its budgets pay for it, in whole or for a useful part. */
  private admit(): void {
    const who = this.pick(this.callers);
    const [input, isStream, isStrict] = [this.whole(2_000), this.random() < 0.5, this.random() < 0.2];
    const bound = this.random() < 0.8 ? this.whole(8_000) : null;
    const size = this.size(input, bound, isStream, isStrict);
    const held = this.model.parts(who);
    const id = `r${this.number++}`;
    const base = priceOf(input, 0);
    const all = bound ?? limits.reserveOutputTokens;
    const wanted = isStream
      ? Math.min(all, Math.max(limits.reserveOutputTokens, size.leastOutput()))
      : Math.max(all, bound === null ? size.leastOutput() : 0);
    let reservation: Reservation | null = null;
    try {
      const content = () => {
        throw new Error("not needed");
      };
      const intent = {
        id,
        caller: this.callerOf(who),
        operation: "chat" as const,
        model: "model",
        content,
        size,
        candidates,
      };
      reservation = this.budgets.admit?.(intent) ?? null;
    } catch (thrown) {
      expect((thrown as GatewayError).kind).toBe("insufficient_quota");
      const least = isStrict ? wanted : Math.min(wanted, size.leastOutput());
      expect(fits(held, base + priceOf(0, least))).toBe(false);
      return;
    }
    expect(reservation === null).toBe(held.length === 0);
    const amount = reservation?.reservedNanoDollars ?? 0n;
    const covered = reservation?.maxOutputTokens ?? wanted;
    if (reservation !== null) expect(amount).toBe(base + priceOf(0, covered));
    expect(fits(held, amount)).toBe(true);
    expect(covered).toBeLessThanOrEqual(wanted);
    if (isStrict) expect(covered).toBe(wanted);
    if (reservation !== null && this.random() < 0.1) {
      // A later policy has refused, or the ledger could not be written.
      reservation.cancel?.();
      return;
    }
    for (const { window } of held) window.reserved += amount;
    const isPending = this.random() < 0.2;
    const reserved = reservation === null ? null : amount;
    const row: Row = {
      ...{ id, who, atMs: this.nowMs, isPending, reserved, state: "unwritten", price: null, adjusted: 0n },
      ...{ input, output: 0, attempts: 0 },
    };
    this.rows.push(row);
    const given = opening(id, {
      ...{ atMs: this.nowMs, organization: "default", project: "shop", keyId: who.keyId, endUser: who.endUser },
      ...{ inputTokens: input, reservedNanoDollars: reserved },
    });
    const common = { row, reservation, held, amount, base, bound: wanted, covered };
    const add = (entry: LedgerEntry | null) => {
      row.state = isPending ? "pending" : "open";
      this.running.push({ ...common, entry, reportedAtMs: this.monotonicMs });
    };
    if (isPending) this.wait(this.ledger.openPending(given), () => add(null));
    else {
      const openedAtMs = this.monotonicMs;
      this.wait(this.ledger.open(given), (entry) => {
        add(entry);
        const last = this.running.at(-1);
        if (last !== undefined) last.reportedAtMs = Math.max(openedAtMs, this.monotonicMs);
      });
    }
  }

  /** A stream needs more output: it gets it just when its budgets pay for it. */
  private cover(): void {
    const each = this.pick(this.running.filter(({ reservation }) => reservation !== null));
    if (each?.reservation === undefined || each.reservation === null) return;
    const wanted = each.covered + this.whole(1_200) - 100;
    const covered = each.reservation.cover?.(wanted) ?? 0;
    const more = each.base + priceOf(0, covered) - each.amount;
    expect(covered).toBeGreaterThanOrEqual(each.covered);
    if (covered < wanted) expect(fits(each.held, priceOf(0, wanted - each.covered))).toBe(false);
    expect(fits(each.held, more)).toBe(true);
    for (const { window } of each.held) window.reserved += more;
    each.amount += more;
    each.covered = covered;
  }

  private progress(): void {
    const each = this.pick(this.running.filter(({ entry }) => entry !== null));
    if (each?.entry === undefined || each.entry === null) return;
    const output = Math.max(each.row.output, this.whole(each.covered + 1));
    each.entry.progress({ usage: { ...zeroUsage, inputTokens: each.row.input, outputTokens: output } });
    if (this.monotonicMs - each.reportedAtMs < 5_000) return;
    each.reportedAtMs = this.monotonicMs;
    this.waiting.push(() => {
      each.row.output = output;
    });
  }

  private settle(each: Running | undefined = this.pick(this.running)): void {
    if (each === undefined) return;
    this.running = this.running.filter((other) => other !== each);
    const { row } = each;
    const isAbove = this.random() < 0.05;
    const [input, output] = [this.whole(row.input + 1), this.whole(each.covered + 1) + (isAbove ? 3_000 : 0)];
    const state = this.pick(["completed", "failed", "cancelled"] as const);
    const price = this.random() < 0.1 ? null : priceOf(input, output);
    if (price !== null && price > each.amount) this.mayExceed = true;
    const usage = { ...zeroUsage, inputTokens: input, outputTokens: output };
    const end = settlement({ state, usage, costNanoDollars: price, priceNanoDollars: price });
    const attempts = Array.from({ length: this.whole(3) }, (_, index) => ({
      ...{ number: index + 1, provider: "p", upstreamModel: "m", outcome: "possible", errorCode: "upstream_reset" },
      ...{ httpStatus: null, durationMs: 1, possibleInputTokens: 5 },
    }));
    if (each.reservation !== null) each.reservation.settle?.(end);
    else if (each.entry === null) this.pendings.settle(row.id, end);
    for (const { window } of each.held) {
      window.reserved -= each.amount;
      window.settled += price ?? 0n;
    }
    this.uncommitted++;
    const written = () => {
      this.uncommitted--;
      row.state = state;
      row.price = price;
    };
    if (each.entry !== null) {
      this.wait(each.entry.settle(end, attempts), (isNew) => {
        expect(isNew).toBe(true);
        written();
        row.attempts = attempts.length;
      });
      if (this.random() < 0.2) this.wait(each.entry.settle(end), (isNew) => expect(isNew).toBe(false));
    } else {
      this.wait(this.ledger.settlePending(row.id, end), (isNew) => {
        expect(isNew).toBe(true);
        written();
      });
      if (this.random() < 0.2) this.wait(this.ledger.settlePending(row.id, end), (isNew) => expect(isNew).toBe(false));
    }
    if (each.reservation !== null && this.random() < 0.2) each.reservation.cancel?.();
  }

  /** Another process books a change of one settled request; the gateway sees it at its next turn. */
  private async adjust(): Promise<void> {
    await this.flush();
    const row = this.pick(this.rows.filter(({ price }) => price !== null));
    if (row === undefined) return;
    const change = BigInt(this.whole(4_000_000) - 2_000_000);
    const { lastInsertRowid: number } = real.run(
      "insert into repricings (booked_ms, cost_version, price_version) values (1, '2', '2')",
    );
    real.run("insert into adjustments select ?, n, ?, ?, 0 from requests where id = ?", [
      number,
      change,
      change,
      row.id,
    ]);
    for (const { level, id } of namesOf(row.who)) {
      const bucket = Math.floor(row.atMs / (hourMs / 4));
      real.run("insert into adjusted_spend values (?, ?, ?, ?, ?)", [level, id, bucket, number, change]);
    }
    row.adjusted += change;
    this.model.adjust(row, change);
    const changed = this.ledger.followAdjustments();
    if (changed === null) throw new Error("The adjustment was not seen.");
    this.budgets.adjust(changed);
    this.mayExceed = true;
  }

  private pass(): void {
    const isBack = this.random() < 0.15;
    if (isBack) this.mayExceed = true;
    const ms = this.whole(this.pick([1_000, 10_000, hourMs, 8 * hourMs, 30 * hourMs, 240 * hourMs]));
    this.nowMs += isBack ? -Math.min(ms, 40 * hourMs) : ms;
    this.monotonicMs += ms;
  }

  /** The process dies with all that it has not committed, or ends and commits it. */
  private async restart(): Promise<void> {
    if (this.random() < 0.4) {
      await this.flush();
      await this.ledger.close();
    }
    this.process.die();
    // What such a request gave back may have gone to another one before its settlement was lost.
    if (this.uncommitted > 0) this.mayExceed = true;
    for (const row of this.rows) {
      if (row.state !== "open") continue;
      row.state = "interrupted";
      row.price = priceOf(row.input, row.output);
    }
    const written = this.rows.filter(({ state }) => state !== "unwritten");
    this.rows.splice(0, this.rows.length, ...written);
    this.start();
  }

  async step(): Promise<void> {
    const dice = this.random();
    if (dice < 0.3) this.admit();
    else if (dice < 0.42) this.cover();
    else if (dice < 0.47) this.progress();
    else if (dice < 0.62) this.settle();
    else if (dice < 0.76) await this.flush();
    else if (dice < 0.87) this.pass();
    else if (dice < 0.9) await this.adjust();
    else if (dice < 0.95) await this.restart();
    else if (dice < 0.97 && this.isIndexed) index(real);
    else this.checkBudgets();
  }

  /** Everything ends; nothing stays reserved. */
  async end(): Promise<void> {
    await this.flush();
    this.checkBudgets();
    for (const each of this.running) this.settle(each);
    await this.checkLedger();
    this.checkBudgets();
    for (const who of this.callers)
      for (const { reserved } of this.budgets.status(this.callerOf(who))) expect(reserved).toBe(0n);
    await this.restart();
    this.checkBudgets();
    await this.checkLedger();
    if (this.isIndexed) checkIndex(real, this.rows);
    this.process.die();
  }
}
