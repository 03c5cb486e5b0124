// Admission: a lease for each exchange that is let in, and a refusal for those over the bound.
import { GatewayError } from "../../canonical/error.ts";

/** Permission to go on; released exactly once, however the exchange ends. */
export interface Lease {
  release(): void;
}

export interface Admission {
  /** Throws `overloaded` when too much is in progress, `concurrency_limit_exceeded` when it is too much of one key. */
  admit(keyId: string): Lease;
  /** How many exchanges are in progress. */
  inFlight(): number;
}

export interface AdmissionLimits {
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentRequestsPerKey: number;
}

const retryAfterMs = 1_000;

/** Beyond the bounds refusing at once beats queueing. `isFull` tells that the process is out of memory for new work. */
export function createAdmission(
  { maxConcurrentRequests, maxConcurrentRequestsPerKey }: AdmissionLimits,
  isFull: () => boolean = () => false,
): Admission {
  let inFlight = 0;
  const ofKey = new Map<string, number>();
  const refuse = (keyId: string): void => {
    if (inFlight >= maxConcurrentRequests)
      throw new GatewayError("overloaded", "The gateway has too many requests in progress. Try again shortly.", {
        retryAfterMs,
      });
    if (isFull())
      throw new GatewayError("overloaded", "The gateway is short of memory. Try again shortly.", { retryAfterMs });
    if ((ofKey.get(keyId) ?? 0) >= maxConcurrentRequestsPerKey)
      throw new GatewayError("concurrency_limit_exceeded", "This key has too many requests in progress.", {
        retryAfterMs,
      });
  };
  return {
    admit(keyId) {
      refuse(keyId);
      inFlight++;
      ofKey.set(keyId, (ofKey.get(keyId) ?? 0) + 1);
      let held = true;
      return {
        release() {
          if (!held) return;
          held = false;
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
