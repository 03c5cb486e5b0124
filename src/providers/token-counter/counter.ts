// The token counter: one thread for each vocabulary, started when it is first needed and again when it died, with a bounded queue.
import { GatewayError } from "../../canonical/error.ts";
import type { Encoding } from "../../dialects/tokens/families.ts";
import type { CountOrder, SliceCount, Split } from "./slices.ts";
import { type Slice, slicesOf } from "./slices.ts";

export interface TokenCounter {
  /**
   * Tokens of the texts. Rejects with `overloaded` if too much is waiting, with the signal's reason when it aborts,
   * and with `internal_error` if these texts crashed the thread.
   */
  count(texts: Slice, encoding: Encoding, split: Split, signal?: AbortSignal): Promise<SliceCount>;
  /** Ends the threads; waiting jobs are rejected. */
  close(): void;
  /** Texts that are being counted or waiting. */
  waiting(): number;
}

/** What the counter needs from a thread. */
export interface CountThread {
  post(order: CountOrder): void;
  onCount(listener: (count: SliceCount) => void): void;
  onEnd(listener: (cause: unknown) => void): void;
  end(): void;
}

interface CounterOptions {
  start(encoding: Encoding): CountThread;
  /** Characters that may wait at once; more are refused. */
  readonly maxWaitingChars: number;
  /** Characters of one request that are counted; the rest is extrapolated. */
  readonly maxChars: number;
}

interface Job {
  readonly slices: Iterator<Slice>;
  readonly split: Split;
  readonly chars: number;
  /** The factor for texts that were not counted. */
  readonly scale: number;
  readonly sum: { plain: number; cjk: number; digits: number };
  readonly resolve: (count: SliceCount) => void;
  readonly reject: (cause: unknown) => void;
  /** The slice that crashed a thread is retried once. */
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

interface EncodingQueue {
  add(job: Job): void;
  /** The job's request was abandoned. */
  drop(job: Job): void;
  close(): void;
}

interface QueueState {
  readonly start: () => CountThread;
  readonly finished: (job: Job) => void;
  thread: CountThread | null;
  jobs: Job[];
  current: Job | null;
}

function finish(queue: QueueState, job: Job, settle: () => void): void {
  if (job.isOver) return;
  job.isOver = true;
  queue.jobs = queue.jobs.filter((other) => other !== job);
  queue.finished(job);
  settle();
}

function onCounted(queue: QueueState, count: SliceCount): void {
  const job = queue.current;
  queue.current = null;
  if (job !== null) {
    job.slice = null;
    job.sum.plain += count.plain;
    job.sum.cjk += count.cjk;
    job.sum.digits += count.digits;
  }
  next(queue);
}

/** The next slice starts another thread; a text that crashed two of them is given up. */
function onThreadEnded(queue: QueueState, cause: unknown): void {
  queue.thread?.end();
  queue.thread = null;
  const job = queue.current;
  queue.current = null;
  if (job !== null && ++job.deaths > 1) finish(queue, job, () => job.reject(dead(cause)));
  next(queue);
}

function running(queue: QueueState): CountThread {
  if (queue.thread !== null) return queue.thread;
  const thread = queue.start();
  thread.onCount((count) => queue.thread === thread && onCounted(queue, count));
  thread.onEnd((cause) => queue.thread === thread && onThreadEnded(queue, cause));
  queue.thread = thread;
  return thread;
}

/** Jobs take turns slice by slice, so that a short one never waits for a long one. */
function next(queue: QueueState): void {
  while (queue.current === null) {
    const job = queue.jobs.shift();
    if (job === undefined) return;
    const slice = job.slice ?? job.slices.next().value ?? null;
    if (slice === null) {
      finish(queue, job, () => job.resolve(job.sum));
      continue;
    }
    queue.jobs.push(job);
    job.slice = slice;
    queue.current = job;
    running(queue).post({ texts: slice, split: job.split });
  }
}

function encodingQueue(start: () => CountThread, over: (job: Job) => void): EncodingQueue {
  const queue: QueueState = { start, finished: over, thread: null, jobs: [], current: null };
  return {
    add(job) {
      queue.jobs.push(job);
      next(queue);
    },
    drop: (job) => finish(queue, job, () => undefined),
    close() {
      queue.thread?.end();
      queue.thread = null;
      for (const job of [...queue.jobs]) finish(queue, job, () => job.reject(dead("closed")));
    },
  };
}

export function createTokenCounter(options: CounterOptions): TokenCounter {
  const { start } = options;
  const queues = new Map<Encoding, EncodingQueue>();
  const jobs = new Set<Job>();
  let waitingChars = 0;
  const over = (job: Job): void => {
    jobs.delete(job);
    waitingChars -= job.chars;
  };
  const queueFor = (encoding: Encoding): EncodingQueue => {
    const queue = queues.get(encoding) ?? encodingQueue(() => start(encoding), over);
    queues.set(encoding, queue);
    return queue;
  };
  return {
    async count(texts, encoding, split, signal) {
      signal?.throwIfAborted();
      const all = charsIn(texts);
      if (all === 0) return { plain: 0, cjk: 0, digits: 0 };
      const { maxChars, maxWaitingChars } = options;
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
      const queue = queueFor(encoding);
      const abandon = (): void => {
        queue.drop(job);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abandon, { once: true });
      queue.add(job);
      try {
        const { plain, cjk, digits } = await promise;
        return { plain: plain * job.scale, cjk: cjk * job.scale, digits: digits * job.scale };
      } finally {
        signal?.removeEventListener("abort", abandon);
      }
    },
    close() {
      for (const queue of queues.values()) queue.close();
    },
    waiting: () => jobs.size,
  };
}
