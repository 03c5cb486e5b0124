// Rates of every level: requests, tokens, images and audio per minute, polls, and concurrent requests. docs/limits.md
// explains them.
import { GatewayError } from "../../canonical/error.ts";
import { cacheWrites, totalOutput, type Usage, uncachedInput, unitAmount } from "../../canonical/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { LedgerSettlement } from "../ledger/types.ts";
import { levelNames } from "./access-rules.ts";
import type { Caller, RuleLevel } from "./caller.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Policy, Reservation, ResolvedIntent } from "./policy.ts";
import {
  costMs,
  type LevelRates,
  limitOf,
  minuteMs,
  msPerSecond,
  RateLevels,
  type RateName,
  rateNames,
  rateRows,
  waitMs,
} from "./rate-levels.ts";

/** The remainder of a limit. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is completely refilled. */
  readonly resetMs: number;
}

export interface RateStatuses {
  readonly requests: RateStatus | null;
  readonly tokens: RateStatus | null;
}

export interface Rates extends Policy {
  /** A request without a model: a list, a task. Throws `rate_limit_exceeded`. */
  poll(caller: Caller): void;
  /** Of the tightest level; null if no level limits requests or tokens. */
  status(caller: Caller): RateStatuses | null;
  /** The remainder of one level's rate; null if it has no limit. */
  statusOf(level: RuleLevel, name: RateName): RateStatus | null;
  /** How many levels are in memory. */
  size(): number;
}

/** An upper bound for speech: 10 characters a second is slow. */
const speechMsPerCharacter = 100;

type Amounts = { [name in RateName]: number };
type RateSettings = Pick<GatewayLimits, "reserveOutputTokens">;
type Clocked = Pick<Clock, "monotonicMs">;

function exceeded(name: RateName, { level, rules }: RuleLevel, wait: number): GatewayError {
  const retryAfterMs = Number.isFinite(wait) ? Math.ceil(wait) : minuteMs;
  const { setting, words } = rateRows[name];
  const limit = rules.limits?.[setting] ?? 0;
  const message = `Rate limit of this ${levelNames[level]} exceeded: ${limit} ${words}. Try again in ${durationText(retryAfterMs)}.`;
  return new GatewayError("rate_limit_exceeded", message, { retryAfterMs });
}

const tooManyAtOnce = ({ level, rules }: RuleLevel): GatewayError =>
  new GatewayError(
    "concurrency_limit_exceeded",
    `Concurrency limit of this ${levelNames[level]} exceeded: ${rules.limits?.concurrent_requests} requests in progress.`,
    { retryAfterMs: msPerSecond },
  );

