// The token counter: one thread for each vocabulary, started when it is first needed and again when it died, with a bounded queue.
import { GatewayError } from "../../canonical/error.ts";
import type { Encoding } from "../../dialects/tokens/families.ts";
import type { CountOrder, SliceCount, Split } from "./count-slice.ts";
import { type Slice, slicesOf } from "./slices.ts";

export interface TokenCounter {
  /**
   * Tokens of the texts. Rejects with `overloaded` where too much is waiting, with the signal's reason once it aborts, and
   * with `internal_error` where the thread died of these texts.
   */
  count(texts: Slice, encoding: Encoding, split: Split, signal?: AbortSignal): Promise<SliceCount>;
  /** Ends the threads; what waits is rejected. */
  close(): void;
  /** Texts that are being counted or wait. */
  waiting(): number;
}

/** What the counter needs of a thread. */
export interface CountThread {
  post(order: CountOrder): void;
  onCount(hear: (count: SliceCount) => void): void;
  onEnd(hear: (cause: unknown) => void): void;
  end(): void;
}

interface CounterOptions {
  start(encoding: Encoding): CountThread;
  /** Characters that may wait at once; more is refused. */
  readonly maxWaitingChars: number;
  /** Characters of one request that are counted; the rest counts like these. */
  readonly maxChars: number;
}

interface Job {
  readonly slices: Iterator<Slice>;
  readonly split: Split;
  readonly chars: number;
  /** What the sum is multiplied by for texts that were not counted. */
  readonly scale: number;
  readonly sum: { plain: number; cjk: number; digits: number };
  readonly resolve: (count: SliceCount) => void;
  readonly reject: (cause: unknown) => void;
  /** The slice that a thread died of is tried once more. */
  slice: Slice | null;
  deaths: number;
  isOver: boolean;
}

const dead = (cause: unknown): GatewayError =>
  new GatewayError("internal_error", "The token counter stopped.", { cause });
const full = (): GatewayError =>
  new GatewayError("overloaded", "Too many token counts are queued. Try again shortly.", {
    retryAfterMs: 1_000,
  });

const charsIn = (texts: Slice): number => texts.reduce((sum, { text }) => sum + text.length, 0);

/** The first texts up to so many characters. */
function firstOf(texts: Slice, maxChars: number): Slice {
  let left = maxChars;
  const first: Slice[number][] = [];
  for (const { text, times } of texts) {
    if (left <= 0) break;
    first.push({ text: text.length > left ? text.slice(0, left) : text, times });
    left -= text.length;
  }
  return first;
}

interface Lane {
  add(job: Job): void;
  /** Nobody waits for it any more. */
  drop(job: Job): void;
  close(): void;
}

interface LaneState {
  readonly start: () => CountThread;
  readonly over: (job: Job) => void;
  thread: CountThread | null;
  queue: Job[];
  current: Job | null;
}

function finish(lane: LaneState, job: Job, settle: () => void): void {
  if (job.isOver) return;
  job.isOver = true;
  lane.queue = lane.queue.filter((other) => other !== job);
  lane.over(job);
  settle();
}

function heard(lane: LaneState, count: SliceCount): void {
  const job = lane.current;
  lane.current = null;
  if (job !== null) {
    job.slice = null;
    job.sum.plain += count.plain;
    job.sum.cjk += count.cjk;
    job.sum.digits += count.digits;
  }
  next(lane);
}

/** The next slice starts another thread; a text that two of them died of is given up. */
function died(lane: LaneState, cause: unknown): void {
  lane.thread?.end();
  lane.thread = null;
  const job = lane.current;
  lane.current = null;
  if (job !== null && ++job.deaths > 1) finish(lane, job, () => job.reject(dead(cause)));
  next(lane);
}

function running(lane: LaneState): CountThread {
  if (lane.thread !== null) return lane.thread;
  const thread = lane.start();
  thread.onCount((count) => lane.thread === thread && heard(lane, count));
  thread.onEnd((cause) => lane.thread === thread && died(lane, cause));
  lane.thread = thread;
  return thread;
}

/** Jobs take turns slice by slice, so that a short one never waits for a long one. */
function next(lane: LaneState): void {
  while (lane.current === null) {
    const job = lane.queue.shift();
    if (job === undefined) return;
    const slice = job.slice ?? job.slices.next().value ?? null;
    if (slice === null) {
      finish(lane, job, () => job.resolve(job.sum));
      continue;
    }
    lane.queue.push(job);
    job.slice = slice;
    lane.current = job;
    running(lane).post({ texts: slice, split: job.split });
  }
}

function laneOf(start: () => CountThread, over: (job: Job) => void): Lane {
  const lane: LaneState = { start, over, thread: null, queue: [], current: null };
  return {
    add(job) {
      lane.queue.push(job);
      next(lane);
    },
    drop: (job) => finish(lane, job, () => undefined),
    close() {
      lane.thread?.end();
      lane.thread = null;
      for (const job of [...lane.queue]) finish(lane, job, () => job.reject(dead("closed")));
    },
  };
}

export function createTokenCounter({ start, maxWaitingChars, maxChars }: CounterOptions): TokenCounter {
  const lanes = new Map<Encoding, Lane>();
  const jobs = new Set<Job>();
  let waitingChars = 0;
  const over = (job: Job): void => {
    jobs.delete(job);
    waitingChars -= job.chars;
  };
  const laneFor = (encoding: Encoding): Lane => {
    const lane = lanes.get(encoding) ?? laneOf(() => start(encoding), over);
    lanes.set(encoding, lane);
    return lane;
  };
  return {
    async count(texts, encoding, split, signal) {
      signal?.throwIfAborted();
      const all = charsIn(texts);
      if (all === 0) return { plain: 0, cjk: 0, digits: 0 };
      const chars = Math.min(all, maxChars);
      if (waitingChars + chars > maxWaitingChars) throw full();
      const { promise, resolve, reject } = Promise.withResolvers<SliceCount>();
      const slices = slicesOf(all === chars ? texts : firstOf(texts, maxChars));
      const sum = { plain: 0, cjk: 0, digits: 0 };
      const job: Job = {
        slices,
        split,
        chars,
        scale: all / chars,
        sum,
        resolve,
        reject,
        slice: null,
        deaths: 0,
        isOver: false,
      };
      jobs.add(job);
      waitingChars += chars;
      const lane = laneFor(encoding);
      const leave = (): void => {
        lane.drop(job);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      lane.add(job);
      try {
        const { plain, cjk, digits } = await promise;
        return { plain: plain * job.scale, cjk: cjk * job.scale, digits: digits * job.scale };
      } finally {
        signal?.removeEventListener("abort", leave);
      }
    },
    close() {
      for (const lane of lanes.values()) lane.close();
    },
    waiting: () => jobs.size,
  };
}
