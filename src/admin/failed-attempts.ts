// Slows down an address that tries invalid credentials. An address without failures never waits.
import { GatewayError } from "../canonical/error.ts";
import type { Clock } from "../lib/clock.ts";

interface Failures {
  count: number;
  untilMs: number;
}

/** One attempt of an address. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
}

export interface FailedAttempts {
  /** Throws status 429 for an address that has to wait. */
  begin(address: string): Attempt;
}

const freeFailures = 5;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
const forgottenAfterMs = 600_000;
const maxAddresses = 10_000;

/** One machine may have every address of an IPv6 /64 network. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address.replace(/^.*:/, "");
  const [front = "", back] = address.split("::");
  const groups = front === "" ? [] : front.split(":");
  const behind = back === undefined || back === "" ? [] : back.split(":");
  const missing = Array<string>(Math.max(0, 8 - groups.length - behind.length)).fill("0");
  return [...groups, ...missing, ...behind].slice(0, 4).join(":");
}

const waitMs = (count: number): number =>
  count < freeFailures ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(10, count - freeFailures));

export function createFailedAttempts({ monotonicMs }: Pick<Clock, "monotonicMs">): FailedAttempts {
  const byNetwork = new Map<string, Failures>();
  const add = (network: string): void => {
    const before = byNetwork.get(network);
    const isOld = before === undefined || before.untilMs + forgottenAfterMs < monotonicMs();
    const count = isOld ? 1 : before.count + 1;
    byNetwork.delete(network);
    byNetwork.set(network, { count, untilMs: monotonicMs() + waitMs(count) });
    const [oldest] = byNetwork.keys();
    if (byNetwork.size > maxAddresses && oldest !== undefined) byNetwork.delete(oldest);
  };
  return {
    begin(address) {
      const network = networkOf(address);
      const before = byNetwork.get(network);
      const left = (before?.untilMs ?? 0) - monotonicMs();
      if (before !== undefined && left > 0)
        throw new GatewayError("rate_limit_exceeded", "Too many attempts with a credential that is not valid.", {
          retryAfterMs: left,
        });
      // From the second attempt on, each counts until it has succeeded. Otherwise many could be made at once.
      const isSuspect = before !== undefined;
      if (isSuspect) add(network);
      return {
        succeeded: () => void byNetwork.delete(network),
        failed: () => {
          if (!isSuspect) add(network);
        },
      };
    },
  };
}

const budgetFailures = 60;
const budgetRefillMs = 1_000;

/** Failures of all addresses together: many addresses with few attempts each are slowed down too. */
export interface FailureBudget {
  /** Throws status 429 while it is spent. */
  require(): void;
  spend(): void;
}

export function createFailureBudget({ monotonicMs }: Pick<Clock, "monotonicMs">): FailureBudget {
  let left = budgetFailures;
  let countedMs = monotonicMs();
  const refill = (): void => {
    const nowMs = monotonicMs();
    left = Math.min(budgetFailures, left + (nowMs - countedMs) / budgetRefillMs);
    countedMs = nowMs;
  };
  return {
    require() {
      refill();
      if (left >= 1) return;
      throw new GatewayError("rate_limit_exceeded", "Too many failed sign-ins. Try again in a moment.", {
        retryAfterMs: Math.ceil((1 - left) * budgetRefillMs),
      });
    },
    spend() {
      left = Math.max(0, left - 1);
    },
  };
}
