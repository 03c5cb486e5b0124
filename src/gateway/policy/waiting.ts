// Requests that wait for admission in place of a refusal: in turn by key, and by priority, for a short time.
import { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SharedInterval } from "../../lib/shared-interval.ts";
import type { WaitingRule } from "../routing/catalog.ts";
import type { Caller } from "./caller.ts";
import { type Priority, priorities } from "./rules.ts";

/** A request that was refused for now. */
export interface Refused<T> {
  readonly route: string;
  readonly rule: WaitingRule;
  readonly keyId: string;
  readonly priority: Priority;
  /** Tries again to be admitted; throws while it is refused. */
  admit(): T;
  /** The client's. */
  readonly signal: AbortSignal;
}

export interface Waiting {
  /** Gives what `admit` gives as soon as it is admitted, or throws its last refusal when the time is up, or at once where too many wait. */
  wait<T>(refused: Refused<T>, refusal: GatewayError): Promise<T>;
  /** Whether another request waits, behind which a new one of this route has to queue. */
  isQueued(route: string): boolean;
  waiting(): number;
}

/** That of the lowest level that has one: the end user's, the key's, the project's. */
export const priorityOf = ({ levels }: Pick<Caller, "levels">): Priority =>
  levels.findLast(({ rules }) => rules.priority !== undefined)?.rules.priority ?? "normal";

/** Refusals that end by themselves. */
export const endsByItself = ({ kind }: GatewayError): boolean =>
  kind === "concurrency_limit_exceeded" || kind === "rate_limit_exceeded" || kind === "overloaded";

interface Entry {
  readonly refused: Refused<unknown>;
  readonly dueMs: number;
  refusal: GatewayError;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Of one route and priority: the keys that wait, the next one first, each with its requests in order. */
type Line = Map<string, Entry[]>;

class Queue {
  readonly lines: { readonly [priority in Priority]: Line } = { high: new Map(), normal: new Map(), low: new Map() };
  size = 0;

  add(entry: Entry): void {
    const { priority, keyId } = entry.refused;
    const line = this.lines[priority];
    const entries = line.get(keyId);
    if (entries === undefined) line.set(keyId, [entry]);
    else entries.push(entry);
    this.size++;
  }

  remove(entry: Entry): boolean {
    const { priority, keyId } = entry.refused;
    const line = this.lines[priority];
    const entries = line.get(keyId) ?? [];
    const at = entries.indexOf(entry);
    if (at < 0) return false;
    entries.splice(at, 1);
    if (entries.length === 0) line.delete(keyId);
    this.size--;
    return true;
  }

  /** The first request of each key, by priority and then by turn. */
  *heads(): Generator<Entry> {
    for (const priority of priorities) for (const [first] of [...this.lines[priority].values()]) if (first) yield first;
  }

  /** The key has had its turn. */
  toTheEnd({ refused: { priority, keyId } }: Entry): void {
    const line = this.lines[priority];
    const entries = line.get(keyId);
    if (entries === undefined) return;
    line.delete(keyId);
    line.set(keyId, entries);
  }
}

/** Tries one request again. True where it does not wait any more. */
function settleOne(queue: Queue, entry: Entry, nowMs: number): boolean {
  const { refused, resolve, reject } = entry;
  try {
    const value = refused.admit();
    queue.remove(entry);
    queue.toTheEnd(entry);
    resolve(value);
    return true;
  } catch (thrown) {
    const isStillRefused = thrown instanceof GatewayError && endsByItself(thrown);
    if (isStillRefused) entry.refusal = thrown;
    if (isStillRefused && nowMs < entry.dueMs) return false;
    queue.remove(entry);
    reject(thrown);
    return true;
  }
}

/**
 * All waiting requests are tried again at each tick: a request of each key in turn, so that a key with many requests does
 * not keep others from theirs, and those of a higher priority first.
 */
export function createWaiting(clock: Pick<Clock, "monotonicMs">, ticker: SharedInterval): Waiting {
  const queues = new Map<string, Queue>();
  const look = (): void => {
    const nowMs = clock.monotonicMs();
    for (const [route, queue] of queues) {
      let admitted = true;
      while (admitted && queue.size > 0) {
        admitted = false;
        for (const entry of queue.heads()) admitted = settleOne(queue, entry, nowMs) || admitted;
      }
      if (queue.size === 0) queues.delete(route);
    }
    if (queues.size === 0) ticker.unsubscribe(look);
  };
  return {
    wait<T>(refused: Refused<T>, refusal: GatewayError): Promise<T> {
      const queue = queues.get(refused.route) ?? new Queue();
      // The reason of its own refusal is more exact than that others wait.
      if (queue.size >= refused.rule.maxWaiting) return Promise.resolve(refused.admit());
      queues.set(refused.route, queue);
      ticker.subscribe(look);
      return new Promise<T>((resolve, reject) => {
        const dueMs = clock.monotonicMs() + refused.rule.maxWaitMs;
        const entry: Entry = { refused, dueMs, refusal, resolve: resolve as (value: unknown) => void, reject };
        queue.add(entry);
        const leave = (): void => {
          if (queue.remove(entry)) reject(new GatewayError("client_closed", "The client closed the connection."));
        };
        refused.signal.addEventListener("abort", leave, { once: true });
      });
    },
    isQueued: (route) => queues.has(route),
    waiting: () => [...queues.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
