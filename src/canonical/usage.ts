// The usage of a request, in disjoint buckets: tokens by kind, and other units.

/** Buckets of tokens, in the order in which they are shown. */
export const tokenBuckets = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "audioInputTokens",
  "imageInputTokens",
  "outputTokens",
  "reasoningTokens",
  "audioOutputTokens",
  "imageOutputTokens",
] as const;

export type TokenBucket = (typeof tokenBuckets)[number];

/** Buckets that few replies have. */
type RareBucket =
  | "cacheWrite1hTokens"
  | "audioInputTokens"
  | "imageInputTokens"
  | "audioOutputTokens"
  | "imageOutputTokens";

/** Units, each counted in integers of its smallest part. */
const unitKinds = ["images", "audioMs", "videoMs", "characters", "pages", "searches", "requests"] as const;

export type UnitKind = (typeof unitKinds)[number];

/** An amount of one unit, and the properties that its price depends on. */
export interface BilledUnits {
  readonly kind: UnitKind;
  readonly amount: number;
  /** For images in pixels, as in `1024x1024`; for video its resolution, as in `720p`. */
  readonly size?: string;
  readonly quality?: string;
}

/** Whole tokens. No token is counted in two buckets; an absent bucket is empty. */
export interface Usage {
  /** Text, and anything priced as text, that was neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  /** Written to a cache for the provider's default time, which is 5 minutes at Anthropic. */
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens?: number;
  readonly audioInputTokens?: number;
  readonly imageInputTokens?: number;
  /** Text and tool calls. */
  readonly outputTokens: number;
  /** Output spent on reasoning, if the provider reports it separately. */
  readonly reasoningTokens: number;
  readonly audioOutputTokens?: number;
  readonly imageOutputTokens?: number;
  /** Units that are billed in addition to tokens, or instead of them. */
  readonly units?: readonly BilledUnits[];
  /** True when the provider returned no figures and the gateway estimated all buckets but the `reported` ones. */
  readonly estimated?: boolean;
  /** The buckets of an estimated usage that the provider did report. */
  readonly reported?: readonly (TokenBucket | UnitKind)[];
}

export const zeroUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Input of any kind that was neither read from nor written to a cache. */
export function uncachedInput({ inputTokens, audioInputTokens = 0, imageInputTokens = 0 }: Usage): number {
  return inputTokens + audioInputTokens + imageInputTokens;
}

/** Input that was written to a cache, for any lifetime. */
export function cacheWrites({ cacheWriteTokens, cacheWrite1hTokens = 0 }: Usage): number {
  return cacheWriteTokens + cacheWrite1hTokens;
}

/** Output other than reasoning, whatever its kind. */
export function visibleOutput({ outputTokens, audioOutputTokens = 0, imageOutputTokens = 0 }: Usage): number {
  return outputTokens + audioOutputTokens + imageOutputTokens;
}

/** All input, whether it was cached or not. */
export function totalInput(usage: Usage): number {
  return uncachedInput(usage) + usage.cacheReadTokens + cacheWrites(usage);
}

/** All output, visible or not. */
export function totalOutput(usage: Usage): number {
  return visibleOutput(usage) + usage.reasoningTokens;
}

/** The amount of one unit, over all sizes and qualities. */
export function unitAmount(usage: Usage | undefined, kind: UnitKind): number {
  return (usage?.units ?? []).reduce((sum, each) => (each.kind === kind ? sum + each.amount : sum), 0);
}

/** The estimated buckets above 0. */
export function estimatedBuckets(usage: Usage): (TokenBucket | UnitKind)[] {
  return usage.estimated === true ? usedBuckets(usage).filter((bucket) => !usage.reported?.includes(bucket)) : [];
}

/** Input as the provider reported it, with an estimated output. */
export function withEstimatedOutput(input: Usage, outputTokens: number): Usage {
  const reported = input.estimated === true ? (input.reported ?? []) : usedBuckets(input);
  return { ...input, outputTokens, estimated: true, ...(reported.length > 0 ? { reported } : {}) };
}

