// Reads the ledger for a gateway that serves requests, in a thread, so that the event loop never waits for it.
import { GatewayError } from "../../canonical/error.ts";
import { createThread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";
import type { Facet, FacetQuery } from "./facets.ts";
import type { FeedPage, FeedQuery } from "./feed.ts";
import type { ReadJob, ReadResult } from "./reader-worker.ts";
import type { RequestListQuery, RequestPage } from "./request-list.ts";
import type { Series, SeriesQuery } from "./series.ts";
import type { UsageQuery, UsageReportRow } from "./usage-report.ts";

export interface LedgerReader {
  usage(query: UsageQuery): Promise<readonly UsageReportRow[]>;
  /** Rejects for an invalid cursor. */
  requests(query: RequestListQuery): Promise<RequestPage>;
  /** Rejects for an invalid cursor. */
  feed(query: FeedQuery): Promise<FeedPage>;
  /** The place in the feed of a reader that starts now. */
  feedEnd(): Promise<string>;
  /** From roll-ups. */
  series(query: SeriesQuery): Promise<Series>;
  facets(query: FacetQuery): Promise<readonly Facet[]>;
  /** Brings `usage.db` up to date, however long it takes, so that the next query has little to do. */
  catchUp(): Promise<void>;
  close(): void;
}

/** Far longer than a query takes; only the making of the index does. */
const usualPatienceMs = 30_000;

const notReady = (): GatewayError =>
  new GatewayError("overloaded", "The index of the ledger is being made. Try again in a minute.", {
    code: "ledger_index_not_ready",
    retryAfterMs: 60_000,
  });

/**
 * The thread is started by the first query. After an update, or with the ledger of an older version, it makes the index
 * first, which takes minutes for millions of rows: queries are refused with status 503 when they have waited for it.
 */
export function createLedgerReader(dataFolder: string, patienceMs = usualPatienceMs): LedgerReader {
  const thread = createThread<ReadJob, ReadResult>(() => workerAddress("gateway/ledger/reader-worker.ts", import.meta));
  /** When the jobs that are not done were given, oldest first: they are done in this order. */
  const given: number[] = [];
  const run = async (job: ReadJob): Promise<unknown> => {
    given.push(performance.now());
    try {
      const { result } = await thread.run(job);
      if ("error" in result) throw new Error(result.error);
      return result.value;
    } finally {
      given.shift();
    }
  };
  const ask = async (job: ReadJob): Promise<unknown> => {
    const waitedMs = performance.now() - (given[0] ?? Number.POSITIVE_INFINITY);
    if (waitedMs > patienceMs) throw notReady();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(notReady()), patienceMs);
    return await Promise.race([run(job), promise]).finally(() => clearTimeout(timer));
  };
  return {
    usage: async (query) => (await ask({ dataFolder, read: "usage", query })) as readonly UsageReportRow[],
    requests: async (query) => (await ask({ dataFolder, read: "requests", query })) as RequestPage,
    feed: async (query) => (await ask({ dataFolder, read: "feed", query })) as FeedPage,
    feedEnd: async () => (await ask({ dataFolder, read: "feedEnd" })) as string,
    series: async (query) => (await ask({ dataFolder, read: "series", query })) as Series,
    facets: async (query) => (await ask({ dataFolder, read: "facets", query })) as readonly Facet[],
    async catchUp() {
      await run({ dataFolder, read: "nothing" });
    },
    close: () => thread.close(),
  };
}
