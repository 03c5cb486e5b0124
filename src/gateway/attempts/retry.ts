// The timeout of an attempt, when a candidate is called again, and which candidates share a fault.
import type { GatewayError } from "../../canonical/error.ts";
import type { RequestOutline } from "../../dialects/request-outline.ts";
import { reasons } from "../../dialects/shared/reasoning-models.ts";
import type { Clock } from "../../lib/clock.ts";
import { defaultTimeouts, reasoningTimeouts, type Timeouts } from "../../providers/timeouts.ts";
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
interface RepeatContext {
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

/** What a timeout depends on. */
interface TimeoutContext {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly dueMs: number;
  readonly gatewayRequest: { readonly outline: Pick<RequestOutline, "reasoning"> };
}

/** Of the operation or the route, else of the provider, else of the table. */
export function ownTimeoutMs(
  { gatewayRequest: { outline } }: Pick<TimeoutContext, "gatewayRequest">,
  { timeouts, provider: { entry }, model }: Candidate,
  name: keyof Timeouts,
): number {
  const set = timeouts?.[name] ?? entry.timeouts[name];
  if (set !== undefined) return set;
  const isLong = reasons({ model, declared: entry.declared, reasoning: outline.reasoning });
  return (isLong ? reasoningTimeouts : defaultTimeouts)[name];
}

/** The timeout of an attempt, at most the time until the deadline of its request. */
export function timeoutMs(context: TimeoutContext, candidate: Candidate, name: "wholeMs" | "firstByteMs"): number {
  return Math.max(1, Math.min(ownTimeoutMs(context, candidate, name), context.dueMs - context.clock.monotonicMs()));
}
