// Columns that can be hidden and resized, which is remembered for each table.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Check, Columns3 } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { remember, remembered } from "../data/memory.ts";
import { texts } from "../texts.ts";

/** Pixels, by column. */
export type Widths = Readonly<Record<string, number>>;

const minWidth = 48;
const maxWidth = 800;
const widthStep = 16;
const bounded = (width: number): number => Math.round(Math.min(maxWidth, Math.max(minWidth, width)));

export const widthStyle = (width: number | undefined) =>
  width === undefined ? {} : { style: { width, minWidth: width, maxWidth: width } };

/** Drags the edge of a title. */
function dragWidth(event: PointerEvent<HTMLElement>, resize: (width: number) => void): void {
  const cell = event.currentTarget.closest<HTMLElement>("[data-column]");
  if (cell === null) return;
  event.preventDefault();
  const [startX, before] = [event.clientX, cell.offsetWidth];
  const move = (moved: globalThis.PointerEvent) => resize(bounded(before + moved.clientX - startX));
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
}

/** Shift with an arrow key changes the width, too. */
export function keyWidth(event: KeyboardEvent<HTMLElement>, resize: (width: number) => void): void {
  const step = event.key === "ArrowLeft" ? -widthStep : event.key === "ArrowRight" ? widthStep : 0;
  if (!event.shiftKey || step === 0) return;
  event.preventDefault();
  resize(bounded((event.currentTarget.closest<HTMLElement>("[data-column]")?.offsetWidth ?? minWidth) + step));
}

/** At the edge of a title, which has `data-column`. */
export function WidthHandle({ resize }: { readonly resize: (width: number) => void }) {
  return (
    <span
      aria-hidden
      className="absolute inset-y-1 right-0 w-1.5 cursor-col-resize border-transparent border-r-2 hover:border-line"
      onPointerDown={(event) => dragWidth(event, resize)}
    />
  );
}

interface ColumnMenuProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly hidden: readonly string[];
  readonly toggle: (id: string) => void;
}

export function ColumnMenu({ columns, hidden, toggle }: ColumnMenuProps) {
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

/** What someone chose for the columns of a table. */
export function useColumns(name: string) {
  const [hidden, setHidden] = useState<readonly string[]>(() => remembered(`hidden.${name}`, []));
  const [widths, setWidths] = useState<Widths>(() => remembered(`widths.${name}`, {}));
  return {
    hidden,
    widths,
    resize: (id: string) => (width: number) => {
      const next = { ...widths, [id]: width };
      setWidths(next);
      remember(`widths.${name}`, next);
    },
    toggle: (id: string) => {
      const next = hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id];
      setHidden(next);
      remember(`hidden.${name}`, next);
    },
  };
}
