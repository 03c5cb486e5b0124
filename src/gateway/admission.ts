// Admission: a lease for each exchange that is let in, and a refusal for those over the bound.
import { GatewayError } from "../canon/error.ts";

/** Permission to go on; released exactly once, however the exchange ends. */
export interface Lease {
  release(): void;
}

export interface Admission {
  /** Throws `overloaded` when too much is under way. */
  admit(): Lease;
  /** How many exchanges are under way. */
  inFlight(): number;
}

/** `maxConcurrentRequests` bounds the whole process: beyond it refusing at once beats queueing. */
export function createAdmission(maxConcurrentRequests: number): Admission {
  let inFlight = 0;
  return {
    admit() {
      if (inFlight >= maxConcurrentRequests)
        throw new GatewayError("overloaded", "The gateway has too many requests under way. Try again shortly.", {
          retryAfterMs: 1_000,
        });
      inFlight++;
      let held = true;
      return {
        release() {
          if (held) inFlight--;
          held = false;
        },
      };
    },
    inFlight: () => inFlight,
  };
}
