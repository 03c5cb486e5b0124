// The rates of a level by GCRA: one time for each rate, so that a check costs the same for any limit.
import type { RuleLevel } from "./caller.ts";
import type { CounterLevel } from "./counters.ts";
import type { RateLimits } from "./rules.ts";

export const minuteMs = 60_000;
export const msPerSecond = 1_000;

export const rateNames = ["requests", "tokens", "images", "audioMs", "polls"] as const;
export type RateName = (typeof rateNames)[number];

interface RateRow {
  readonly setting: keyof RateLimits;
  readonly words: string;
  /** The number of counted units per unit of the setting. */
  readonly scale: number;
}

export const rateRows: { readonly [name in RateName]: RateRow } = {
  requests: { setting: "requests_per_minute", words: "requests per minute", scale: 1 },
  tokens: { setting: "tokens_per_minute", words: "tokens per minute", scale: 1 },
  images: { setting: "images_per_minute", words: "images per minute", scale: 1 },
  audioMs: { setting: "audio_seconds_per_minute", words: "seconds of audio per minute", scale: msPerSecond },
  polls: { setting: "polls_per_minute", words: "polls per minute", scale: 1 },
};

/** In counted units. */
export function limitOf(limits: RateLimits, name: RateName): number | undefined {
  const { setting, scale } = rateRows[name];
  const limit = limits[setting];
  return limit === undefined ? undefined : limit * scale;
}

/**
 * For each rate, the time at which all usage has been refilled, in monotonic milliseconds. A limit is a bucket of one
 * minute's amount, refilled evenly.
 */
export class LevelRates {
  requests = 0;
  tokens = 0;
  images = 0;
  audioMs = 0;
  polls = 0;
  inProgress = 0;
  /** The collection that it belongs to; null after it was dropped. */
  owner: RateLevels | null;

  constructor(owner: RateLevels) {
    this.owner = owner;
  }

  isIdle(nowMs: number): boolean {
    return this.inProgress === 0 && rateNames.every((name) => this[name] <= nowMs);
  }
}

const prunedFrom = 1_024;

/**
 * Levels in memory; unused ones are dropped when the number has doubled since the last check, at most once a minute.
 */
export class RateLevels {
  private readonly levels: { readonly [level in CounterLevel]: Map<string, LevelRates> } = {
    organization: new Map(),
    project: new Map(),
    key: new Map(),
    end_user: new Map(),
  };
  private count = 0;
  private pruneAt = prunedFrom;
  private prunedMs = Number.NEGATIVE_INFINITY;

  allOf(levels: readonly RuleLevel[], nowMs: number): LevelRates[] {
    if (this.count >= this.pruneAt && nowMs - this.prunedMs >= minuteMs) this.prune(nowMs);
    return levels.map((level) => this.of(level));
  }

  of(ruleLevel: RuleLevel): LevelRates {
    const { level, id, rates: latest } = ruleLevel;
    if (latest instanceof LevelRates && latest.owner === this) return latest;
    const found = this.levels[level].get(id) ?? this.made(level, id);
    ruleLevel.rates = found;
    return found;
  }

  private made(level: CounterLevel, id: string): LevelRates {
    const made = new LevelRates(this);
    this.levels[level].set(id, made);
    this.count++;
    return made;
  }

  size(): number {
    return this.count;
  }

  private prune(nowMs: number): void {
    this.prunedMs = nowMs;
    for (const levels of Object.values(this.levels))
      for (const [id, rates] of levels) {
        if (!rates.isIdle(nowMs)) continue;
        levels.delete(id);
        rates.owner = null;
        this.count--;
      }
    this.pruneAt = Math.max(prunedFrom, this.count * 2);
  }
}

/**
 * How long an amount takes to refill. No request takes more than the whole bucket: a limit below one request would
 * refuse it forever.
 */
export const costMs = (amount: number, limit: number): number =>
  limit === 0 ? (amount === 0 ? 0 : Number.POSITIVE_INFINITY) : (Math.min(amount, limit) / limit) * minuteMs;

/** How long to wait until the amount fits; 0 if it does. */
export const waitMs = (usedUntilMs: number, cost: number, nowMs: number): number =>
  Math.max(0, Math.max(0, usedUntilMs - nowMs) + cost - minuteMs);
