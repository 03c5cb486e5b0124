// Requests: one virtual list with filters, the drawer of one request, and the tab of tasks.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { call, type Page, queryOf } from "../data/api.ts";
import { count, duration } from "../data/format.ts";
import { createLiveFeed, type LiveFeed } from "../data/live-feed.ts";
import { liveInterval, useKeyNames } from "../data/queries.ts";
import type { RequestRow } from "../data/types.ts";
import { rangeOf, type Search, shared, useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { Button, Heading, joined, Mark, Money, Time } from "../ui/basics.tsx";
import { Empty, Failure, Skeleton, TooMuch } from "../ui/states.tsx";
import { rowKeys } from "../ui/table.tsx";
import { UrlTabs } from "../ui/tabs.tsx";
import { ExportMenu } from "./requests/export.tsx";
import { Filters, filterNames } from "./requests/filters.tsx";
import { RequestDrawer } from "./requests/request.tsx";
import { Tasks } from "./requests/tasks.tsx";

const words = texts.requests;
const pageSize = 100;
const rowHeight = 32;
const narrowHeight = 68;

function filtersOf(search: Search): Record<string, string | undefined> {
  const given = filterNames.map((name) => [name, search[name]] as const);
  return { since: rangeOf(search).since, project_id: search["project"], ...Object.fromEntries(given) };
}

export function StatusMark({ row }: { readonly row: Pick<RequestRow, "state" | "status" | "error_code"> }) {
  if (row.state === "open" || row.state === "pending") return <Mark tone="neutral">running</Mark>;
  const isOk = row.state === "completed" || row.state === "replayed";
  const tone = isOk ? "ok" : row.state === "cancelled" || row.state === "rejected" ? "warning" : "failing";
  return <Mark tone={tone}>{row.status ?? row.state}</Mark>;
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((all, each) => all + each, 0);

const grid =
  "grid grid-cols-[7rem_5rem_minmax(8rem,2fr)_minmax(6rem,1fr)_minmax(6rem,1fr)_5rem_5rem_5.5rem] items-center gap-2 px-2";

function Cells({
  row,
  keyName,
  open,
}: {
  readonly row: RequestRow;
  readonly keyName: string;
  readonly open: () => void;
}) {
  const amount = row.cost ?? row.price;
  const model = (
    <button type="button" className="min-w-0 truncate text-left hover:underline" onClick={open}>
      {row.model}
    </button>
  );
  return (
    <>
      <div className={joined(grid, "h-full max-sm:hidden")}>
        <Time iso={row.created_at} />
        <StatusMark row={row} />
        {model}
        <span className="truncate">{row.provider ?? "–"}</span>
        <span className="truncate">{keyName}</span>
        <span className="text-right">{duration(row.duration_ms)}</span>
        <span className="text-right">{count(sum(row.tokens))}</span>
        <span className="text-right">
          <Money amount={amount} />
        </span>
      </div>
      <div className="flex h-full flex-col justify-center px-1 sm:hidden">
        <div className="flex items-center gap-2">
          <span className="mr-auto flex min-w-0">{model}</span>
          <StatusMark row={row} />
        </div>
        <div className="flex gap-3 text-muted">
          <Time iso={row.created_at} />
          <span className="mr-auto truncate">{row.provider ?? "–"}</span>
          <span>{duration(row.duration_ms)}</span>
          <Money amount={amount} />
        </div>
      </div>
    </>
  );
}

interface ListProps {
  readonly rows: readonly RequestRow[];
  readonly feed: LiveFeed | null;
  readonly open: (id: string) => void;
  readonly more: (() => void) | null;
}

const noChange = () => () => undefined;

/** Rows of the stream come first; those of the history that it has too are left out. */
function useAllRows(feed: LiveFeed | null, history: readonly RequestRow[]): readonly RequestRow[] {
  const view = useSyncExternalStore(feed?.subscribe ?? noChange, () => feed?.view() ?? null);
  if (feed === null || view === null || view.rows.length === 0) return history;
  return [...view.rows, ...history.filter(({ id }) => !feed.has(id))];
}

/** Only the rows in view are in the document; those of the stream come without a render of the page. */
function List({ rows: history, feed, open, more }: ListProps) {
  const rows = useAllRows(feed, history);
  const scroller = useRef<HTMLDivElement>(null);
  const names = useKeyNames();
  const height = window.innerWidth < 640 ? narrowHeight : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  return (
    <section ref={scroller} aria-label={words.list} className="max-h-[calc(100vh-15rem)] min-h-48 overflow-auto">
      <div className="sm:min-w-3xl">
        <div
          className={joined(grid, "sticky top-0 z-10 h-8 border-line border-b bg-page text-muted max-sm:hidden")}
          aria-hidden
        >
          {Object.entries(words.columns).map(([id, title]) => (
            <span key={id} className={joined(["duration", "tokens", "cost"].includes(id) && "text-right")}>
              {title}
            </span>
          ))}
        </div>
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const show = () => open(row.id);
            return (
              <li
                key={key}
                data-row
                // biome-ignore lint/a11y/noNoninteractiveTabindex: rows are walked with j and k
                tabIndex={0}
                aria-label={`${row.model}, ${row.status ?? row.state}`}
                className="absolute inset-x-0 cursor-pointer border-line border-b hover:bg-sunken"
                style={{ height: size, transform: `translateY(${start}px)` }}
                onClick={(event) =>
                  event.target instanceof Element && event.target.closest("button") === null && show()
                }
                onKeyDown={(event) => rowKeys(event, row.id, show)}
              >
                <Cells row={row} keyName={names.get(row.key_id) ?? row.key_id} open={show} />
              </li>
            );
          })}
        </ul>
        {more === null ? null : (
          <div className="p-2 text-center">
            <Button onClick={more}>{texts.common.more}</Button>
          </div>
        )}
      </div>
    </section>
  );
}

