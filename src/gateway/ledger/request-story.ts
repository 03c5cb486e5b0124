// The whole story of a request: every attempt with its reason, skipped candidates, losses, and the parts of its price.
import { type Timings, timingsOf } from "../../canonical/timings.ts";
import { explainPrice, type PriceExplanation } from "../prices/explain.ts";
import type { Prices } from "../prices/prices.ts";
import type { Adjustment } from "./adjustments.ts";
import type { AttemptRow, RequestRow } from "./columns.ts";
import { answeredAttempt, readAdjustments, readAttempts } from "./read.ts";
import { findRequests } from "./request-list.ts";
import { priceQueryOf, type StoryPrices, usageOfRow } from "./row-price.ts";
import type { PassedOver } from "./types.ts";

export interface StoryAttempt extends AttemptRow {
  /** The error of the previous attempt; null for the first. */
  readonly because: string | null;
}

/** A loss on the way to the provider. */
interface LostField {
  readonly code: string;
  readonly field: string;
}

export interface RequestTrace {
  readonly attempts: readonly StoryAttempt[];
  readonly passedOver: readonly PassedOver[];
  readonly lost: readonly LostField[];
  /** Null in rows of older versions. */
  readonly timings: Timings | null;
  readonly price: PriceExplanation | null;
  /** False if prices have changed since the request was admitted. */
  readonly isPriceCurrent: boolean;
  /** False where the prices that it was admitted under are not stored: it is explained by today's. */
  readonly isOwnPrice: boolean;
}

export interface RequestStory {
  readonly request: RequestRow;
  readonly failedAttempts: readonly AttemptRow[];
  readonly adjustments: readonly Adjustment[];
  readonly trace: RequestTrace;
}

/**
 * The requests with this id of the gateway or the client, newest first; without `pricing`, prices are not explained.
 */
export function readRequestStories(
  dataFolder: string,
  id: string,
  limit: number,
  pricing: StoryPrices | null,
): RequestStory[] {
  return findRequests(dataFolder, id, limit).map((request) => {
    const failedAttempts = readAttempts(dataFolder, request.id);
    const adjustments = readAdjustments(dataFolder, request.n, request.id);
    return { request, failedAttempts, adjustments, trace: traceOf(request, failedAttempts, pricing) };
  });
}

function traceOf(request: RequestRow, failed: readonly AttemptRow[], pricing: StoryPrices | null): RequestTrace {
  const answered = answeredAttempt(request, failed);
  const attempts = answered === null ? failed : [...failed, answered].sort((one, other) => one.number - other.number);
  const own = pricing && ownPrices(request, pricing);
  return {
    attempts: attempts.map((attempt, index) => ({ ...attempt, because: attempts[index - 1]?.errorCode ?? null })),
    passedOver: request.passedOver === null ? [] : (JSON.parse(request.passedOver) as PassedOver[]),
    lost: lostFields(request.warnings),
    timings: timingsOf(request.timings),
    price: pricing && explainRow(request, { ...pricing, prices: own ?? pricing.prices }),
    isPriceCurrent: own !== null && own === pricing?.prices,
    isOwnPrice: own !== null,
  };
}

/** The prices under which a request was admitted; null where they are not stored. */
function ownPrices({ costVersion, priceVersion }: RequestRow, { prices, earlier }: StoryPrices): Prices | null {
  if (costVersion === prices.costVersion && priceVersion === prices.priceVersion) return prices;
  return earlier?.(costVersion, priceVersion) ?? null;
}

/** The price of a row by its own prices; null where they are not stored, or its usage is not charged. */
export function explainedByOwn(request: RequestRow, pricing: StoryPrices): PriceExplanation | null {
  const prices = ownPrices(request, pricing);
  return prices && explainRow(request, { ...pricing, prices });
}

/** In the format of settlements: `dropped;field=seed, approximated;field=temperature`. */
function lostFields(warnings: string | null): LostField[] {
  const parts = warnings?.split(", ") ?? [];
  return parts.map((part) => {
    const [code = "", field = ""] = part.split(";field=");
    return { code, field };
  });
}

/** The price of a row at the given prices; null if its usage is not charged. */
function explainRow(request: RequestRow, { prices, kindOf }: StoryPrices): PriceExplanation | null {
  const query = priceQueryOf(request, kindOf);
  return query && explainPrice(prices, query, request.model, usageOfRow(request));
}