/** As in `6m0s`, `1.25s` and `20ms`. */
export function durationText(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < msPerSecond) return `${whole}ms`;
  const minutes = Math.floor(whole / minuteMs);
  const seconds = `${(whole - minutes * minuteMs) / msPerSecond}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}

/** As vendors count: cached input is free. */
const countedTokens = (usage: Usage): number => uncachedInput(usage) + cacheWrites(usage) + totalOutput(usage);

/** Amounts that are only known at the end. */
const settledNames = ["tokens", "images", "audioMs"] as const;

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class RateReservation implements Reservation {
  declare private readonly levels: readonly RuleLevel[];
  declare private readonly states: readonly LevelRates[];
  declare private readonly held: Amounts;
  declare private readonly clock: Clocked;
  declare private isSettled: boolean;

  constructor(levels: readonly RuleLevel[], states: readonly LevelRates[], held: Amounts, clock: Clocked) {
    this.levels = levels;
    this.states = states;
    this.held = held;
    this.clock = clock;
    this.isSettled = false;
    for (const state of states) state.inProgress++;
  }

  settle({ usage, charged }: LedgerSettlement): void {
    this.isSettled = true;
    this.correct("tokens", charged ? countedTokens(usage) : 0);
    this.correct("images", charged ? unitAmount(usage, "images") : 0);
    this.correct("audioMs", charged ? unitAmount(usage, "audioMs") : 0);
  }

  release(): void {
    if (!this.isSettled) for (const name of settledNames) this.correct(name, 0);
    for (const state of this.states) state.inProgress--;
  }

  cancel(): void {
    for (const name of rateNames) this.correct(name, 0);
    for (const state of this.states) state.inProgress--;
  }

  /** From the reserved to the actual amount: a debt counts from now on. */
  private correct(name: RateName, actual: number): void {
    const before = this.held[name];
    if (actual === before) return;
    this.held[name] = actual;
    const nowMs = this.clock.monotonicMs();
    for (const [index, { rules }] of this.levels.entries()) {
      const state = this.states[index];
      const limit = rules.limits === undefined ? undefined : limitOf(rules.limits, name);
      if (state === undefined || limit === undefined || limit === 0) continue;
      const moreMs = (actual / limit) * minuteMs - costMs(before, limit);
      state[name] = (moreMs > 0 ? Math.max(state[name], nowMs) : state[name]) + moreMs;
    }
  }
}

const isLimited = ({ rules }: RuleLevel): boolean => rules.limits !== undefined;

const limits = (levels: readonly RuleLevel[], name: RateName): boolean =>
  levels.some((each) => each.rules.limits?.[rateRows[name].setting] !== undefined);

/** Only rates that some level limits are computed. */
function amountsOf(
  { operation, size, candidates }: ResolvedIntent,
  levels: readonly RuleLevel[],
  { reserveOutputTokens }: RateSettings,
): Amounts {
  const isPoll = operation === "count";
  const amounts = { requests: isPoll ? 0 : 1, tokens: 0, images: 0, audioMs: 0, polls: isPoll ? 1 : 0 };
  if (isPoll) return amounts;
  if (limits(levels, "tokens")) {
    const output = Math.min(size.outputBound() ?? reserveOutputTokens, reserveOutputTokens);
    amounts.tokens = size.inputBound(candidates) + output;
  }
  if (!limits(levels, "images") && !limits(levels, "audioMs")) return amounts;
  for (const { kind, amount } of size.units()) {
    if (kind === "images" || kind === "audioMs") amounts[kind] += amount;
    if (kind === "characters") amounts.audioMs += amount * speechMsPerCharacter;
  }
  return amounts;
}

/** Throws for the first rate of a level that is exceeded. */
function check(level: RuleLevel, state: LevelRates, amounts: Amounts, nowMs: number): void {
  const { limits: own = {} } = level.rules;
  for (const name of rateNames) {
    const limit = amounts[name] === 0 ? undefined : limitOf(own, name);
    if (limit === undefined) continue;
    const wait = waitMs(state[name], costMs(amounts[name], limit), nowMs);
    // Sums of fractions of a minute are not exact.
    if (wait > 1e-6) throw exceeded(name, level, wait);
  }
}

function take({ rules }: RuleLevel, state: LevelRates, amounts: Amounts, nowMs: number): void {
  for (const name of rateNames) {
    const limit = amounts[name] === 0 || rules.limits === undefined ? undefined : limitOf(rules.limits, name);
    if (limit !== undefined) state[name] = Math.max(state[name], nowMs) + costMs(amounts[name], limit);
  }
}

/** All levels or none. */
function takeAll(levels: readonly RuleLevel[], states: readonly LevelRates[], amounts: Amounts, nowMs: number): void {
  for (const [index, state] of states.entries()) {
    const level = levels[index];
    if (level !== undefined) check(level, state, amounts, nowMs);
  }
  for (const [index, state] of states.entries()) {
    const level = levels[index];
    if (level !== undefined) take(level, state, amounts, nowMs);
  }
}

function checkConcurrency(levels: readonly RuleLevel[], states: readonly LevelRates[]): void {
  for (const [index, level] of levels.entries()) {
    const most = level.rules.limits?.concurrent_requests;
    if (most !== undefined && (states[index]?.inProgress ?? 0) >= most) throw tooManyAtOnce(level);
  }
}

const polled: Amounts = { requests: 0, tokens: 0, images: 0, audioMs: 0, polls: 1 };

/** Rates in the memory of this process: the cost of a level is independent of their number. */
export function createRates(clock: Clocked, settings: RateSettings): Rates {
  const known = new RateLevels();
  const statusOf: Rates["statusOf"] = (level, name) => {
    const limit = level.rules.limits?.[rateRows[name].setting];
    if (limit === undefined) return null;
    const nowMs = clock.monotonicMs();
    const resetMs = Math.max(0, known.of(level)[name] - nowMs);
    return { limit, remaining: Math.max(0, Math.floor(limit * (1 - resetMs / minuteMs) + 1e-6)), resetMs };
  };
  const tightest = (levels: readonly RuleLevel[], name: RateName): RateStatus | null => {
    let found: RateStatus | null = null;
    for (const level of levels) {
      const status = statusOf(level, name);
      if (status !== null && (found === null || status.remaining < found.remaining)) found = status;
    }
    return found;
  };
  return {
    name: "rates",
    admit(intent) {
      const levels = intent.caller.levels.filter(isLimited);
      if (levels.length === 0) return undefined;
      const nowMs = clock.monotonicMs();
      const states = known.allOf(levels, nowMs);
      checkConcurrency(levels, states);
      const amounts = amountsOf(intent, levels, settings);
      takeAll(levels, states, amounts, nowMs);
      return new RateReservation(levels, states, amounts, clock);
    },
    poll(caller) {
      const levels = caller.levels.filter(isLimited);
      const nowMs = clock.monotonicMs();
      if (levels.length > 0) takeAll(levels, known.allOf(levels, nowMs), polled, nowMs);
    },
    status(caller) {
      const levels = caller.levels.filter(isLimited);
      const [requests, tokens] = [tightest(levels, "requests"), tightest(levels, "tokens")];
      return requests === null && tokens === null ? null : { requests, tokens };
    },
    statusOf,
    size: () => known.size(),
  };
}
