// Token usage in disjoint buckets: the sum of all buckets is everything that was spent.

/** Whole tokens. No token is counted in two buckets. */
export interface Usage {
  /** Input that no cache served or stored. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Output a reader sees: text and tool calls. */
  readonly outputTokens: number;
  /** Output spent on thinking, where the provider tells it apart. */
  readonly reasoningTokens: number;
  /** What is not paid by the token: told beside the tokens, or in place of them. */
  readonly units?: BilledUnits;
  /** True when the provider gave no figure and the gateway counted by itself. */
  readonly estimated?: boolean;
}

/** `seconds` of sound or film may be fractions; everything else is counted in whole ones. */
export interface BilledUnits {
  readonly kind: "images" | "seconds" | "characters" | "searches";
  readonly amount: number;
}

export const zeroUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Everything that went in, however it was served. */
export function totalInput(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Everything that came out, seen or not. */
export function totalOutput(usage: Usage): number {
  return usage.outputTokens + usage.reasoningTokens;
}

/** Bucket by bucket; estimated if either side is. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    ...addUnits(left.units, right.units),
    ...(left.estimated || right.estimated ? { estimated: true } : {}),
  };
}

/** Units of another kind than the first cannot be added, and do not occur in one request. */
function addUnits(left: BilledUnits | undefined, right: BilledUnits | undefined): { units?: BilledUnits } {
  const first = left ?? right;
  if (first === undefined) return {};
  const same = left !== undefined && right !== undefined && left.kind === right.kind;
  return { units: same ? { kind: left.kind, amount: left.amount + right.amount } : first };
}

/** Beyond the context of any model, many times over. */
const maxTokenCount = 100_000_000;

/** A count from a stranger's wire as a whole number; 0 where it is absent. Whether it can be true, `areCounts` says. */
export function tokenCount(value: unknown): number {
  return typeof value === "number" && isCount(value) ? Math.round(value) : 0;
}

/** An absent count is fine, a negative or absurd one or a text is not. */
function isCount(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "number" && value >= 0 && value <= maxTokenCount;
}

/** False where any of these cannot be true: then the whole report is not believed, and the gateway estimates. */
export function areCounts(...values: readonly unknown[]): boolean {
  return values.every(isCount);
}
