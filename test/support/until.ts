// Waiting for what other parts of the system do, and bounds on time that hold on a machine busy with other work.

/** Generous: a test that works never waits this long, and one that fails says so in the end. */
const patienceMs = 120_000;
const stepMs = 5;

/** Asks again until the answer is neither false, null nor undefined, and gives it. Throws with `what` when it never is. */
export async function until<T>(
  what: string,
  probe: () => T | false | null | undefined | Promise<T | false | null | undefined>,
): Promise<T> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(stepMs)) {
    const value = await probe();
    if (value !== false && value !== null && value !== undefined) return value;
  }
  throw new Error(`not within ${patienceMs / 1_000} s: ${what}`);
}

export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
  /** How late a timer of this process came at most meanwhile: what other work on the machine costs. */
  readonly lateMs: number;
}

/** Runs the work and measures it beside a timer. */
export async function timed<T>(work: () => T | Promise<T>): Promise<Timed<T>> {
  const tickMs = 5;
  let lateMs = 0;
  let dueMs = performance.now() + tickMs;
  const look = (): void => {
    lateMs = Math.max(lateMs, performance.now() - dueMs);
    dueMs = performance.now() + tickMs;
  };
  const timer = setInterval(look, tickMs);
  const startMs = performance.now();
  try {
    const value = await work();
    const ms = performance.now() - startMs;
    look();
    return { value, ms, lateMs };
  } finally {
    clearInterval(timer);
  }
}

/**
 * A bound on time for work that passes through several processes or turns of the event loop: exact on an idle machine,
 * and longer by a multiple of what timers were late.
 */
export const allowedMs = (ms: number, { lateMs }: Pick<Timed<unknown>, "lateMs">): number => ms + 20 * lateMs;
