// Tables, which become lists where the screen is narrow. Columns can be sorted, hidden and resized, which is remembered.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { ArrowDown, ArrowUp, Check, Columns3 } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { remember, remembered } from "../data/memory.ts";
import type { Search } from "../data/url.ts";
import { texts } from "../texts.ts";
import { copyText, joined } from "./basics.tsx";
import { RowMenu, type RowMenuProps } from "./row-menu.tsx";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** For sorting; without it the column cannot be sorted. */
  readonly value?: (row: Row) => string | number;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly open?: (row: Row) => void;
  /** In the menu of each row, after opening it and copying its ID. */
  readonly actions?: readonly RowAction<Row>[];
}

export interface RowAction<Row> {
  readonly title: string;
  /** The page that it opens. */
  readonly href: (row: Row) => { readonly to: string; readonly search: Search };
}

interface Order {
  readonly id: string;
  readonly isDown: boolean;
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | null): readonly Row[] {
  const value = columns.find(({ id }) => id === order?.id)?.value;
  if (order === null || value === undefined) return rows;
  const sign = order.isDown ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? 0 : left < right ? -sign : sign;
  });
}

/** `j` and `k` go through the rows, Enter opens one, `y` copies its id, `.` opens its menu. */
export function rowKeys(event: KeyboardEvent<HTMLElement>, id: string, open?: () => void): void {
  if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
  const row = event.currentTarget;
  const to = event.key === "j" ? row.nextElementSibling : event.key === "k" ? row.previousElementSibling : null;
  if (to instanceof HTMLElement) to.focus();
  if (event.key === "Enter" && open !== undefined) {
    // The same press would click what has the focus next: the button that closes the drawer.
    event.preventDefault();
    open();
  }
  if (event.key === "y") void copyText(id);
  if (event.key === ".") {
    event.preventDefault();
    row.querySelector<HTMLElement>("[data-row-menu]")?.dispatchEvent(new CustomEvent("row-menu", { bubbles: true }));
  }
}

/** Pixels, by column. */
type Widths = Readonly<Record<string, number>>;

const minWidth = 48;
const maxWidth = 800;
const widthStep = 16;
const bounded = (width: number): number => Math.round(Math.min(maxWidth, Math.max(minWidth, width)));

const widthStyle = (width: number | undefined) =>
  width === undefined ? {} : { style: { width, minWidth: width, maxWidth: width } };

/** Drags the edge of a title. */
function dragWidth(event: PointerEvent<HTMLElement>, resize: (width: number) => void): void {
  const cell = event.currentTarget.closest("th");
  if (cell === null) return;
  event.preventDefault();
  const [startX, before] = [event.clientX, cell.offsetWidth];
  const move = (moved: globalThis.PointerEvent) => resize(bounded(before + moved.clientX - startX));
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
}

/** Shift with an arrow key changes the width, too. */
function keyWidth(event: KeyboardEvent<HTMLElement>, resize: (width: number) => void): void {
  const step = event.key === "ArrowLeft" ? -widthStep : event.key === "ArrowRight" ? widthStep : 0;
  if (!event.shiftKey || step === 0) return;
  event.preventDefault();
  resize(bounded((event.currentTarget.closest("th")?.offsetWidth ?? minWidth) + step));
}

interface HeaderProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order | null;
  readonly sort: (id: string) => void;
  readonly width: number | undefined;
  readonly resize: (width: number) => void;
}

function Header<Row>({ column, order, sort, width, resize }: HeaderProps<Row>) {
  const isSorted = order?.id === column.id;
  const direction = isSorted ? (order.isDown ? "descending" : "ascending") : undefined;
  const align = column.isNumber === true ? "text-right" : "text-left";
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={joined("relative px-2 font-medium text-muted", align)}
      {...widthStyle(width)}
    >
      {column.value === undefined ? (
        column.title
      ) : (
        <button
          type="button"
          className="inline-flex items-center gap-1"
          onClick={() => sort(column.id)}
          onKeyDown={(event) => keyWidth(event, resize)}
        >
          {column.title}
          {isSorted ? order.isDown ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden /> : null}
        </button>
      )}
      <span
        aria-hidden
        className="absolute inset-y-1 right-0 w-1.5 cursor-col-resize border-transparent border-r-2 hover:border-line"
        onPointerDown={(event) => dragWidth(event, resize)}
      />
    </th>
  );
}

interface RowProps<Item> {
  readonly row: Item;
  readonly columns: readonly Column<Item>[];
  readonly id: string;
  readonly widths: Widths;
  readonly open?: () => void;
  readonly links: RowMenuProps["links"];
}

