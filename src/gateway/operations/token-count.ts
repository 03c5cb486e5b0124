// Token counts by the provider, or by the gateway's estimate if the provider has no counter.
import type { Clock } from "../../lib/clock.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Events } from "../../telemetry/events.ts";
import type { AttemptResult } from "../attempts/attempt-loop.ts";
import type { AttemptContext } from "../attempts/model-attempts.ts";
import type { BufferedResponse } from "../attempts/upstream-plan.ts";

/** How long a provider without a counter is not called again: it may be updated. */
const memoryMs = 10 * 60_000;

/** Providers without a counter, by name. */
export interface MissingCounters {
  has(provider: string): boolean;
  add(provider: string): void;
}

export function createMissingCounters(clock: Clock): MissingCounters {
  const untilMs = new Map<string, number>();
  return {
    has: (provider) => (untilMs.get(provider) ?? 0) > clock.monotonicMs(),
    add: (provider) => void untilMs.set(provider, clock.monotonicMs() + memoryMs),
  };
}

/** The same attempts, recording each provider without a counter. */
function remembering(context: AttemptContext, missing: MissingCounters): AttemptContext {
  const attemptFailed: Events["attemptFailed"] = (provider, model, failure, ids) => {
    if (failure.kind === "counter_missing") missing.add(provider);
    context.events.attemptFailed(provider, model, failure, ids);
  };
  return { ...context, events: { ...context.events, attemptFailed } };
}

/** The count of the first candidate that returns one; the estimate of `fallback` if none has a counter. */
export async function attemptCount(
  context: AttemptContext,
  fallback: Provider,
  missing: MissingCounters,
  attempt: (context: AttemptContext) => Promise<AttemptResult<BufferedResponse>>,
): Promise<AttemptResult<BufferedResponse>> {
  const candidates = context.candidates.filter(({ provider }) => !missing.has(provider.entry.name));
  const estimate = { ...context, candidates: [{ provider: fallback, model: context.gatewayRequest.outline.model }] };
  if (candidates.length === 0) return attempt(estimate);
  const tried = await attempt(remembering({ ...context, candidates }, missing));
  if (!("failure" in tried) || tried.failure.kind !== "counter_missing") return tried;
  const estimated = await attempt(estimate);
  if (tried.servedBy === null || estimated.servedBy === null) return estimated;
  return {
    ...estimated,
    servedBy: { ...estimated.servedBy, attempts: tried.servedBy.attempts + estimated.servedBy.attempts },
  };
}
