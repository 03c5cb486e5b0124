// Tables, which become lists where the screen is narrow. Columns can be sorted, hidden and resized, which is remembered.
import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { remember, remembered } from "../data/memory.ts";
import type { Search } from "../data/url.ts";
import { copyText, joined } from "./basics.tsx";
import { ColumnMenu, keyWidth, useColumns, WidthHandle, type Widths, widthStyle } from "./columns.tsx";
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
      data-column
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
      <WidthHandle resize={resize} />
    </th>
  );
}

interface RowProps<Item> {
  readonly row: Item;
  readonly columns: readonly Column<Item>[];
  readonly id: string;
  readonly widths: Widths;
  readonly open?: () => void;
  readonly entries: RowMenuProps["entries"];
}

function Row<Item>({ row, columns, id, widths, open, entries }: RowProps<Item>) {
  const look = "relative max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-3 max-sm:px-1 max-sm:py-2 border-line border-t";
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
      data-row
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
          className="h-8 max-w-80 truncate px-2 text-left font-normal max-sm:col-span-2 max-sm:pr-10"
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
      <td className="w-8 text-right max-sm:absolute max-sm:top-1 max-sm:right-0 max-sm:w-10">
        <RowMenu id={id} open={open} entries={entries} />
      </td>
    </tr>
  );
}

export function Table<Item>({ name, label, columns, rows, idOf, open, actions = [] }: TableProps<Item>) {
  const [order, setOrder] = useState<Order | null>(() => remembered(`order.${name}`, null));
  const { hidden, widths, resize, toggle } = useColumns(name);
  const entriesOf = (row: Item) => () => actions.map(({ title, href }) => ({ title, ...href(row) }));
  const sort = (id: string) => {
    const next = { id, isDown: order?.id === id ? !order.isDown : true };
    setOrder(next);
    remember(`order.${name}`, next);
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
              entries={entriesOf(row)}
              {...(open === undefined ? {} : { open: () => open(row) })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
