// Amounts that requests hold in windows, per level: reserved below a limit, given back once, settled to the actual amount.

export type CounterLevel = "organization" | "project" | "key" | "end_user";

/** What is counted, for whom, in which window. */
export interface Counter {
  readonly level: CounterLevel;
  readonly id: string;
  /** As in `price` or `tokens`. Amounts are integers of its smallest unit: nano-dollars, tokens, milliseconds. */
  readonly meter: string;
  /** The window in Unix milliseconds, before `untilMs`. An amount stays in the window that it was reserved in. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What a request needs of one counter. */
export interface Demand {
  readonly counter: Counter;
  readonly limit: bigint;
  /** At least 0. */
  readonly amount: bigint;
}

/** What one request holds of the counters of its demands. Amounts are given in the order of the demands. */
export interface CounterReservation {
  /** Reserves more, of all counters or of none. False where a limit does not allow it, and after the end. */
  extend(amounts: readonly bigint[]): boolean;
  /** Books what was used, also above a limit, and gives the reservation back. Only the first call of `settle` or `release` counts. */
  settle(amounts: readonly bigint[]): void;
  /** Gives the reservation back and books nothing. */
  release(): void;
}

export type ReserveResult =
  | { readonly reservation: CounterReservation }
  /** The first demand that does not fit, and how much of its limit is left. */
  | { readonly refused: Demand; readonly left: bigint };

export interface CounterAmounts {
  readonly settled: bigint;
  readonly reserved: bigint;
}

/** One process answers at once; one that shares its limits with others may have to fetch an allotment first. */
export interface Counters {
  /** Reserves what all demands need, or nothing. */
  reserve(demands: readonly Demand[]): ReserveResult | Promise<ReserveResult>;
  /** Reserves again what a row held that was open when the process before ended. It was admitted then: limits are not checked. */
  resume(held: readonly Omit<Demand, "limit">[]): CounterReservation;
  /** Adds what the ledger has of a window, at the start. */
  load(counter: Counter, settled: bigint): void;
  amounts(counter: Counter): CounterAmounts;
  /** Drops windows that have ended and of which nothing is reserved. */
  prune(nowMs: number): void;
}

export interface MemoryCounters extends Counters {
  reserve(demands: readonly Demand[]): ReserveResult;
  /** How many windows are in memory. */
  size(): number;
}

interface Window {
  readonly untilMs: number;
  settled: bigint;
  reserved: bigint;
}

interface Part {
  readonly window: Window;
  readonly limit: bigint | null;
  held: bigint;
}

const leftOf = ({ settled, reserved }: Window, limit: bigint): bigint => limit - settled - reserved;

/** What is free passes on a spent limit, too. */
const fits = ({ window, limit }: Part, amount: bigint): boolean =>
  limit === null || amount === 0n || leftOf(window, limit) >= amount;

function hold(part: Part, amount: bigint): void {
  part.held += amount;
  part.window.reserved += amount;
}

/** Holds an amount of each part, one after the other; what fails gives back what went before. The index of the part that does not fit. */
function holdAll(parts: readonly Part[], amounts: readonly bigint[]): number | null {
  if (amounts.some((amount) => amount < 0n)) throw new RangeError("An amount is at least 0.");
  for (const [index, part] of parts.entries()) {
    const amount = amounts[index] ?? 0n;
    if (fits(part, amount)) hold(part, amount);
    else {
      for (const [before, other] of parts.slice(0, index).entries()) giveBack(other, amounts[before] ?? 0n);
      return index;
    }
  }
  return null;
}

function giveBack(part: Part, amount: bigint): void {
  part.held -= amount;
  part.window.reserved -= amount;
}

function reservationOf(parts: readonly Part[]): CounterReservation {
  let isOver = false;
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    for (const part of parts) giveBack(part, part.held);
    return true;
  };
  return {
    extend: (amounts) => !isOver && holdAll(parts, amounts) === null,
    settle(amounts) {
      if (!end()) return;
      for (const [index, { window }] of parts.entries()) window.settled += amounts[index] ?? 0n;
    },
    release: () => void end(),
  };
}

/** Counters of one process, in its memory: every step is one turn of the event loop, so that none can come between. */
export function createMemoryCounters(): MemoryCounters {
  const windows = new Map<string, Window>();
  /** The same by the objects that callers reuse: a name need not be made for each request. */
  const known = new WeakMap<Counter, Window>();
  const windowOf = (counter: Counter): Window => {
    const found = known.get(counter);
    if (found !== undefined) return found;
    const named = namedWindow(counter);
    known.set(counter, named);
    return named;
  };
  const namedWindow = ({ level, id, meter, fromMs, untilMs }: Counter): Window => {
    const key = `${level} ${meter} ${fromMs} ${id}`;
    const found = windows.get(key) ?? { untilMs, settled: 0n, reserved: 0n };
    windows.set(key, found);
    return found;
  };
  return {
    reserve(demands) {
      const parts = demands.map(({ counter, limit }): Part => ({ window: windowOf(counter), limit, held: 0n }));
      const failed = holdAll(
        parts,
        demands.map(({ amount }) => amount),
      );
      const refused = failed === null ? undefined : demands[failed];
      if (refused === undefined) return { reservation: reservationOf(parts) };
      return { refused, left: leftOf(windowOf(refused.counter), refused.limit) };
    },
    resume(held) {
      const parts = held.map(({ counter }): Part => ({ window: windowOf(counter), limit: null, held: 0n }));
      for (const [index, part] of parts.entries()) hold(part, held[index]?.amount ?? 0n);
      return reservationOf(parts);
    },
    load(counter, settled) {
      windowOf(counter).settled += settled;
    },
    amounts(counter) {
      const { settled, reserved } = windowOf(counter);
      return { settled, reserved };
    },
    prune(nowMs) {
      for (const [key, { untilMs, reserved }] of windows) if (untilMs <= nowMs && reserved === 0n) windows.delete(key);
    },
    size: () => windows.size,
  };
}
