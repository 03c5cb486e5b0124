// The state of the upstreams of this process (credentials of providers, and their models): requests report it, and the
// router reads it.
import type { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Provider } from "../../providers/provider.ts";
import { concealerOf } from "../../providers/redaction.ts";
import { isCertificateFault } from "../../providers/upstream.ts";
import type { UnusableCandidate, UpstreamChange } from "../../telemetry/events.ts";
import type { Candidate } from "./catalog.ts";
import { effects } from "./failure-effects.ts";
import { type Ailment, type HealthLimits, Upstream, UpstreamModel } from "./upstream.ts";
import { type UpstreamState, upstreamState } from "./upstream-state.ts";

/** The duration of a rate limit without one. */
const usualWaitMs = 1_000;

type Change = Pick<UpstreamChange, "change" | "error" | "forMs">;

export interface HealthEvents {
  /** A provider does not have the model of a candidate, or refuses a credential. Reported once per period. */
  candidateUnusable(candidate: UnusableCandidate, error: GatewayError): void;
  /** Such a candidate has answered again. */
  candidateUsable(candidate: UnusableCandidate): void;
  upstreamChanged(change: UpstreamChange): void;
}

export interface Health {
  /** True if all upstreams are healthy, so that no candidate is moved back. */
  readonly isQuiet: boolean;
  nowMs(): number;
  /** Null if no route names the model: clients may name any, so its state is not stored. */
  modelOf(candidate: Candidate): UpstreamModel | null;
  upstreamOf(candidate: Pick<Candidate, "provider">): Upstream;
  /** The candidate belongs to a route: the state of its model is stored too. */
  watch(candidate: Candidate): UpstreamModel;
  ailment(candidate: Candidate, nowMs: number): Ailment | null;
  /** The state of a provider under each of its credentials. */
  stateOf(provider: Provider): readonly UpstreamState[];
  /** It has answered within this time, and nothing of it is avoided. */
  isInUse(provider: Provider, withinMs: number): boolean;
  /** The result of a model list that was requested as a probe. */
  probed(provider: Provider, begunMs: number, error: GatewayError | null): void;
  /** Removes what has expired. */
  sweep(nowMs: number): void;
  /** The candidate was selected: if it is being probed, no other request probes it at the same time. */
  claim(candidate: Candidate, nowMs: number): void;
  /** An attempt starts. Returns the time, which is passed back at its end. */
  begin(candidate: Candidate): number;
  /** It succeeded. It is in progress until `release`. */
  answered(candidate: Candidate, begunMs: number, isStream: boolean): void;
  failed(candidate: Candidate, begunMs: number, error: GatewayError): void;
  release(candidate: Candidate): void;
  /** Uses one retry of this candidate's budget after a failure. False if the budget is used up. */
  takeRetry(candidate: Candidate): boolean;
}

/**
 * Upstreams are identified by the entry of their provider, which lives until its configuration changes: a corrected
 * credential starts with a new state. Candidates of routes live as long as their catalog.
 */
class UpstreamHealth implements Health {
  private readonly byEntry = new WeakMap<object, Upstream>();
  private readonly byCandidate = new WeakMap<Candidate, UpstreamModel>();
  private readonly troubled = new Set<Upstream | UpstreamModel>();
  private readonly clock: Pick<Clock, "monotonicMs">;
  private readonly limits: HealthLimits;
  private readonly events: HealthEvents;

  constructor(clock: Pick<Clock, "monotonicMs">, limits: HealthLimits, events: HealthEvents) {
    this.clock = clock;
    this.limits = limits;
    this.events = events;
  }

  get isQuiet(): boolean {
    return this.troubled.size === 0;
  }

  nowMs(): number {
    return this.clock.monotonicMs();
  }

  upstreamOf({ provider: { entry } }: Pick<Candidate, "provider">): Upstream {
    const found = this.byEntry.get(entry);
    if (found !== undefined) return found;
    const upstream = new Upstream(entry.name, entry.credentialName ?? null);
    this.byEntry.set(entry, upstream);
    return upstream;
  }

  modelOf(candidate: Candidate): UpstreamModel | null {
    return this.byCandidate.get(candidate) ?? null;
  }

