// The timeout of an attempt, when a candidate is called again, and which candidates share a fault.
import type { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Router } from "../routing/router.ts";

const leastWaitMs = 50;
const mostWaitMs = 2_000;

/** Faults of one credential, which another one may not have. */
export const blamesCredential = ({ kind }: GatewayError): boolean =>
  kind === "upstream_rate_limited" || kind === "upstream_credentials" || kind === "upstream_model_not_found";

/** The same model of the same provider, possibly with another credential. */
export const isSameServer = (one: Candidate, other: Candidate): boolean =>
  one.provider.entry.name === other.provider.entry.name && one.model === other.model;

/** What a repeated attempt depends on. */
export interface RepeatContext {
  readonly dueMs: number;
  readonly router: Pick<Router, "health" | "random">;
}

/**
 * How long to wait before the same candidate is called again; null if it is not: the requested wait exceeds the
 * remaining time.
 */
export function repeatWaitMs(failure: GatewayError, repeat: number, { dueMs, router }: RepeatContext): number | null {
  if (blamesCredential(failure) && failure.kind !== "upstream_rate_limited") return null;
  const most = Math.min(mostWaitMs, leastWaitMs * 2 ** (repeat + 1));
  const waitMs = failure.retryAfterMs ?? leastWaitMs + router.random() * (most - leastWaitMs);
  return router.health.nowMs() + waitMs < dueMs ? waitMs : null;
}

/** Ends early when the signal is aborted. */
export function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** Between two events of a stream. */
export const idleMs = ({ timeouts, provider }: Candidate): number => timeouts?.idleMs ?? provider.entry.timeouts.idleMs;

/** The timeout of an attempt, at most the time until the deadline of its request. */
export function timeoutMs(
  { clock, dueMs }: { readonly clock: Pick<Clock, "monotonicMs">; readonly dueMs: number },
  { timeouts, provider }: Candidate,
  name: "wholeMs" | "firstByteMs",
): number {
  const ownMs = timeouts?.[name] ?? provider.entry.timeouts[name];
  return Math.max(1, Math.min(ownMs, dueMs - clock.monotonicMs()));
}
