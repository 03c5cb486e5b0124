// The operator's own limits on a provider and on each of its credentials: requests and tokens per minute, requests in
// progress, and cost per day. A candidate over one of them leaves the routing until it is under it again.
import { GatewayError } from "../../canonical/error.ts";
import { cacheWrites, totalOutput, type Usage, uncachedInput } from "../../canonical/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProviderEntry, ProviderLimits } from "../../providers/provider.ts";
import type { LedgerAttempt, LedgerSettlement } from "../ledger/types.ts";
import type { Policy, Reservation } from "../policy/policy.ts";
import { costMs, minuteMs, msPerSecond, waitMs } from "../policy/rate-levels.ts";
import type { Windows } from "../policy/windows.ts";
import type { Candidate, RequestNeeds } from "./catalog.ts";

/** Which limit a candidate has reached. */
export type OverLimit =
  | "over_requests_per_minute"
  | "over_tokens_per_minute"
  | "over_concurrent_requests"
  | "over_cost_per_day";

/** What tokens are estimated by. */
type SizedRequest = { needs?(): RequestNeeds };

/** How much of a limit is used at present. Costs are in nano-dollars. */
export interface LimitUse {
  readonly provider: string;
  /** Null for the limits of the provider as a whole. */
  readonly credential: string | null;
  readonly limit: keyof ProviderLimits;
  readonly most: number | bigint;
  readonly used: number | bigint;
}

export interface ProviderLimitsState extends Policy {
  admit: NonNullable<Policy["admit"]>;
  /** Null if this request may be sent there. */
  overLimit(candidate: Candidate, size: SizedRequest): OverLimit | null;
  /** How long to wait until the candidate may be under its limits again. */
  waitMs(candidate: Candidate): number;
  /** The limits of a provider and of its credential. */
  uses(entry: ProviderEntry): LimitUse[];
}

interface ProviderLimitsOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly windows: Pick<Windows, "current">;
  /** What was spent at a provider since a time, from the ledger; `credential` is null for all of them. */
  readonly spent: (provider: string, credential: string | null, sinceMs: number) => bigint;
  readonly reserveOutputTokens: number;
}

/** Sums of fractions of a minute are not exact. */
const tiny = 1e-6;

/** One provider or one credential. */
interface Scope {
  readonly provider: string;
  readonly credential: string | null;
  limits: ProviderLimits;
  /** When all usage has been refilled, in monotonic milliseconds. */
  requestsMs: number;
  tokensMs: number;
  inProgress: number;
  /** In nano-dollars, since the start of the day; -1 where it is not read yet. */
  cost: bigint;
  dayFromMs: number;
}

const unused = { requestsMs: 0, tokensMs: 0, inProgress: 0, cost: 0n, dayFromMs: -1 } as const;

const none: readonly Scope[] = [];

/** True if the provider of the candidate or its credential has a limit. */
export const isLimited = ({ provider: { entry } }: Candidate): boolean =>
  entry.limits !== undefined || entry.credentialLimits !== undefined;

/** As vendors count: cached input is free. */
const countedTokens = (usage: Usage): number => uncachedInput(usage) + cacheWrites(usage) + totalOutput(usage);

/** The error where none of the candidates is left. */
export const allAtLimits = (retryAfterMs = msPerSecond): GatewayError =>
  new GatewayError("overloaded", "All providers of this model are at their limits. Try again shortly.", {
    retryAfterMs,
  });

class Limits implements ProviderLimitsState {
  readonly name = "provider_limits";
  /** By name, so that they survive a change of the configuration. */
  private readonly byName = new Map<string, Scope>();
  private readonly byEntry = new WeakMap<object, readonly Scope[]>();
  readonly given: ProviderLimitsOptions;

  constructor(given: ProviderLimitsOptions) {
    this.given = given;
  }

  scopesOf({ provider: { entry } }: Pick<Candidate, "provider">): readonly Scope[] {
    if (entry.limits === undefined && entry.credentialLimits === undefined) return none;
    const known = this.byEntry.get(entry);
    if (known !== undefined) return known;
    const made: Scope[] = [];
    if (entry.limits !== undefined) made.push(this.scope(entry.name, null, entry.limits));
    if (entry.credentialLimits !== undefined)
      made.push(this.scope(entry.name, entry.credentialName ?? null, entry.credentialLimits));
    this.byEntry.set(entry, made);
    return made;
  }