  watch(candidate: Candidate): UpstreamModel {
    const known = this.byCandidate.get(candidate);
    if (known !== undefined) return known;
    const upstream = this.upstreamOf(candidate);
    const model = upstream.models.get(candidate.model) ?? new UpstreamModel(upstream, candidate.model);
    upstream.models.set(candidate.model, model);
    this.byCandidate.set(candidate, model);
    return model;
  }

  ailment(candidate: Candidate, nowMs: number): Ailment | null {
    return (this.modelOf(candidate) ?? this.upstreamOf(candidate)).ailment(nowMs);
  }

  stateOf(provider: Provider): readonly UpstreamState[] {
    const nowMs = this.clock.monotonicMs();
    const all = [provider, ...(provider.others ?? [])];
    const conceal = concealerOf(all);
    return all.map((each) => upstreamState(this.upstreamOf({ provider: each }), nowMs, conceal));
  }

  isInUse(provider: Provider, withinMs: number): boolean {
    const { answeredMs, breaker, models } = this.upstreamOf({ provider });
    if (!breaker.isClosed || answeredMs === 0 || this.clock.monotonicMs() - answeredMs >= withinMs) return false;
    return [...models.values()].every((each) => each.breaker.isClosed && each.setAsideBy === null);
  }

  probed(provider: Provider, begunMs: number, error: GatewayError | null): void {
    const upstream = this.upstreamOf({ provider });
    const nowMs = this.clock.monotonicMs();
    if (error === null) {
      this.probeAnswered(upstream, begunMs, nowMs);
      return;
    }
    const effect = effects[error.kind];
    // A list that is missing or limited does not concern the models.
    const isFailure = effect === "upstream_failure" || error.kind === "upstream_timeout";
    if (!isFailure && error.kind !== "upstream_credentials") return;
    this.note(upstream, null, error);
    if (isFailure) this.count(upstream, null, begunMs, error);
    else for (const model of upstream.models.values()) this.setAside(model, error);
  }

  private probeAnswered(upstream: Upstream, begunMs: number, nowMs: number): void {
    const wasOpen = !upstream.breaker.isClosed;
    upstream.breaker.answered(nowMs, begunMs, this.limits);
    for (const model of upstream.models.values()) if (model.setAsideBy === "upstream_credentials") this.takeBack(model);
    if (wasOpen && upstream.breaker.isClosed)
      this.report(upstream, null, { change: "recovered", error: null, forMs: 0 });
  }

  sweep(nowMs: number): void {
    for (const each of this.troubled)
      if (each.breaker.isClosed && each.ailment(nowMs) === null) this.troubled.delete(each);
  }

  claim(candidate: Candidate, nowMs: number): void {
    this.upstreamOf(candidate).breaker.beginProbe(nowMs);
    this.modelOf(candidate)?.breaker.beginProbe(nowMs);
  }

  begin(candidate: Candidate): number {
    const nowMs = this.clock.monotonicMs();
    const model = this.modelOf(candidate);
    (model?.upstream ?? this.upstreamOf(candidate)).begin(nowMs);
    if (model === null) return nowMs;
    model.inFlight++;
    model.breaker.beginProbe(nowMs);
    return nowMs;
  }

  release(candidate: Candidate): void {
    const model = this.modelOf(candidate);
    (model?.upstream ?? this.upstreamOf(candidate)).inFlight--;
    if (model !== null) model.inFlight--;
  }

  answered(candidate: Candidate, begunMs: number, isStream: boolean): void {
    const nowMs = this.clock.monotonicMs();
    const model = this.modelOf(candidate);
    const upstream = model?.upstream ?? this.upstreamOf(candidate);
    const wasOpen = !upstream.breaker.isClosed || model?.breaker.isClosed === false;
    upstream.breaker.answered(nowMs, begunMs, this.limits);
    upstream.outcomes.add(nowMs, false);
    upstream.measured(nowMs - begunMs, isStream);
    upstream.answeredMs = nowMs;
    if (model !== null) {
      model.breaker.answered(nowMs, begunMs, this.limits);
      model.outcomes.add(nowMs, false);
      model.measured(nowMs - begunMs, isStream);
      if (model.asideUntilMs > 0) this.takeBack(model);
    }
    if (this.isQuiet) return;
    this.sweep(nowMs);
    if (wasOpen && upstream.breaker.isClosed && model?.breaker.isClosed !== false)
      this.report(upstream, model, { change: "recovered", error: null, forMs: 0 });
  }