function Row<Item>({ row, columns, id, widths, open, links }: RowProps<Item>) {
  const look = "max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-3 max-sm:px-1 max-sm:py-2 border-line border-t";
  const [isMenuOpen, setMenuOpen] = useState(false);
  const menu = useRef<HTMLTableCellElement>(null);
  useEffect(() => {
    const element = menu.current;
    const show = () => setMenuOpen(true);
    element?.addEventListener("row-menu", show);
    return () => element?.removeEventListener("row-menu", show);
  }, []);
  const [first, ...rest] = columns;
  const cell = (column: Column<Item>) => (
    <td
      key={column.id}
      className={joined(
        "h-8 max-w-80 truncate px-2 max-sm:h-auto max-sm:whitespace-normal max-sm:py-0.5",
        column.isNumber === true && "sm:text-right",
      )}
      {...widthStyle(widths[column.id])}
    >
      <span className="mr-2 text-muted sm:hidden">{column.title}</span>
      {column.cell(row)}
    </td>
  );
  return (
    <tr
      tabIndex={0}
      className={joined(look, open !== undefined && "cursor-pointer hover:bg-sunken")}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("button, a, input, [role=menu]") === null) open?.();
      }}
      onKeyDown={(event) => rowKeys(event, id, open)}
    >
      {first === undefined ? null : (
        <th
          scope="row"
          className="h-8 max-w-80 truncate px-2 text-left font-normal max-sm:col-span-2"
          {...widthStyle(widths[first.id])}
        >
          {open === undefined ? (
            first.cell(row)
          ) : (
            <button type="button" className="max-w-full truncate text-left hover:underline" onClick={open}>
              {first.cell(row)}
            </button>
          )}
        </th>
      )}
      {rest.map(cell)}
      <td ref={menu} className="w-8 text-right max-sm:hidden">
        <RowMenu id={id} open={open} links={links} isOpen={isMenuOpen} setOpen={setMenuOpen} />
      </td>
    </tr>
  );
}

function ColumnMenu({
  columns,
  hidden,
  toggle,
}: {
  columns: readonly { id: string; title: string }[];
  hidden: readonly string[];
  toggle: (id: string) => void;
}) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger aria-label={texts.common.columns} className="rounded p-1 text-muted hover:bg-sunken max-sm:hidden">
        <Columns3 size={14} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content align="end" className="z-40 rounded-md border border-line bg-panel p-1 shadow-lg">
          {columns.map(({ id, title }) => (
            <Menu.CheckboxItem
              key={id}
              checked={!hidden.includes(id)}
              onCheckedChange={() => toggle(id)}
              onSelect={(event) => event.preventDefault()}
              className="flex min-h-8 items-center gap-2 rounded px-2 data-highlighted:bg-sunken"
            >
              <span className="w-4">{hidden.includes(id) ? null : <Check size={14} aria-hidden />}</span>
              {title}
            </Menu.CheckboxItem>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function Table<Item>({ name, label, columns, rows, idOf, open, actions = [] }: TableProps<Item>) {
  const [order, setOrder] = useState<Order | null>(() => remembered(`order.${name}`, null));
  const [hidden, setHidden] = useState<readonly string[]>(() => remembered(`hidden.${name}`, []));
  const [widths, setWidths] = useState<Widths>(() => remembered(`widths.${name}`, {}));
  const resize = (id: string) => (width: number) => {
    const next = { ...widths, [id]: width };
    setWidths(next);
    remember(`widths.${name}`, next);
  };
  const linksOf = (row: Item) => actions.map(({ title, href }) => ({ title, ...href(row) }));
  const sort = (id: string) => {
    const next = { id, isDown: order?.id === id ? !order.isDown : true };
    setOrder(next);
    remember(`order.${name}`, next);
  };
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id];
    setHidden(next);
    remember(`hidden.${name}`, next);
  };
  const shown = columns.filter(({ id }, at) => at === 0 || !hidden.includes(id));
  return (
    <div className="overflow-x-auto max-sm:overflow-visible">
      <table className="w-full border-line border-b max-sm:block" aria-label={label}>
        <thead className="max-sm:hidden">
          <tr className="h-8">
            {shown.map((column) => (
              <Header
                key={column.id}
                column={column}
                order={order}
                sort={sort}
                width={widths[column.id]}
                resize={resize(column.id)}
              />
            ))}
            <td className="w-8 text-right">
              <ColumnMenu columns={columns.slice(1)} hidden={hidden} toggle={toggle} />
            </td>
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {sorted(rows, columns, order).map((row) => (
            <Row
              key={idOf(row)}
              row={row}
              columns={shown}
              id={idOf(row)}
              widths={widths}
              links={linksOf(row)}
              {...(open === undefined ? {} : { open: () => open(row) })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