  private scope(provider: string, credential: string | null, limits: ProviderLimits): Scope {
    const key = JSON.stringify([provider, credential]);
    const found = this.byName.get(key) ?? { provider, credential, limits, ...unused };
    found.limits = limits;
    this.byName.set(key, found);
    return found;
  }

  overLimit(candidate: Candidate, size: SizedRequest): OverLimit | null {
    if (!isLimited(candidate)) return null;
    const scopes = this.scopesOf(candidate);
    return this.firstOver(scopes, this.tokensOf(scopes, size));
  }

  /** 0 where there is no limit on tokens. */
  tokensOf(scopes: readonly Scope[], size: SizedRequest): number {
    if (scopes.every(({ limits }) => limits.tokensPerMinute === undefined)) return 0;
    const { reserveOutputTokens: most } = this.given;
    const needs = size.needs?.();
    return needs === undefined ? 0 : needs.inputTokens + Math.min(needs.outputTokens || most, most);
  }

  firstOver(scopes: readonly Scope[], tokens: number): OverLimit | null {
    const nowMs = this.given.clock.monotonicMs();
    for (const scope of scopes) {
      const { requestsPerMinute, tokensPerMinute, concurrentRequests, costPerDay } = scope.limits;
      if (concurrentRequests !== undefined && scope.inProgress >= concurrentRequests) return "over_concurrent_requests";
      if (waitFor(scope.requestsMs, 1, requestsPerMinute, nowMs) > 0) return "over_requests_per_minute";
      if (waitFor(scope.tokensMs, tokens, tokensPerMinute, nowMs) > 0) return "over_tokens_per_minute";
      if (costPerDay !== undefined && this.costOf(scope) >= costPerDay) return "over_cost_per_day";
    }
    return null;
  }

  waitMs(candidate: Candidate): number {
    const nowMs = this.given.clock.monotonicMs();
    const waits = this.scopesOf(candidate).map((scope) => {
      const { requestsPerMinute, tokensPerMinute, concurrentRequests, costPerDay } = scope.limits;
      return Math.max(
        concurrentRequests !== undefined && scope.inProgress >= concurrentRequests ? msPerSecond : 0,
        waitFor(scope.requestsMs, 1, requestsPerMinute, nowMs),
        waitFor(scope.tokensMs, 1, tokensPerMinute, nowMs),
        costPerDay !== undefined && this.costOf(scope) >= costPerDay ? minuteMs : 0,
      );
    });
    return Math.max(msPerSecond, ...waits);
  }

  /** Since the start of the day: from the ledger at first, then counted here. */
  private costOf(scope: Scope): bigint {
    const { fromMs } = this.given.windows.current("day");
    if (scope.dayFromMs === fromMs) return scope.cost;
    scope.dayFromMs = fromMs;
    scope.cost = this.given.spent(scope.provider, scope.credential, fromMs);
    return scope.cost;
  }

  spend(provider: string | null, credential: string | null | undefined, cost: bigint | null | undefined): void {
    if (provider === null || !cost) return;
    for (const scope of this.byName.values()) {
      const isOf = scope.provider === provider && (scope.credential === null || scope.credential === credential);
      // Costs that were never needed are in the ledger.
      if (isOf && scope.dayFromMs >= 0) scope.cost = this.costOf(scope) + cost;
    }
  }

  admit({ candidates, size }: Parameters<NonNullable<Policy["admit"]>>[0]): Reservation | undefined {
    return candidates.some(isLimited) ? new ProviderReservation(this, size, candidates[0]) : undefined;
  }

  restore(): Reservation {
    return { settle: (settlement) => this.settled(settlement, []) };
  }

  settled({ provider, credential, costNanoDollars }: LedgerSettlement, others: readonly LedgerAttempt[]): void {
    this.spend(provider, credential, costNanoDollars);
    for (const each of others) this.spend(each.provider, each.credential, each.costNanoDollars);
  }

