// The thread that prices settled requests again: it may read a whole ledger.
import type { ThreadMessage } from "../../lib/thread.ts";
import { readBooks } from "../prices/stored-books.ts";
import { bookRepricing, previewRepricing, type RepriceQuery, type RepricingReport } from "./reprice.ts";

export interface RepriceJob {
  readonly dataFolder: string;
  readonly query: RepriceQuery;
  /** Versions of stored books. */
  readonly costVersion: string;
  readonly priceVersion: string;
  /** The kinds of providers by name. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly isBooked: boolean;
}

export type RepriceResult = { readonly report: RepricingReport } | { readonly error: string };

declare const self: Worker;

function reportOf({ dataFolder, query, costVersion, priceVersion, kinds, isBooked }: RepriceJob): RepricingReport {
  const prices = readBooks(dataFolder, costVersion, priceVersion);
  if (prices === null) throw new Error("The prices of this version are not stored.");
  const run = isBooked ? bookRepricing : previewRepricing;
  return run(dataFolder, query, {
    prices,
    earlier: (cost, price) => readBooks(dataFolder, cost, price),
    kindOf: (provider) => kinds.get(provider) ?? provider,
  });
}

function resultOf(job: RepriceJob): RepriceResult {
  try {
    return { report: reportOf(job) };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

self.onmessage = ({ data }: MessageEvent<ThreadMessage<RepriceJob>>) => {
  if ("content" in data) self.postMessage({ id: data.id, content: resultOf(data.content) });
};
