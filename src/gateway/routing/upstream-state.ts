// The state of upstreams as operators see it: for the admin API, metrics and the command line.
import type { ErrorKind } from "../../canonical/error.ts";
import { causeOf } from "../../lib/cause.ts";
import type { Conceal } from "../../providers/redaction.ts";
import type { BreakerState } from "./breaker.ts";
import type { Ailment, Upstream, UpstreamModel } from "./upstream.ts";

/** `half_open`: the next request decides whether it is used again. */
export type UpstreamCondition = "available" | "half_open" | Ailment;

/** The names of conditions for operators. */
export const conditionNames: { readonly [condition in UpstreamCondition]: string } = {
  available: "available",
  half_open: "half_open",
  probe_in_progress: "half_open",
  breaker_open: "breaker_open",
  rate_limited: "rate_limited",
  cooling_down: "set_aside",
};

export interface MeasuredState {
  readonly condition: UpstreamCondition;
  readonly breaker: BreakerState;
  /** Monotonic time until which it is avoided; 0 if it is not, or that depends on a request in progress. */
  readonly untilMs: number;
  readonly inFlight: number;
  /** Of the last one to two minutes. */
  readonly attempts: number;
  readonly failures: number;
  /** Means; null without a measurement. */
  readonly firstTokenMs: number | null;
  readonly replyMs: number | null;
  readonly lastError: LastError | null;
  /** The first one since it was last free of failures. */
  readonly firstError: LastError | null;
}

export interface LastError {
  readonly code: string;
  /** The status that the provider returned; null if it returned none. */
  readonly status: number | null;
  /** Without credentials and addresses. */
  readonly text: string;
  /** Monotonic. */
  readonly atMs: number;
}

/** A credential, and those of its models that a route names. */
export interface UpstreamState extends MeasuredState {
  readonly provider: string;
  /** Null if the provider has only one. */
  readonly credential: string | null;
  readonly models: readonly ModelState[];
}

export interface ModelState extends MeasuredState {
  readonly model: string;
  /** Why it was set aside, until it has answered; null if it was not. */
  readonly setAsideBy: ErrorKind | null;
}

const textLength = 500;
const meanOf = (value: number): number | null => (value === 0 ? null : value);

/** Until when each condition lasts, as far as that is known. */
function untilMs(measured: Upstream | UpstreamModel, condition: UpstreamCondition): number {
  if (condition === "cooling_down" && "asideUntilMs" in measured) return measured.asideUntilMs;
  if (condition === "rate_limited") return measured.limitedUntilMs;
  return condition === "breaker_open" ? measured.breaker.untilMs : 0;
}

function errorOf(failure: Upstream["lastFailure"], conceal: Conceal): LastError | null {
  if (failure === null) return null;
  const { error, atMs } = failure;
  const text = conceal(causeOf(error.cause ?? error))
    .replace(/\s+/g, " ")
    .slice(0, textLength);
  return { code: error.code, status: error.upstreamStatus ?? null, text, atMs };
}

/** The present state of a credential, or of one of its models. */
export function measuredState(measured: Upstream | UpstreamModel, nowMs: number, conceal: Conceal): MeasuredState {
  const { breaker, inFlight } = measured;
  const state = breaker.state(nowMs);
  const condition = measured.ailment(nowMs) ?? (state === "half_open" ? state : "available");
  const own = untilMs(measured, condition);
  const inherited = "upstream" in measured ? untilMs(measured.upstream, condition) : 0;
  return {
    condition,
    breaker: state,
    untilMs: Math.max(own, inherited),
    inFlight,
    ...measured.outcomes.recent(nowMs),
    firstTokenMs: meanOf(measured.firstTokenMs),
    replyMs: meanOf(measured.replyMs),
    lastError: errorOf(measured.lastFailure, conceal),
    firstError: errorOf(measured.firstFailure, conceal),
  };
}

/** The present state of a credential and its models. */
export function upstreamState(upstream: Upstream, nowMs: number, conceal: Conceal): UpstreamState {
  const { provider, credential, models } = upstream;
  const ofModel = (each: UpstreamModel): ModelState => ({
    ...{ model: each.model, setAsideBy: each.setAsideBy },
    ...measuredState(each, nowMs, conceal),
  });
  return {
    provider,
    credential,
    ...measuredState(upstream, nowMs, conceal),
    models: [...models.values()].map(ofModel),
  };
}
