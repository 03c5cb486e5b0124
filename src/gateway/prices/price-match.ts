// Selects the row of a price book: among all matching rows, the most specific one.
import type { PriceMatch, PriceQuery, Variant } from "./price-row.ts";

const isPattern = (model: string): boolean => model.includes("*");

function patternOf(model: string): RegExp {
  return new RegExp(`^${model.split("*").map(RegExp.escape).join(".*")}$`, "s");
}

/** Whether a model's name equals that of a row, or matches its pattern. */
export function matchesModel(row: string, model: string): boolean {
  return isPattern(row) ? patternOf(row).test(model) : row === model;
}

const agrees = (wanted: string | undefined, given: string | undefined): boolean =>
  wanted === undefined || wanted === given;

/** The conditions that are the same for many requests: provider, model, operation. */
export function matchesPlace(row: PriceMatch, query: PriceQuery): boolean {
  const isProvider = agrees(row.provider, query.provider) || agrees(row.provider, query.kind);
  return isProvider && agrees(row.operation, query.operation) && matchesModel(row.model, query.model);
}

export function matchesRequest(row: PriceMatch, query: PriceQuery, variant: Variant): boolean {
  return (
    agrees(row.region, query.region) &&
    agrees(row.tier, query.tier) &&
    agrees(row.size, variant.size) &&
    agrees(row.quality, variant.quality) &&
    (row.fromInputTokens ?? 0) <= query.inputTokens &&
    (row.validFromMs ?? Number.NEGATIVE_INFINITY) <= query.atMs
  );
}

/** How specific a row is, most significant first: the row with the greatest list is selected. */
function rankOf(row: PriceMatch): readonly number[] {
  const has = (value: unknown): number => (value === undefined ? 0 : 1);
  return [
    isPattern(row.model) ? 0 : 1,
    row.model.replaceAll("*", "").length,
    has(row.provider),
    has(row.operation),
    has(row.region),
    has(row.tier),
    has(row.size),
    has(row.quality),
    row.fromInputTokens ?? 0,
    row.validFromMs ?? Number.NEGATIVE_INFINITY,
  ];
}

/** Sorts the selected row first. */
export function bySpecificity(left: PriceMatch, right: PriceMatch): number {
  const [mine, other] = [rankOf(left), rankOf(right)];
  const at = mine.findIndex((rank, index) => rank !== other[index]);
  return at < 0 ? 0 : Math.sign((other[at] ?? 0) - (mine[at] ?? 0));
}

const matchedBy = ["model", "provider", "operation", "region", "tier", "size", "quality"] as const;

/** Whether two rows match the same requests and are equally specific, so that the selection is ambiguous. */
export function isTie(left: PriceMatch, right: PriceMatch): boolean {
  return matchedBy.every((name) => left[name] === right[name]) && bySpecificity(left, right) === 0;
}
