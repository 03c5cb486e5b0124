// Requests: one virtual list with filters, the drawer of one request, and the tab of tasks.
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { call, type Page, queryOf } from "../data/api.ts";
import { count } from "../data/format.ts";
import { createLiveFeed, type LiveFeed } from "../data/live-feed.ts";
import { liveInterval } from "../data/queries.ts";
import type { RequestRow } from "../data/types.ts";
import { rangeOf, type Search, useSearch } from "../data/url.ts";
import { withReload } from "../shell/reload.ts";
import { texts } from "../texts.ts";
import { Button, Heading, Mark } from "../ui/basics.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { Empty, Failure, Skeleton, TooMuch } from "../ui/states.tsx";
import { UrlTabs } from "../ui/tabs.tsx";
import { ExportMenu } from "./requests/export.tsx";
import { Filters, filterNames } from "./requests/filters.tsx";
import { List } from "./requests/list.tsx";
import { RequestDrawer } from "./requests/request.tsx";

const Tasks = lazy(withReload(() => import("./requests/tasks.tsx").then(({ Tasks: Tab }) => ({ default: Tab }))));

const words = texts.requests;
const pageSize = 100;

function filtersOf(search: Search): Record<string, string | undefined> {
  const given = filterNames.map((name) => [name, search[name]] as const);
  return { since: rangeOf(search).since, project_id: search["project"], ...Object.fromEntries(given) };
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
              <PlaceLink to="/keys" search={{ connect: "1" }}>
                {words.connect}
              </PlaceLink>
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
        {(tab) =>
          tab === "tasks" ? (
            <Suspense fallback={<Skeleton rows={12} />}>
              <Tasks />
            </Suspense>
          ) : (
            <History />
          )
        }
      </UrlTabs>
      {search["open"] === undefined ? null : (
        <RequestDrawer id={search["open"]} close={() => change({ open: undefined })} />
      )}
    </>
  );
}
