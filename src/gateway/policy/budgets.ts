// Budgets of every level: the worst case is reserved at admission, grows with a stream, and is settled to the price. docs/limits.md explains them.
import { GatewayError } from "../../canonical/error.ts";
import { formatDecimal } from "../../lib/decimal.ts";
import type { LedgerSettlement } from "../ledger/types.ts";
import { levelNames } from "./access-rules.ts";
import { type BudgetOptions, type BudgetPart, type BudgetWindows, createBudgetWindows } from "./budget-windows.ts";
import type { Caller } from "./caller.ts";
import type { CounterReservation } from "./counters.ts";
import type { Policy, RequestSize, Reservation, ResolvedIntent } from "./policy.ts";
import { priceWith, tokensFor, type WorstCase, worstCaseOf } from "./worst-case.ts";

/** A budget of one level with its remainder. Amounts in nano-dollars. */
export interface BudgetStatus extends BudgetPart {
  readonly spent: bigint;
  readonly reserved: bigint;
}

export interface Budgets extends Policy {
  status(caller: Caller): readonly BudgetStatus[];
  changeZone: BudgetWindows["changeZone"];
  adjust: BudgetWindows["adjust"];
}

const longestWaitMs = 60_000;
const nanoDigits = 9;

/** As in `$0.25`. */
const dollars = (amount: bigint): string => `$${formatDecimal(amount, nanoDigits)}`;

const periodWords = { day: "per day", week: "per week", month: "per month", total: "in total" } as const;

function exceeded({ level, period, limit, counter }: BudgetPart, left: bigint, price: bigint, nowMs: number) {
  const isSpent = left <= 0n;
  const rest = isSpent ? "It is spent." : `${dollars(left)} is left, and this request may cost ${dollars(price)}.`;
  const message = `Budget of this ${levelNames[level.level]} exceeded: ${dollars(limit)} ${periodWords[period]}. ${rest}`;
  if (period === "total") return new GatewayError("insufficient_quota", message, { retryAfterMs: longestWaitMs });
  const waitMs = Math.max(1_000, Math.min(longestWaitMs, counter.untilMs - nowMs));
  return new GatewayError("insufficient_quota", message, { retryAfterMs: waitMs, resetAtMs: counter.untilMs });
}

const notPriced = (model: string): GatewayError =>
  new GatewayError("model_not_priced", `The model '${model}' has no price, and this key has a budget.`, {
    param: "model",
  });

/** How much of the output is reserved before it starts. A stream extends it, a complete reply cannot. */
function wantedOutput(size: RequestSize, { reserveOutputTokens }: BudgetOptions["limits"]): number {
  const bound = size.outputBound() ?? Math.max(reserveOutputTokens, size.leastOutput());
  return size.isStream ? Math.min(bound, Math.max(reserveOutputTokens, size.leastOutput())) : bound;
}

/** The reservation of one request. */
interface Held {
  readonly reservation: CounterReservation;
  readonly parts: readonly BudgetPart[];
  readonly worst: WorstCase;
  readonly outputTokens: number;
  /** The lowered output limit; null if it is unchanged. */
  readonly maxOutputTokens: number | null;
}

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class BudgetReservation implements Reservation {
  declare readonly maxOutputTokens: number | null;
  declare readonly reservedNanoDollars: bigint;
  declare private readonly held: Held;
  declare private readonly options: BudgetOptions;
  declare private readonly settled: BudgetWindows["settled"];
  declare private outputTokens: number;

  constructor(held: Held, options: BudgetOptions, settled: BudgetWindows["settled"]) {
    this.held = held;
    this.options = options;
    this.settled = settled;
    this.maxOutputTokens = held.maxOutputTokens;
    this.outputTokens = held.outputTokens;
    this.reservedNanoDollars = priceWith(held.worst, held.outputTokens);
  }

  cover(outputTokens: number): number {
    if (outputTokens <= this.outputTokens) return this.outputTokens;
    const missing = outputTokens - this.outputTokens;
    // The last part of a budget is used as well.
    if (!this.extendBy(Math.max(missing, this.options.limits.extendOutputTokens))) this.extendBy(missing);
    return this.outputTokens;
  }

  private extendBy(tokens: number): boolean {
    const { worst, parts, reservation } = this.held;
    const more = priceWith(worst, this.outputTokens + tokens) - priceWith(worst, this.outputTokens);
    if (!reservation.extend(parts.map(() => more))) return false;
    this.outputTokens += tokens;
    return true;
  }

  settle({ priceNanoDollars }: LedgerSettlement): void {
    const { reservation, parts } = this.held;
    reservation.settle(parts.map(() => priceNanoDollars ?? 0n));
    this.settled(parts);
  }

  cancel(): void {
    this.held.reservation.release();
  }
}

