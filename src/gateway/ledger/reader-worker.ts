// The worker thread that reads the ledger for a gateway that serves requests.
import type { ThreadMessage } from "../../lib/thread.ts";
import { type FacetQuery, readFacets } from "./facets.ts";
import { type FeedQuery, feedEnd, readFeed } from "./feed.ts";
import { type RequestListQuery, readRequestPage } from "./request-list.ts";
import { readSeries, type SeriesQuery } from "./series.ts";
import { withUsageIndex } from "./usage-index.ts";
import { readUsageReport, type UsageQuery } from "./usage-report.ts";

export type ReadJob = { readonly dataFolder: string } & (
  | { readonly read: "usage"; readonly query: UsageQuery }
  | { readonly read: "requests"; readonly query: RequestListQuery }
  | { readonly read: "feed"; readonly query: FeedQuery }
  | { readonly read: "series"; readonly query: SeriesQuery }
  | { readonly read: "facets"; readonly query: FacetQuery }
  | { readonly read: "feedEnd" }
  | { readonly read: "nothing" }
);

export type ReadResult = { readonly value: unknown } | { readonly error: string };

declare const self: Worker;

function readFor(job: ReadJob): unknown {
  switch (job.read) {
    case "usage":
      return readUsageReport(job.dataFolder, job.query);
    case "requests":
      return readRequestPage(job.dataFolder, job.query);
    case "feed":
      return readFeed(job.dataFolder, job.query);
    case "series":
      return readSeries(job.dataFolder, job.query);
    case "facets":
      return readFacets(job.dataFolder, job.query);
    case "feedEnd":
      return feedEnd(job.dataFolder);
    case "nothing":
      return withUsageIndex(job.dataFolder, () => null);
  }
}

function resultOf(job: ReadJob): ReadResult {
  try {
    return { value: readFor(job) };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

self.onmessage = ({ data }: MessageEvent<ThreadMessage<ReadJob>>) => {
  if ("content" in data) self.postMessage({ id: data.id, content: resultOf(data.content) });
};
