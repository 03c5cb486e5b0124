// The event stream of requests: read with a resume and a backoff, and applied to one list of rows in batches.
import { base } from "./gateway.ts";
import type { RequestRow } from "./types.ts";

/** An event of `GET /admin/api/requests/live`. */
interface Change {
  readonly started: readonly Partial<RequestRow>[];
  readonly first_byte: readonly { readonly id: string; readonly first_byte_ms: number }[];
  readonly settled: readonly RequestRow[];
  readonly more: boolean;
}

export type LiveState = "connecting" | "live" | "waiting";

/** What the list shows; `rows` is one array that changes in place, and `version` counts its changes. */
export interface LiveView {
  readonly version: number;
  readonly state: LiveState;
  readonly rows: readonly RequestRow[];
  /** Requests were left out because too many came at once. */
  readonly hasGap: boolean;
}

const updateEveryMs = 100;
const maxRows = 1_000;
const firstWaitMs = 500;
const longestWaitMs = 15_000;

const unsettled = {
  ...{ request_id: null, organization_id: null, project_id: null, end_user: null, session: null },
  ...{ format: "", stream: false, state: "open", provider: null, upstream_model: null, credential: null },
  ...{ attempts: 0, status: null, error_code: null, warnings: null, first_byte_ms: null, duration_ms: null },
  ...{ tokens: {}, units: {}, estimated: false, charged: true, price: null, price_version: null, replay_of: null },
};

/** Rows by arrival, newest first. Each row is changed in place. */
export function createLiveRows() {
  const rows: RequestRow[] = [];
  const byId = new Map<string, RequestRow>();
  const put = (row: RequestRow, fresh: RequestRow[]): void => {
    const before = byId.get(row.id);
    if (before !== undefined) return void Object.assign(before, row);
    byId.set(row.id, row);
    fresh.push(row);
  };
  return {
    rows,
    has: (id: string): boolean => byId.has(id),
    apply(changes: readonly Change[]): void {
      const fresh: RequestRow[] = [];
      for (const { started, first_byte: answered, settled } of changes) {
        for (const row of started) put({ ...unsettled, ...row } as RequestRow, fresh);
        for (const { id, ...times } of answered) Object.assign(byId.get(id) ?? {}, times);
        // Oldest first, as they settled.
        for (const row of settled) put(row, fresh);
      }
      rows.unshift(...fresh.slice(-maxRows).reverse());
      for (const { id } of rows.splice(maxRows)) byId.delete(id);
    },
    clear(): void {
      rows.length = 0;
      byId.clear();
    },
  };
}

interface Event {
  readonly id: string | null;
  readonly data: string;
}

/** The events of a part of a stream, and the rest that has no end yet. */
export function eventsIn(text: string): { readonly events: readonly Event[]; readonly rest: string } {
  const parts = text.split("\n\n");
  const rest = parts.pop() ?? "";
  const member = (part: string, name: string): string | null =>
    part
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const events = parts.map((part) => ({ id: member(part, "id"), data: member(part, "data") ?? "" }));
  return { events: events.filter(({ data }) => data !== ""), rest };
}

interface Reading {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly place: { id: string | null };
  readonly onOpen: () => void;
  readonly onChange: (change: Change) => void;
}

async function readOnce({ query, signal, place, onOpen, onChange }: Reading): Promise<void> {
  const headers = place.id === null ? {} : { "last-event-id": place.id };
  const response = await fetch(`${base}/admin/api/requests/live${query}`, { headers, signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!response.ok || reader === undefined) throw new Error(`The stream was refused with status ${response.status}.`);
  onOpen();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = eventsIn(text + value);
    text = rest;
    for (const { id, data } of events) {
      place.id = id ?? place.id;
      onChange(JSON.parse(data) as Change);
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Reads until the signal; after an end or a failure it continues behind the last event. */
async function readAll(reading: Omit<Reading, "place">, onWait: () => void): Promise<void> {
  const place = { id: null };
  let failures = 0;
  const onOpen = (): void => {
    failures = 0;
    reading.onOpen();
  };
  while (!reading.signal.aborted) {
    await readOnce({ ...reading, place, onOpen }).catch(() => {
      failures++;
    });
    if (reading.signal.aborted) return;
    onWait();
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
    await pause(waitMs * (0.5 + Math.random() / 2), reading.signal);
  }
}

/** A store for `useSyncExternalStore`: at most ten changes a second, however many events there are. */
export function createLiveFeed(query: string, onFirstOpen: () => void) {
  const list = createLiveRows();
  const listeners = new Set<() => void>();
  let view: LiveView = { version: 0, state: "connecting", rows: list.rows, hasGap: false };
  let waiting: Change[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let updatedAt = 0;
  const change = (more: Partial<LiveView>): void => {
    view = { ...view, ...more, version: view.version + 1 };
    for (const listener of listeners) listener();
  };
  const update = (): void => {
    timer = null;
    updatedAt = performance.now();
    const changes = waiting;
    waiting = [];
    list.apply(changes);
    performance.mark("live-update");
    change({ hasGap: view.hasGap || changes.some(({ more }) => more) });
  };
  const onChange = (each: Change): void => {
    waiting.push(each);
    timer ??= setTimeout(update, Math.max(0, updatedAt + updateEveryMs - performance.now()));
  };
  return {
    view: () => view,
    has: list.has,
    clear(): void {
      list.clear();
      change({ hasGap: false });
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Begins to read, and returns what ends it. */
    start(): () => void {
      const stop = new AbortController();
      let isFirst = true;
      const onOpen = (): void => {
        change({ state: "live" });
        if (isFirst) onFirstOpen();
        isFirst = false;
      };
      void readAll({ query, signal: stop.signal, onOpen, onChange }, () => change({ state: "waiting" }));
      return () => {
        stop.abort();
        if (timer !== null) clearTimeout(timer);
      };
    },
  };
}

export type LiveFeed = ReturnType<typeof createLiveFeed>;