/** Reserves this output, in all budgets or in none. */
function reserveOutput(
  { counters, clock }: BudgetOptions,
  parts: readonly BudgetPart[],
  worst: WorstCase,
  outputTokens: number,
): CounterReservation | GatewayError {
  const amount = priceWith(worst, outputTokens);
  const result = counters.reserve(parts.map(({ counter, limit }) => ({ counter, limit, amount })));
  if ("reservation" in result) return result.reservation;
  const refused = parts.find(({ counter }) => counter === result.refused.counter);
  if (refused === undefined) throw new Error("A budget was refused that was not asked for.");
  return exceeded(refused, result.left, amount, clock.nowMs());
}

/** The output that the tightest budget pays for. */
function affordableOutput({ counters }: BudgetOptions, parts: readonly BudgetPart[], worst: WorstCase): number {
  return Math.min(
    ...parts.map(({ counter, limit }) => {
      const { settled, reserved } = counters.amounts(counter);
      return tokensFor(worst, limit - settled - reserved);
    }),
  );
}

/** A complete reply that would take more than half of the remainder, leaving nothing for requests in progress. */
function takesTooMuch(
  options: BudgetOptions,
  parts: readonly BudgetPart[],
  worst: WorstCase,
  { size }: ResolvedIntent,
): boolean {
  if (size.isStream || parts.every(({ counter }) => options.counters.amounts(counter).reserved === 0n)) return false;
  return wantedOutput(size, options.limits) > affordableOutput(options, parts, worst) / 2;
}

/**
 * Reserves what the request may use, or lowers its output limit to half of what is affordable, so that concurrent
 * requests get a share too. Throws `insufficient_quota` if that would be useless.
 */
function hold(options: BudgetOptions, parts: readonly BudgetPart[], worst: WorstCase, intent: ResolvedIntent): Held {
  const { size, operation } = intent;
  const wanted = wantedOutput(size, options.limits);
  const canLower = operation === "chat" && !size.isStrict;
  const first =
    canLower && takesTooMuch(options, parts, worst, intent) ? null : reserveOutput(options, parts, worst, wanted);
  if (first !== null && !(first instanceof GatewayError))
    return { reservation: first, parts, worst, outputTokens: wanted, maxOutputTokens: null };
  const least = size.leastOutput();
  const affordable = affordableOutput(options, parts, worst);
  if (first !== null && (!canLower || affordable < least)) throw first;
  const lowered = Math.min(wanted, Math.max(least, Math.floor(affordable / 2)));
  const second = reserveOutput(options, parts, worst, lowered);
  if (second instanceof GatewayError) throw second;
  return { reservation: second, parts, worst, outputTokens: lowered, maxOutputTokens: lowered };
}

/** Budgets with the counters of this process. */
export function createBudgets(options: BudgetOptions): Budgets {
  const { counters, prices, clock } = options;
  const own = createBudgetWindows(options);
  return {
    name: "budgets",
    admit(intent) {
      // Counting is free.
      const parts = intent.operation === "count" ? [] : own.partsOf(intent.caller);
      if (parts.length === 0) return undefined;
      const worst = worstCaseOf(intent, prices(), clock.nowMs());
      if (worst === null) throw notPriced(intent.model);
      return new BudgetReservation(hold(options, parts, worst, intent), options, own.settled);
    },
    restore({ atMs, reservedNanoDollars: amount, ...who }) {
      const counted = own.countersAt(who, atMs);
      const reservation = counters.resume(counted.map((counter) => ({ counter, amount })));
      return {
        settle: ({ priceNanoDollars }) => reservation.settle(counted.map(() => priceNanoDollars ?? 0n)),
        cancel: () => reservation.release(),
      };
    },
    changeZone: own.changeZone,
    adjust: own.adjust,
    status: (caller) =>
      own.partsOf(caller).map((part) => {
        const { settled, reserved } = counters.amounts(part.counter);
        return { ...part, spent: settled, reserved };
      }),
  };
}
