// The list of requests: only the rows in view are in the document. Columns can be hidden and resized, and rows have a menu.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useContext, useRef, useSyncExternalStore } from "react";
import { may } from "../../data/api.ts";
import { count, duration } from "../../data/format.ts";
import type { LiveFeed } from "../../data/live-feed.ts";
import { useKeyNames } from "../../data/queries.ts";
import type { RequestRow } from "../../data/types.ts";
import { shared, useSearch } from "../../data/url.ts";
import { ShellSession } from "../../shell/session.ts";
import { fill, texts } from "../../texts.ts";
import { Button, copyText, joined, Mark, Money, Time } from "../../ui/basics.tsx";
import { ColumnMenu, keyWidth, useColumns, WidthHandle } from "../../ui/columns.tsx";
import { RowMenu, type RowMenuProps } from "../../ui/row-menu.tsx";
import { rowKeys } from "../../ui/table.tsx";
import { cancelRequest, isRunning } from "./cancel.ts";
import { curlOf } from "./curl.ts";

const words = texts.requests;
const rowHeight = 32;
const narrowHeight = 72;

function StatusMark({ row }: { readonly row: Pick<RequestRow, "state" | "status" | "error_code"> }) {
  if (isRunning(row.state)) return <Mark tone="neutral">running</Mark>;
  const isOk = row.state === "completed" || row.state === "replayed";
  const tone = isOk ? "ok" : row.state === "cancelled" || row.state === "rejected" ? "warning" : "failing";
  return <Mark tone={tone}>{row.status ?? row.state}</Mark>;
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((all, each) => all + each, 0);

interface Shown {
  readonly row: RequestRow;
  readonly keyName: string;
  readonly open: () => void;
}

type ColumnId = keyof typeof words.columns;

interface Column {
  readonly id: ColumnId;
  /** As in `grid-template-columns`, until someone resizes it. */
  readonly width: string;
  readonly isNumber?: true;
  readonly cell: (shown: Shown) => ReactNode;
}

const Model = ({ row, open }: Shown) => (
  <button type="button" className="min-w-0 truncate text-left hover:underline" onClick={open}>
    {row.model}
  </button>
);

const columns: readonly Column[] = [
  { id: "time", width: "7rem", cell: ({ row }) => <Time iso={row.created_at} /> },
  { id: "status", width: "5rem", cell: ({ row }) => <StatusMark row={row} /> },
  { id: "model", width: "minmax(8rem,2fr)", cell: Model },
  { id: "provider", width: "minmax(6rem,1fr)", cell: ({ row }) => row.provider ?? "–" },
  { id: "key", width: "minmax(6rem,1fr)", cell: ({ keyName }) => keyName },
  { id: "duration", width: "5rem", isNumber: true, cell: ({ row }) => duration(row.duration_ms) },
  { id: "tokens", width: "5rem", isNumber: true, cell: ({ row }) => count(sum(row.tokens)) },
  { id: "cost", width: "5.5rem", isNumber: true, cell: ({ row }) => <Money amount={row.cost ?? row.price} /> },
];

const titled = columns.map(({ id }) => ({ id, title: words.columns[id] }));
const grid = "grid items-center gap-2 px-2";
const menuWidth = "1.75rem";

function Wide({ shown, list, entries }: { shown: Shown; list: readonly Column[]; entries: RowMenuProps["entries"] }) {
  return (
    <div className={joined(grid, "h-full grid-cols-(--columns)")}>
      {list.map((column) => (
        <span key={column.id} className={joined("flex min-w-0", column.isNumber === true && "justify-end text-right")}>
          <span className="truncate">{column.cell(shown)}</span>
        </span>
      ))}
      <RowMenu id={shown.row.id} open={shown.open} entries={entries} />
    </div>
  );
}

function Narrow({ shown, entries }: { shown: Shown; entries: RowMenuProps["entries"] }) {
  const { row, open } = shown;
  return (
    <div className="flex h-full flex-col justify-center px-1">
      <div className="flex items-center gap-2">
        <span className="mr-auto flex min-w-0">
          <Model {...shown} />
        </span>
        <StatusMark row={row} />
        <RowMenu id={row.id} open={open} entries={entries} />
      </div>
      <div className="flex gap-3 text-muted">
        <Time iso={row.created_at} />
        <span className="mr-auto truncate">{row.provider ?? "–"}</span>
        <span>{duration(row.duration_ms)}</span>
        <Money amount={row.cost ?? row.price} />
      </div>
    </div>
  );
}

type Columns = ReturnType<typeof useColumns>;

function Titles({ list, chosen }: { readonly list: readonly Column[]; readonly chosen: Columns }) {
  return (
    <div
      className={joined(
        grid,
        "sticky top-0 z-10 h-8 grid-cols-(--columns) border-line border-b bg-page text-muted max-sm:hidden",
      )}
    >
      {list.map(({ id, isNumber }) => (
        <span key={id} data-column className={joined("relative", isNumber === true && "text-right")}>
          <button type="button" className="cursor-default" onKeyDown={(event) => keyWidth(event, chosen.resize(id))}>
            {words.columns[id]}
          </button>
          <WidthHandle resize={chosen.resize(id)} />
        </span>
      ))}
      <ColumnMenu columns={titled.slice(1)} hidden={chosen.hidden} toggle={chosen.toggle} />
    </div>
  );
}

const noChange = () => () => undefined;

/** Rows of the stream come first; those of the history that it has too are left out. */
function useAllRows(feed: LiveFeed | null, history: readonly RequestRow[]): readonly RequestRow[] {
  const view = useSyncExternalStore(feed?.subscribe ?? noChange, () => feed?.view() ?? null);
  if (feed === null || view === null || view.rows.length === 0) return history;
  return [...view.rows, ...history.filter(({ id }) => !feed.has(id))];
}

/** Filters by the values of a row, in its menu. */
const sameNames = ["model", "provider", "key_id", "end_user", "session"] as const;

async function copyCurl(row: RequestRow): Promise<string> {
  await copyText(curlOf(row));
  return texts.common.copied;
}

/** What the menu of a row has: filters by its values, and what can be done with the request. */
function useEntries(): (row: RequestRow) => RowMenuProps["entries"] {
  const [search] = useSearch();
  const session = useContext(ShellSession)?.session;
  const canCancel = session == null || may(session, "requests", "cancel");
  return (row) => () => [
    ...sameNames.flatMap((name) => {
      const value = row[name];
      const title = fill(words.onlyThis, { what: words.filters[name].toLowerCase() });
      return value === null ? [] : [{ title, to: "/requests", search: { ...shared(search), [name]: value } }];
    }),
    { title: words.copyCurl, act: () => copyCurl(row) },
    ...(canCancel && isRunning(row.state) ? [{ title: words.cancel, act: () => cancelRequest(row.id) }] : []),
  ];
}

const narrow = matchMedia("(width < 40rem)");

function followNarrow(changed: () => void): () => void {
  narrow.addEventListener("change", changed);
  return () => narrow.removeEventListener("change", changed);
}

const useIsNarrow = (): boolean => useSyncExternalStore(followNarrow, () => narrow.matches);

interface ListProps {
  readonly rows: readonly RequestRow[];
  readonly feed: LiveFeed | null;
  readonly open: (id: string) => void;
  readonly more: (() => void) | null;
}

/** Rows of the stream come without a render of the page. */
export function List(props: ListProps) {
  const isNarrow = useIsNarrow();
  return <Rows key={String(isNarrow)} {...props} isNarrow={isNarrow} />;
}

function Rows({ rows: history, feed, open, more, isNarrow }: ListProps & { readonly isNarrow: boolean }) {
  const rows = useAllRows(feed, history);
  const scroller = useRef<HTMLDivElement>(null);
  const names = useKeyNames();
  const entriesOf = useEntries();
  const chosen = useColumns("requests");
  const list = columns.filter(({ id }, at) => at === 0 || !chosen.hidden.includes(id));
  const widths = list.map(({ id, width }) => (chosen.widths[id] === undefined ? width : `${chosen.widths[id]}px`));
  const height = isNarrow ? narrowHeight : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 12,
  });
  return (
    <section ref={scroller} aria-label={words.list} className="max-h-[calc(100vh-15rem)] min-h-48 overflow-auto">
      <div className="sm:min-w-3xl" style={{ "--columns": [...widths, menuWidth].join(" ") } as object}>
        <Titles list={list} chosen={chosen} />
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const shown = { row, keyName: names.get(row.key_id) ?? row.key_id, open: () => open(row.id) };
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
                  event.target instanceof Element &&
                  event.target.closest("button, a, [role=menu]") === null &&
                  shown.open()
                }
                onKeyDown={(event) => rowKeys(event, row.id, shown.open)}
              >
                {isNarrow ? (
                  <Narrow shown={shown} entries={entriesOf(row)} />
                ) : (
                  <Wide shown={shown} list={list} entries={entriesOf(row)} />
                )}
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