/** Bucket by bucket; a bucket is estimated if it is in either usage. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: { -readonly [bucket in TokenBucket]?: number } = {};
  for (const bucket of tokenBuckets) {
    const both = (left[bucket] ?? 0) + (right[bucket] ?? 0);
    if (both > 0) sum[bucket] = both;
  }
  const units = addUnits(left.units, right.units);
  const added: Usage = { ...zeroUsage, ...sum, ...(units === undefined ? {} : { units }) };
  return left.estimated || right.estimated ? { ...added, estimated: true, ...reportedOf(added, left, right) } : added;
}

function reportedOf(sum: Usage, left: Usage, right: Usage): Pick<Usage, "reported"> {
  const estimated = [...estimatedBuckets(left), ...estimatedBuckets(right)];
  const reported = usedBuckets(sum).filter((bucket) => !estimated.includes(bucket));
  return reported.length === 0 ? {} : { reported };
}

function usedBuckets(usage: Usage): (TokenBucket | UnitKind)[] {
  const tokens = tokenBuckets.filter((bucket) => (usage[bucket] ?? 0) > 0);
  return [...tokens, ...unitKinds.filter((kind) => unitAmount(usage, kind) > 0)];
}

const sameUnit = (left: BilledUnits, right: BilledUnits): boolean =>
  left.kind === right.kind && left.size === right.size && left.quality === right.quality;

function addUnits(left: Usage["units"], right: Usage["units"]): Usage["units"] {
  if (left === undefined || right === undefined) return left ?? right;
  const others = right.filter((each) => !left.some((unit) => sameUnit(unit, each)));
  const sums = left.map((unit) => {
    const amounts = right.filter((each) => sameUnit(unit, each)).map(({ amount }) => amount);
    return { ...unit, amount: amounts.reduce((sum, amount) => sum + amount, unit.amount) };
  });
  return [...sums, ...others];
}

/** Far beyond the context of any model. */
const maxTokenCount = 100_000_000;

/** A count from a wire as a whole number; 0 if it is absent or invalid. */
export function tokenCount(value: unknown): number {
  return typeof value === "number" && isCount(value) ? Math.round(value) : 0;
}

/** Whether a count is valid: absent, or a plausible number that is not negative. */
function isCount(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "number" && value >= 0 && value <= maxTokenCount;
}

/** False if any count is invalid: then the whole report is ignored, and the gateway estimates. */
export function areCounts(...values: readonly unknown[]): boolean {
  return values.every(isCount);
}

/**
 * The parts of each total that a wire reports separately, and the rest of the total. Parts that exceed the total are
 * cut, so that the sum is always the total.
 */
export function splitTokens(
  total: number,
  audio: unknown,
  image: unknown,
): { readonly text: number; readonly audio: number; readonly image: number } {
  const audioTokens = Math.min(tokenCount(audio), total);
  const imageTokens = Math.min(tokenCount(image), total - audioTokens);
  return { text: total - audioTokens - imageTokens, audio: audioTokens, image: imageTokens };
}

/** Only those above 0. */
export function rareBuckets(buckets: { readonly [bucket in RareBucket]?: number }): Partial<Usage> {
  const found: { [bucket in RareBucket]?: number } = {};
  for (const [bucket, amount] of Object.entries(buckets)) if (amount > 0) found[bucket as RareBucket] = amount;
  return found;
}

/** One unit as a member of usage; nothing for an invalid amount. */
export function oneUnit(
  kind: UnitKind,
  amount: unknown,
  variant: Omit<BilledUnits, "kind" | "amount"> = {},
): Partial<Usage> {
  if (typeof amount !== "number" || !Number.isFinite(amount) || amount <= 0) return {};
  return { units: [{ kind, amount: Math.round(amount), ...variant }] };
}

/** The sum of several usages; undefined when one of them is unknown. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  return known.length === usages.length && known.length > 0 ? known.reduce(addUsage) : undefined;
}