  failed(candidate: Candidate, begunMs: number, error: GatewayError): void {
    this.release(candidate);
    const model = this.modelOf(candidate);
    const upstream = model?.upstream ?? this.upstreamOf(candidate);
    const effect = effects[error.kind];
    if (effect !== undefined) this.note(upstream, model, error);
    if (effect === "upstream_failure") this.count(upstream, null, begunMs, error);
    else upstream.breaker.endProbe();
    if (effect === "upstream_failure" || effect === "model_failure") {
      if (model !== null) this.count(upstream, model, begunMs, error);
      return;
    }
    model?.breaker.endProbe();
    if (effect === "credential_limited") this.limit(upstream, null, error);
    if (effect === "needs_operator" && model !== null) this.setAside(model, error);
  }

  takeRetry(candidate: Candidate): boolean {
    return this.upstreamOf(candidate).takeRetry(this.clock.monotonicMs(), this.limits);
  }

  /** A certificate that is not accepted will not be accepted a moment later either. */
  private count(upstream: Upstream, model: UpstreamModel | null, begunMs: number, error: GatewayError): void {
    const nowMs = this.clock.monotonicMs();
    if (model !== null && error.kind === "upstream_overloaded" && error.retryAfterMs !== undefined)
      this.limit(upstream, model, error);
    const { breaker } = model ?? upstream;
    const isFinal = breaker.isClosed && isCertificateFault(error);
    if (isFinal) breaker.open(nowMs, this.limits);
    if (!isFinal && !breaker.failed(nowMs, begunMs, this.limits)) return;
    this.troubled.add(model ?? upstream);
    this.report(upstream, model, { change: "breaker_opened", error, forMs: breaker.untilMs - nowMs });
  }

  /**
   * A rate limit belongs to the credential: its other models have to wait as well, the same model elsewhere does not.
   * An overload belongs to the model.
   */
  private limit(upstream: Upstream, model: UpstreamModel | null, error: GatewayError): void {
    const nowMs = this.clock.monotonicMs();
    const limited = model ?? upstream;
    const wasLimited = nowMs < limited.limitedUntilMs;
    const waitMs = error.retryAfterMs ?? usualWaitMs;
    limited.limitedUntilMs = Math.max(limited.limitedUntilMs, nowMs + waitMs);
    this.troubled.add(limited);
    if (!wasLimited) this.report(upstream, model, { change: "rate_limited", error, forMs: waitMs });
  }

  /** A refusal may concern only this model, so the others of its credential are still used. */
  private setAside(model: UpstreamModel, error: GatewayError): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs >= model.asideUntilMs) this.events.candidateUnusable(named(model), error);
    model.setAsideBy = error.kind;
    model.asideUntilMs = nowMs + this.limits.candidateCooldownMs;
    this.troubled.add(model);
  }

  private takeBack(model: UpstreamModel): void {
    model.asideUntilMs = 0;
    model.setAsideBy = null;
    this.events.candidateUsable(named(model));
  }

  /** Failures that are not listed in `effects` are not the upstream's. */
  private note(upstream: Upstream, model: UpstreamModel | null, error: GatewayError): void {
    const atMs = this.clock.monotonicMs();
    for (const each of model === null ? [upstream] : [upstream, model]) each.failed(error, atMs);
  }

  private report({ provider, credential }: Upstream, model: UpstreamModel | null, change: Change): void {
    this.events.upstreamChanged({ provider, credential, model: model?.model ?? null, ...change });
  }
}

const named = ({ upstream: { provider, credential }, model }: UpstreamModel): UnusableCandidate => ({
  provider,
  credential,
  model,
});

export const createHealth = (clock: Pick<Clock, "monotonicMs">, limits: HealthLimits, events: HealthEvents): Health =>
  new UpstreamHealth(clock, limits, events);
