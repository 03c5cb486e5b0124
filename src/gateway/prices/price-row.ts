// A row of a price book: what it matches, and what an amount of one bucket or unit costs.
import type { Operation } from "../../canonical/operation.ts";
import type { TokenBucket, UnitKind } from "../../canonical/usage.ts";

/** What is counted, and has a price. */
export type Priced = TokenBucket | UnitKind;

/** What a row matches. An absent member matches everything. */
export interface PriceMatch {
  /** A name, or a pattern in which `*` stands for any text. */
  readonly model: string;
  /** The name of a provider, else its kind. */
  readonly provider?: string;
  readonly operation?: Operation;
  readonly region?: string;
  readonly tier?: string;
  readonly size?: string;
  readonly quality?: string;
  /** Matches requests whose whole input is at least so many tokens. */
  readonly fromInputTokens?: number;
  /** Unix milliseconds; matches requests that were admitted then or later. */
  readonly validFromMs?: number;
}

export interface PriceRow extends PriceMatch {
  readonly of: Priced;
  /** So many cost `nanoDollars`. */
  readonly per: bigint;
  readonly nanoDollars: bigint;
  /** Where the figure is from. */
  readonly source?: string;
}

/** A price that follows the cost. */
export interface PriceRule extends PriceMatch {
  /** Millionths: 1,250,000 is 25 % more than the cost. */
  readonly factorMillionths: bigint;
  /** Added once for each request. */
  readonly perRequestNanoDollars: bigint;
}

/** What is known of a request when its price is looked up. */
export interface PriceQuery {
  /** Name and kind of the provider; absent where only the client's model decides. */
  readonly provider?: string;
  readonly kind?: string;
  readonly model: string;
  readonly operation: Operation;
  readonly region?: string;
  readonly tier?: string;
  /** When it was admitted, Unix milliseconds. */
  readonly atMs: number;
  readonly inputTokens: number;
}

/** The part of a query that differs between the units of one request. */
export interface Variant {
  readonly size?: string;
  readonly quality?: string;
}