  uses(entry: ProviderEntry): LimitUse[] {
    const nowMs = this.given.clock.monotonicMs();
    const used = (scope: Scope): { readonly [limit in keyof ProviderLimits]-?: number | bigint } => ({
      requestsPerMinute: usedOf(scope.requestsMs, scope.limits.requestsPerMinute, nowMs),
      tokensPerMinute: usedOf(scope.tokensMs, scope.limits.tokensPerMinute, nowMs),
      concurrentRequests: scope.inProgress,
      costPerDay: scope.limits.costPerDay === undefined ? 0n : this.costOf(scope),
    });
    return this.scopesOf({ provider: { entry } as Candidate["provider"] }).flatMap((scope) =>
      Object.entries(scope.limits).map(([name, most]): LimitUse => {
        const limit = name as keyof ProviderLimits;
        return { provider: scope.provider, credential: scope.credential, limit, most, used: used(scope)[limit] };
      }),
    );
  }
}

function waitFor(usedUntilMs: number, amount: number, limit: number | undefined, nowMs: number): number {
  if (limit === undefined || amount === 0) return 0;
  const wait = waitMs(usedUntilMs, costMs(amount, limit), nowMs);
  return wait > tiny ? Math.min(wait, minuteMs) : 0;
}

const usedOf = (usedUntilMs: number, limit: number | undefined, nowMs: number): number =>
  limit === undefined ? 0 : Math.ceil((Math.max(0, usedUntilMs - nowMs) / minuteMs) * limit - tiny);

/** The place of one request at the candidate that it is sent to. */
class ProviderReservation implements Reservation {
  declare private readonly limits: Limits;
  declare private readonly size: SizedRequest;
  /** Where it has a place; null where it has none yet. */
  declare private held: Candidate | null;
  /** The first attempt uses the place that the admission took. */
  declare private isUnused: boolean;
  declare private tokens: number;

  constructor(limits: Limits, size: SizedRequest, first: Candidate | undefined) {
    this.limits = limits;
    this.size = size;
    this.held = null;
    this.tokens = 0;
    this.isUnused = first !== undefined && this.take(first);
  }

  attempt(candidate: Candidate): boolean {
    if (this.held === candidate && this.isUnused) {
      this.isUnused = false;
      return true;
    }
    this.leave(0);
    return this.take(candidate);
  }

  settle(settlement: LedgerSettlement, others: readonly LedgerAttempt[] = []): void {
    this.correct(settlement.charged ? countedTokens(settlement.usage) : 0);
    this.limits.settled(settlement, others);
  }

  release(): void {
    this.leave(this.tokens);
  }

  cancel(): void {
    const { held } = this;
    this.leave(0);
    if (held === null) return;
    for (const scope of this.limits.scopesOf(held)) scope.requestsMs -= costOf(1, scope.limits.requestsPerMinute);
  }

  private take(candidate: Candidate): boolean {
    const scopes = this.limits.scopesOf(candidate);
    const tokens = this.limits.tokensOf(scopes, this.size);
    if (this.limits.firstOver(scopes, tokens) !== null) return false;
    const nowMs = this.limits.given.clock.monotonicMs();
    for (const scope of scopes) {
      const { requestsPerMinute, tokensPerMinute } = scope.limits;
      scope.inProgress++;
      scope.requestsMs = Math.max(scope.requestsMs, nowMs) + costOf(1, requestsPerMinute);
      scope.tokensMs = Math.max(scope.tokensMs, nowMs) + costOf(tokens, tokensPerMinute);
    }
    this.held = candidate;
    this.tokens = tokens;
    return true;
  }

  /** `tokens`: what it has used there. */
  private leave(tokens: number): void {
    const { held } = this;
    if (held === null) return;
    this.correct(tokens);
    for (const scope of this.limits.scopesOf(held)) scope.inProgress--;
    this.held = null;
  }

  /** From the estimated to the actual tokens: a debt counts from now on. */
  private correct(actual: number): void {
    const before = this.tokens;
    this.tokens = actual;
    if (this.held === null || actual === before) return;
    const nowMs = this.limits.given.clock.monotonicMs();
    for (const scope of this.limits.scopesOf(this.held)) {
      const limit = scope.limits.tokensPerMinute;
      if (!limit) continue;
      const moreMs = (actual / limit) * minuteMs - costMs(before, limit);
      scope.tokensMs = (moreMs > 0 ? Math.max(scope.tokensMs, nowMs) : scope.tokensMs) + moreMs;
    }
  }
}

const costOf = (amount: number, limit: number | undefined): number =>
  limit === undefined || amount === 0 ? 0 : costMs(amount, limit);

export const createProviderLimits = (given: ProviderLimitsOptions): ProviderLimitsState => new Limits(given);
