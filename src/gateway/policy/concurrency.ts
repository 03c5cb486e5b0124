// Limits concurrent exchanges, in total and per key. Beyond the limit, refusing at once is better than queueing.
import { GatewayError } from "../../canonical/error.ts";
import type { ExchangeIntent, Policy, Reservation } from "./policy.ts";

interface ConcurrencyLimits {
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentRequestsPerKey: number;
}

export interface Concurrency extends Policy {
  /** Throws `overloaded` at the total limit, `concurrency_limit_exceeded` at that of a key. */
  admit(intent: Pick<ExchangeIntent, "caller">): Required<Pick<Reservation, "release">>;
  /** How many exchanges are in progress. */
  inFlight(): number;
}

const retryAfterMs = 1_000;

/** `isFull` is true while the process has no memory for new work. */
export function createConcurrency(limits: ConcurrencyLimits, isFull: () => boolean = () => false): Concurrency {
  let inFlight = 0;
  const ofKey = new Map<string, number>();
  const refuse = (keyId: string): void => {
    if (inFlight >= limits.maxConcurrentRequests)
      throw new GatewayError("overloaded", "The gateway has too many requests in progress. Try again shortly.", {
        retryAfterMs,
      });
    if (isFull())
      throw new GatewayError("overloaded", "The gateway is short of memory. Try again shortly.", { retryAfterMs });
    if ((ofKey.get(keyId) ?? 0) >= limits.maxConcurrentRequestsPerKey)
      throw new GatewayError("concurrency_limit_exceeded", "This key has too many requests in progress.", {
        retryAfterMs,
      });
  };
  return {
    name: "concurrency",
    admit({ caller: { keyId } }) {
      refuse(keyId);
      inFlight++;
      ofKey.set(keyId, (ofKey.get(keyId) ?? 0) + 1);
      let isHeld = true;
      return {
        release() {
          if (!isHeld) return;
          isHeld = false;
          inFlight--;
          const left = (ofKey.get(keyId) ?? 1) - 1;
          if (left === 0) ofKey.delete(keyId);
          else ofKey.set(keyId, left);
        },
      };
    },
    inFlight: () => inFlight,
  };
}
