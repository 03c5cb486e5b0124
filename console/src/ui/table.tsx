// Tables, which become lists where the screen is narrow. Columns can be sorted and hidden, which is remembered.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { ArrowDown, ArrowUp, Check, Columns3 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { remember, remembered } from "../data/memory.ts";
import { copyText, joined } from "./basics.tsx";

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

/** `j` and `k` walk the rows, Enter opens one, `y` copies its id. */
export function rowKeys(event: KeyboardEvent<HTMLElement>, id: string, open?: () => void): void {
  if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
  const row = event.currentTarget;
  const to = event.key === "j" ? row.nextElementSibling : event.key === "k" ? row.previousElementSibling : null;
  if (to instanceof HTMLElement) to.focus();
  if (event.key === "Enter") open?.();
  if (event.key === "y") void copyText(id);
}

function Header<Row>({
  column,
  order,
  sort,
}: {
  column: Column<Row>;
  order: Order | null;
  sort: (id: string) => void;
}) {
  const isSorted = order?.id === column.id;
  const direction = isSorted ? (order.isDown ? "descending" : "ascending") : undefined;
  const align = column.isNumber === true ? "text-right" : "text-left";
  return (
    <th scope="col" aria-sort={direction} className={joined("px-2 font-medium text-muted", align)}>
      {column.value === undefined ? (
        column.title
      ) : (
        <button type="button" className="inline-flex items-center gap-1" onClick={() => sort(column.id)}>
          {column.title}
          {isSorted ? order.isDown ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden /> : null}
        </button>
      )}
    </th>
  );
}

function Row<Item>({
  row,
  columns,
  id,
  open,
}: {
  row: Item;
  columns: readonly Column<Item>[];
  id: string;
  open?: () => void;
}) {
  const look = "max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-3 max-sm:px-1 max-sm:py-2 border-line border-t";
  const [first, ...rest] = columns;
  const cell = (column: Column<Item>) => (
    <td
      key={column.id}
      className={joined(
        "h-8 max-w-80 truncate px-2 max-sm:h-auto max-sm:whitespace-normal max-sm:py-0.5",
        column.isNumber === true && "sm:text-right",
      )}
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
        if (event.target instanceof Element && event.target.closest("button, a, input") === null) open?.();
      }}
      onKeyDown={(event) => rowKeys(event, id, open)}
    >
      {first === undefined ? null : (
        <th scope="row" className="h-8 max-w-80 truncate px-2 text-left font-normal max-sm:col-span-2">
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
      <td className="w-8 max-sm:hidden" />
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
      <Menu.Trigger aria-label="Columns" className="rounded p-1 text-muted hover:bg-sunken max-sm:hidden">
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

export function Table<Item>({ name, label, columns, rows, idOf, open }: TableProps<Item>) {
  const [order, setOrder] = useState<Order | null>(() => remembered(`order.${name}`, null));
  const [hidden, setHidden] = useState<readonly string[]>(() => remembered(`hidden.${name}`, []));
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
              <Header key={column.id} column={column} order={order} sort={sort} />
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
              {...(open === undefined ? {} : { open: () => open(row) })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
