// Reads the ledger for a gateway that serves requests, in a thread, so that the event loop never waits for it.
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
  /** Brings `usage.db` up to date, so that the next query has little to do. */
  catchUp(): Promise<void>;
  close(): void;
}

/** The thread is started by the first query. */
export function createLedgerReader(dataFolder: string): LedgerReader {
  const thread = createThread<ReadJob, ReadResult>(() => workerAddress("gateway/ledger/reader-worker.ts", import.meta));
  const ask = async (job: ReadJob): Promise<unknown> => {
    const { result } = await thread.run(job);
    if ("error" in result) throw new Error(result.error);
    return result.value;
  };
  return {
    usage: async (query) => (await ask({ dataFolder, read: "usage", query })) as readonly UsageReportRow[],
    requests: async (query) => (await ask({ dataFolder, read: "requests", query })) as RequestPage,
    feed: async (query) => (await ask({ dataFolder, read: "feed", query })) as FeedPage,
    feedEnd: async () => (await ask({ dataFolder, read: "feedEnd" })) as string,
    series: async (query) => (await ask({ dataFolder, read: "series", query })) as Series,
    facets: async (query) => (await ask({ dataFolder, read: "facets", query })) as readonly Facet[],
    async catchUp() {
      await ask({ dataFolder, read: "nothing" });
    },
    close: () => thread.close(),
  };
}