const manyRows = 2_000;
/** Filters that the stream has; with others the list is read again instead. */
const streamed: readonly string[] = ["key_id", "model", "provider", "operation"];

function useLiveFeed(search: Search, reload: () => void): LiveFeed | null {
  const isOn = search["live"] === "1" && filterNames.every((name) => !search[name] || streamed.includes(name));
  const filters = Object.fromEntries(streamed.map((name) => [name, search[name]]));
  const query = queryOf({ ...filters, project_id: search["project"] });
  const [feed, setFeed] = useState<LiveFeed | null>(null);
  const reloadNow = useRef(reload);
  reloadNow.current = reload;
  useEffect(() => {
    if (!isOn) return;
    const made = createLiveFeed(query, () => reloadNow.current());
    setFeed(made);
    const end = made.start();
    return () => {
      end();
      setFeed(null);
    };
  }, [isOn, query]);
  return feed;
}

/** Whether the list follows, and whether something was left out. */
function LiveStatus({ feed, reload }: { readonly feed: LiveFeed; readonly reload: () => void }) {
  const state = useSyncExternalStore(feed.subscribe, () => feed.view().state);
  const hasGap = useSyncExternalStore(feed.subscribe, () => feed.view().hasGap);
  return (
    <p className="mb-1 flex flex-wrap items-center gap-2 text-muted">
      <span role="status">
        <Mark tone={state === "live" ? "ok" : "warning"}>{words.live[state]}</Mark>
      </span>
      {hasGap ? (
        <>
          <span>{words.live.gap}</span>
          <Button onClick={reload}>{words.live.reload}</Button>
        </>
      ) : null}
    </p>
  );
}

function History() {
  const [search, change] = useSearch();
  const filters = filtersOf(search);
  const isStreaming = useRef(false);
  const query = useInfiniteQuery({
    queryKey: ["requests", filters],
    queryFn: ({ pageParam }) =>
      call<Page<RequestRow>>(`requests${queryOf({ ...filters, limit: pageSize, cursor: pageParam })}`),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // Older pages do not change: only a list of one page is asked again.
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) > 1 || isStreaming.current ? false : liveInterval(search["live"]),
  });
  const feed = useLiveFeed(search, () => void query.refetch());
  isStreaming.current = feed !== null;
  const reload = () => void query.refetch().then(() => feed?.clear());
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = filterNames.some((name) => search[name] !== undefined);
  return (
    <>
      <Filters search={search} change={change}>
        <ExportMenu filters={filters} />
      </Filters>
      {feed === null ? null : <LiveStatus feed={feed} reload={reload} />}
      {query.error !== null && rows.length === 0 ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton rows={12} />
      ) : rows.length === 0 && feed === null ? (
        <Empty
          action={
            isFiltered ? (
              <Button onClick={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}>
                {texts.common.clear}
              </Button>
            ) : (
              <Link to="/keys" search={{ ...shared(search), connect: "1" } as never} className="text-accent underline">
                {words.connect}
              </Link>
            )
          }
        >
          {isFiltered ? words.empty : words.emptyFirst}
        </Empty>
      ) : (
        <List
          rows={rows}
          feed={feed}
          open={(open) => change({ open }, true)}
          more={query.hasNextPage ? () => void query.fetchNextPage() : null}
        />
      )}
      {rows.length >= manyRows ? <TooMuch text={words.tooMuch} values={{ count: count(rows.length) }} /> : null}
    </>
  );
}

export default function Requests() {
  const [search, change] = useSearch();
  return (
    <>
      <Heading title={words.title} />
      <UrlTabs label={words.title} titles={words.tabs}>
        {(tab) => (tab === "tasks" ? <Tasks /> : <History />)}
      </UrlTabs>
      {search["open"] === undefined ? null : (
        <RequestDrawer id={search["open"]} close={() => change({ open: undefined })} />
      )}
    </>
  );
}
