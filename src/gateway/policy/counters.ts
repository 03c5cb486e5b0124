// Amounts that requests reserve in windows, per level: reserved below a limit, released once, settled to the actual
// amount.

export type CounterLevel = "organization" | "project" | "key" | "end_user";

/** The counted quantity, its owner and its window. */
export interface Counter {
  readonly level: CounterLevel;
  readonly id: string;
  /** As in `price` or `tokens`. Amounts are integers of its smallest unit: nano-dollars, tokens, milliseconds. */
  readonly meter: string;
  /** The window in Unix milliseconds, before `untilMs`. An amount stays in the window that it was reserved in. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The amount that a request needs from one counter. */
export interface Demand {
  readonly counter: Counter;
  readonly limit: bigint;
  /** At least 0. */
  readonly amount: bigint;
}

/** The reservation of one request in the counters of its demands. Amounts are in the order of the demands. */
export interface CounterReservation {
  /** Reserves more, in all counters or in none. False if a limit does not allow it, and after the end. */
  extend(amounts: readonly bigint[]): boolean;
  /**
   * Records what was used, even above a limit, and releases the reservation. Only the first call of `settle` or
   * `release` has an effect.
   */
  settle(amounts: readonly bigint[]): void;
  /** Releases the reservation and records nothing. */
  release(): void;
}

type ReserveResult =
  | { readonly reservation: CounterReservation }
  /** The first demand that exceeds its limit, and the remainder of that limit. */
  | { readonly refused: Demand; readonly left: bigint };

interface CounterAmounts {
  readonly settled: bigint;
  readonly reserved: bigint;
}

/** A single process answers synchronously; one that shares its limits may have to fetch an allotment first. */
export interface Counters {
  /** Reserves what all demands need, or nothing. */
  reserve(demands: readonly Demand[]): ReserveResult | Promise<ReserveResult>;
  /**
   * Repeats the reservation of a row that an earlier process left open. It was admitted then, so limits are not
   * checked.
   */
  resume(held: readonly Omit<Demand, "limit">[]): CounterReservation;
  /** Adds the ledger's amount of a window, at the start. Returns the same counter, which is then faster to find. */
  load(counter: Counter, settled: bigint): Counter;
  /** Counts what this counter has counted in another window, of which this amount is settled. What requests hold stays held. */
  move(counter: Counter, window: Pick<Counter, "fromMs" | "untilMs">, settled: bigint): void;
  amounts(counter: Counter): CounterAmounts;
  /** Drops windows that have ended and have no reservations. */
  prune(nowMs: number): void;
}

export interface MemoryCounters extends Counters {
  reserve(demands: readonly Demand[]): ReserveResult;
  /** How many windows are in memory. */
  size(): number;
}

const firstSlots = 256;
/** 9.2 billion dollars. */
const maxAmount = 2n ** 63n - 1n;

/**
 * The settled and reserved amounts of each window: two numbers in one array. As values of objects each would be a
 * memory access, and the garbage collector would have to visit every window.
 */
class Amounts {
  private cells = new BigInt64Array(2 * firstSlots);
  private readonly free: number[] = [];
  private next = 0;

  take(): number {
    const slot = this.free.pop() ?? this.next++;
    if (2 * slot >= this.cells.length) {
      const larger = new BigInt64Array(2 * this.cells.length);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells.fill(0n, 2 * slot, 2 * slot + 2);
    return slot;
  }

  giveBack(slot: number): void {
    this.free.push(slot);
  }

  settled(slot: number): bigint {
    return this.cells[2 * slot] ?? 0n;
  }

  reserved(slot: number): bigint {
    return this.cells[2 * slot + 1] ?? 0n;
  }

  settle(slot: number, amount: bigint): void {
    this.cells[2 * slot] = atMost(this.settled(slot) + amount);
  }

  reserve(slot: number, amount: bigint): void {
    this.cells[2 * slot + 1] = atMost(this.reserved(slot) + amount);
  }
}

const atMost = (amount: bigint): bigint => (amount > maxAmount ? maxAmount : amount);

/** A counter in memory. Its holder need not look it up by name again. */
class Window implements Counter {
  declare readonly level: CounterLevel;
  declare readonly id: string;
  declare readonly meter: string;
  declare fromMs: number;
  declare untilMs: number;
  declare readonly amounts: Amounts;
  /** Null after it was dropped. */
  declare private slot: number | null;

