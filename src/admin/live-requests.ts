// What changes among requests, for readers that watch: those in progress from this process, settled ones from the ledger.
import type { RequestRow } from "../gateway/ledger/columns.ts";
import type { LedgerReader } from "../gateway/ledger/reader.ts";
import type { RunningRequest } from "../gateway/pipeline/running-work.ts";
import type { JsonObject } from "../lib/json.ts";
import { isoTime } from "./fields.ts";
import { type Principal, visible } from "./permissions.ts";
import { writtenRow } from "./resources/requests.ts";

/** Exact values. Absent: any. */
export interface LiveFilter {
  readonly key_id?: string;
  readonly project_id?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly operation?: string;
}

export interface LiveSource {
  readonly reader: Pick<LedgerReader, "feed" | "feedEnd">;
  running(): readonly RunningRequest[];
}

/** What has changed since the last look. */
export interface LiveChange {
  /** The place from which a later reader continues. */
  readonly id: string;
  readonly data: JsonObject;
  readonly isEmpty: boolean;
}

/** Rows in one change: a reader gets some KB a second, however many requests there are. */
const maxShownRows = 20;
const maxReadRows = 500;

type Values = Readonly<Record<keyof LiveFilter, string | null>>;

const matches = (filter: LiveFilter, values: Values): boolean =>
  Object.entries(filter).every(([name, wanted]) => values[name as keyof LiveFilter] === wanted);

const ofRow = ({ keyId, project, model, provider, operation }: RequestRow): Values => ({
  ...{ key_id: keyId, project_id: project, model, provider, operation },
});

const ofRunning = ({ keyId, project, model, provider, operation }: RunningRequest): Values => ({
  ...{ key_id: keyId, project_id: project, model, provider, operation },
});

const started = ({ id, requestId, startedMs, ...request }: RunningRequest): JsonObject => ({
  ...{ object: "request", id, request_id: requestId, created_at: isoTime(startedMs), state: "open" },
  ...{ key_id: request.keyId, project_id: request.project, operation: request.operation },
  ...{ model: request.model, provider: request.provider, first_byte_ms: request.firstByteMs },
});

/** Each call returns what has changed since the one before. */
export function createLiveReader(
  { reader, running }: LiveSource,
  principal: Principal,
  filter: LiveFilter,
  after: string | null,
) {
  let place = after;
  let seen = new Map<string, number | null>();
  /** A provider is only known when it answers: until then a request may still match. */
  const isWatched = (request: RunningRequest): boolean => {
    const { provider, ...others } = filter;
    return matches(request.provider === null || provider === undefined ? others : filter, ofRunning(request));
  };
  const inProgress = () => {
    const now = running().filter(isWatched);
    const begun = now.filter(({ id }) => !seen.has(id));
    const answered = now.filter(({ id, firstByteMs }) => firstByteMs !== null && (seen.get(id) ?? null) === null);
    seen = new Map(now.map(({ id, firstByteMs }) => [id, firstByteMs]));
    return { now, begun, answered };
  };
  return async (): Promise<LiveChange> => {
    place ??= await reader.feedEnd();
    const { now, begun, answered } = inProgress();
    const { rows, next, hasMore } = await reader.feed({ after: place, limit: maxReadRows });
    // A reader that is far behind continues with the newest.
    place = hasMore ? await reader.feedEnd() : next;
    const settled = rows.filter((row) => matches(filter, ofRow(row)));
    const shown = settled.slice(-maxShownRows).map((row) => visible(principal, "requests", writtenRow(row)));
    const first = answered.slice(0, maxShownRows).map(({ id, firstByteMs }) => ({ id, first_byte_ms: firstByteMs }));
    const data = {
      in_flight: now.length,
      started: begun.slice(0, maxShownRows).map((request) => visible(principal, "requests", started(request))),
      first_byte: first,
      settled: shown,
      more: hasMore || settled.length > maxShownRows || begun.length > maxShownRows,
    };
    return { id: place, data, isEmpty: begun.length + answered.length + settled.length === 0 };
  };
}
