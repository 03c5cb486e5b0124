// Repricing for a gateway that serves requests: in a thread, with the prices in effect; budgets follow what is booked.
import { createThread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";
import type { Prices } from "../prices/prices.ts";
import { storeBooks } from "../prices/stored-books.ts";
import type { SpentSince } from "./adjustments.ts";
import type { Ledger } from "./ledger.ts";
import type { RepriceQuery, RepricingReport } from "./reprice.ts";
import type { RepriceJob, RepriceResult } from "./reprice-worker.ts";

export interface Repricer {
  /** By the prices that apply now; booked, or only computed. */
  reprice(query: RepriceQuery, isBooked: boolean): Promise<RepricingReport>;
  close(): void;
}

interface RepricerOptions {
  readonly dataFolder: string;
  readonly ledger: Pick<Ledger, "followAdjustments">;
  prices(): Prices;
  /** The kinds of providers by name. */
  kinds(): ReadonlyMap<string, string>;
  /** Called with what was booked, by this process or by the command line. */
  adjusted(changed: SpentSince): void;
  failed(cause: unknown): void;
}

const lookEveryMs = 1_000;

export function createRepricer(options: RepricerOptions): Repricer {
  const { dataFolder, ledger, prices, kinds, adjusted, failed } = options;
  const thread = createThread<RepriceJob, RepriceResult>(() =>
    workerAddress("gateway/ledger/reprice-worker.ts", import.meta),
  );
  const follow = (): void => {
    try {
      const changed = ledger.followAdjustments();
      if (changed !== null) adjusted(changed);
    } catch (cause) {
      failed(cause);
    }
  };
  const timer = setInterval(follow, lookEveryMs).unref();
  return {
    async reprice(query, isBooked) {
      const current = prices();
      storeBooks(dataFolder, current);
      const { costVersion, priceVersion } = current;
      const job = { dataFolder, query, costVersion, priceVersion, kinds: kinds(), isBooked };
      const { result } = await thread.run(job);
      if ("error" in result) throw new Error(result.error);
      follow();
      return result.report;
    },
    close() {
      clearInterval(timer);
      thread.close();
    },
  };
}