  constructor({ level, id, meter, fromMs, untilMs }: Counter, amounts: Amounts) {
    this.level = level;
    this.id = id;
    this.meter = meter;
    this.fromMs = fromMs;
    this.untilMs = untilMs;
    this.amounts = amounts;
    this.slot = amounts.take();
  }

  get settled(): bigint {
    return this.slot === null ? 0n : this.amounts.settled(this.slot);
  }

  get reserved(): bigint {
    return this.slot === null ? 0n : this.amounts.reserved(this.slot);
  }

  left(limit: bigint): bigint {
    return limit - this.settled - this.reserved;
  }

  settle(amount: bigint): void {
    if (this.slot !== null) this.amounts.settle(this.slot, amount);
  }

  reserve(amount: bigint): void {
    if (this.slot !== null) this.amounts.reserve(this.slot, amount);
  }

  get isDropped(): boolean {
    return this.slot === null;
  }

  drop(): void {
    if (this.slot !== null) this.amounts.giveBack(this.slot);
    this.slot = null;
  }
}

interface Part {
  readonly window: Window;
  readonly limit: bigint | null;
  held: bigint;
}

/** Free requests pass even if the limit is used up. */
const fits = ({ window, limit }: Part, amount: bigint): boolean =>
  limit === null || amount === 0n || window.left(limit) >= amount;

function hold(part: Part, amount: bigint): void {
  part.held += amount;
  part.window.reserve(amount);
}

const giveBack = (part: Part, amount: bigint): void => hold(part, -amount);

/**
 * Reserves an amount of each part, one after the other; a failure releases the earlier ones. Returns the index of the
 * part that does not fit.
 */
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

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class PartsReservation implements CounterReservation {
  declare private readonly parts: readonly Part[];
  declare private isOver: boolean;

  constructor(parts: readonly Part[]) {
    this.parts = parts;
    this.isOver = false;
  }

  extend(amounts: readonly bigint[]): boolean {
    return !this.isOver && holdAll(this.parts, amounts) === null;
  }

  settle(amounts: readonly bigint[]): void {
    if (this.isOver) return;
    this.release();
    for (const [index, { window }] of this.parts.entries()) window.settle(amounts[index] ?? 0n);
  }

  release(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const part of this.parts) giveBack(part, part.held);
  }
}

/** With the end, because a day and a week start at the same time on Mondays. */
const nameOf = ({ level, id, meter, fromMs, untilMs }: Counter): string =>
  `${level} ${meter} ${fromMs} ${untilMs} ${id}`;

/** Counters in the memory of one process: every step is one turn of the event loop, so no other can come between. */
export function createMemoryCounters(): MemoryCounters {
  const windows = new Map<string, Window>();
  const all = new Amounts();
  const windowOf = (counter: Counter): Window =>
    counter instanceof Window && counter.amounts === all && !counter.isDropped ? counter : namedWindow(counter);
  const namedWindow = (counter: Counter): Window => {
    const key = nameOf(counter);
    const found = windows.get(key) ?? new Window(counter, all);
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
      if (refused === undefined) return { reservation: new PartsReservation(parts) };
      return { refused, left: windowOf(refused.counter).left(refused.limit) };
    },
    resume(held) {
      const parts = held.map(({ counter }): Part => ({ window: windowOf(counter), limit: null, held: 0n }));
      for (const [index, part] of parts.entries()) hold(part, held[index]?.amount ?? 0n);
      return new PartsReservation(parts);
    },
    load(counter, settled) {
      const window = windowOf(counter);
      window.settle(settled);
      return window;
    },
    move(counter, { fromMs, untilMs }, settled) {
      const window = windowOf(counter);
      windows.delete(nameOf(window));
      window.fromMs = fromMs;
      window.untilMs = untilMs;
      windows.set(nameOf(window), window);
      window.settle(settled - window.settled);
    },
    amounts(counter) {
      const { settled, reserved } = windowOf(counter);
      return { settled, reserved };
    },
    prune(nowMs) {
      for (const [key, window] of windows) {
        if (window.untilMs > nowMs || window.reserved !== 0n) continue;
        windows.delete(key);
        window.drop();
      }
    },
    size: () => windows.size,
  };
}
