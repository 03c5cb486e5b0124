// Delivers alerts by signed webhook, one after the other: a bounded queue, and retries with growing waits.
import type { Clock } from "../../lib/clock.ts";
import { randomId } from "../../lib/ids.ts";
import { webhookHeaders } from "../../lib/webhook.ts";
import type { AlertMessage } from "./problem.ts";

/** Posts a body. Returns the status, or rejects if there is none. */
export type Post = (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<number>;

interface DeliveryDependencies {
  key(): Uint8Array;
  readonly clock: Pick<Clock, "nowMs">;
  readonly post: Post;
  /** A message could not be delivered for now, or at all. */
  failed(cause: unknown): void;
  /** The wait before the next try. Default: 1 s, 4 s, 16 s, … up to 10 minutes. */
  readonly waitMs?: (tries: number) => number;
}

/** An alert that could not be delivered yet, or at all. */
export interface Undelivered {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly reason: string;
}

export interface Delivery {
  /** Null if there is none, or a later one was delivered. */
  undelivered(): Undelivered | null;
  /** Never waits and never throws. */
  send(message: AlertMessage): void;
  close(): void;
}

const maxQueued = 200;
const maxTries = 8;
const firstWaitMs = 1_000;
const waitGrowth = 4;
const maxWaitMs = 600_000;
/** The receiver wants this message never again. */
const gone = 410;

const usualWaitMs = (tries: number): number => Math.min(maxWaitMs, firstWaitMs * waitGrowth ** (tries - 1));

interface Queued {
  readonly id: string;
  readonly body: string;
}

class WebhookDelivery implements Delivery {
  private readonly given: DeliveryDependencies;
  private readonly queue: Queued[] = [];
  private readonly closing = new AbortController();
  private isRunning = false;
  private endWait: () => void = () => undefined;
  private last: Undelivered | null = null;

  constructor(given: DeliveryDependencies) {
    this.given = given;
  }

  send(message: AlertMessage): void {
    if (this.queue.length >= maxQueued) {
      this.queue.shift();
      this.report(new Error(`More than ${maxQueued} alerts wait: the oldest was discarded.`));
    }
    this.queue.push({ id: randomId("msg_"), body: JSON.stringify(message) });
    if (!this.isRunning) void this.run();
  }

  undelivered(): Undelivered | null {
    return this.last;
  }

  private report(cause: unknown): void {
    this.last ??= { atMs: this.given.clock.nowMs(), reason: cause instanceof Error ? cause.message : String(cause) };
    this.given.failed(cause);
  }

  close(): void {
    this.closing.abort();
    this.endWait();
    this.queue.length = 0;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) await this.deliver(next);
    this.isRunning = false;
  }

  private async deliver(queued: Queued): Promise<void> {
    const { waitMs = usualWaitMs } = this.given;
    for (let tries = 1; tries <= maxTries && !this.closing.signal.aborted; tries++) {
      if (await this.isAccepted(queued)) return;
      if (tries < maxTries) await this.wait(waitMs(tries));
    }
  }

  private async isAccepted({ id, body }: Queued): Promise<boolean> {
    const { key, clock, post } = this.given;
    const signed = webhookHeaders(key(), id, clock.nowMs(), body);
    try {
      const status = await post(body, { "content-type": "application/json", ...signed }, this.closing.signal);
      if (status >= 200 && status < 300) {
        this.last = null;
        return true;
      }
      this.report(new Error(`The receiver of alerts returned status ${status}.`));
      return status === gone;
    } catch (thrown) {
      if (!this.closing.signal.aborted) this.report(thrown);
      return false;
    }
  }

  private wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    timer.unref();
    this.endWait = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }
}

export const createDelivery = (given: DeliveryDependencies): Delivery => new WebhookDelivery(given);
