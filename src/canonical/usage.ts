// What a request used, in disjoint buckets: tokens by kind, and units that are not counted in tokens.

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

/** Units, each an integer of its smallest part. */
export const unitKinds = ["images", "audioMs", "videoMs", "characters", "pages", "searches", "requests"] as const;

export type UnitKind = (typeof unitKinds)[number];

/** An amount of one unit, and what its price depends on. */
export interface BilledUnits {
  readonly kind: UnitKind;
  readonly amount: number;
  /** Of images in pixels, as in `1024x1024`; of video its resolution, as in `720p`. */
  readonly size?: string;
  readonly quality?: string;
}

/** Whole tokens. No token is counted in two buckets; an absent bucket is empty. */
export interface Usage {
  /** Text, and what providers price as text, that no cache served or stored. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  /** Stored for the provider's usual time, which is 5 minutes at Anthropic. */
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens?: number;
  readonly audioInputTokens?: number;
  readonly imageInputTokens?: number;
  /** Text and tool calls. */
  readonly outputTokens: number;
  /** Output spent on reasoning, where the provider reports it separately. */
  readonly reasoningTokens: number;
  readonly audioOutputTokens?: number;
  readonly imageOutputTokens?: number;
  /** What is not paid by the token: in addition to the tokens, or in place of them. */
  readonly units?: readonly BilledUnits[];
  /** True when the provider gave no figure and the gateway counted by itself: all buckets but the `reported` ones. */
  readonly estimated?: boolean;
  /** Of an estimated usage, what the provider did report. */
  readonly reported?: readonly (TokenBucket | UnitKind)[];
}

export const zeroUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Input that no cache served or stored, whatever its kind. */
export function uncachedInput({ inputTokens, audioInputTokens = 0, imageInputTokens = 0 }: Usage): number {
  return inputTokens + audioInputTokens + imageInputTokens;
}

/** Input that was stored in a cache, for whatever time. */
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

/** How much there is of one unit, of all sizes and qualities. */
export function unitAmount(usage: Usage | undefined, kind: UnitKind): number {
  return (usage?.units ?? []).reduce((sum, each) => (each.kind === kind ? sum + each.amount : sum), 0);
}

/** The buckets above 0 that the gateway counted by itself. */
export function estimatedBuckets(usage: Usage): (TokenBucket | UnitKind)[] {
  return usage.estimated === true ? usedBuckets(usage).filter((bucket) => !usage.reported?.includes(bucket)) : [];
}

/** Input as the provider reported it, with an output that it did not report. */
export function withEstimatedOutput(input: Usage, outputTokens: number): Usage {
  const reported = input.estimated === true ? (input.reported ?? []) : usedBuckets(input);
  return { ...input, outputTokens, estimated: true, ...(reported.length > 0 ? { reported } : {}) };
}

/** Bucket by bucket; a bucket is estimated if it is on either side. */
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

/** Beyond the context of any model, many times over. */
const maxTokenCount = 100_000_000;

/** A count from a wire as a whole number; 0 where it is absent or cannot be true. */
export function tokenCount(value: unknown): number {
  return typeof value === "number" && isCount(value) ? Math.round(value) : 0;
}

/** An absent count is fine, a negative or absurd one or a text is not. */
function isCount(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "number" && value >= 0 && value <= maxTokenCount;
}

/** False where any of these cannot be true: then the whole report is not used, and the gateway estimates. */
export function areCounts(...values: readonly unknown[]): boolean {
  return values.every(isCount);
}

/**
 * The part of each total that a wire reports separately, with the rest of the total: parts that exceed it are cut, so that the
 * sum is always the total.
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

/** One unit as a member of usage; nothing for an amount that cannot be true. */
export function oneUnit(
  kind: UnitKind,
  amount: unknown,
  variant: Omit<BilledUnits, "kind" | "amount"> = {},
): Partial<Usage> {
  if (typeof amount !== "number" || !Number.isFinite(amount) || amount <= 0) return {};
  return { units: [{ kind, amount: Math.round(amount), ...variant }] };
}

/** The sum of what several replies used; undefined when one of them does not say. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  return known.length === usages.length && known.length > 0 ? known.reduce(addUsage) : undefined;
}
