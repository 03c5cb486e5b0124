// The menu of a row of a table. After it the focus is on the row again.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Search } from "../data/url.ts";
import { texts } from "../texts.ts";
import { copyText, joined } from "./basics.tsx";

const itemLook = "flex min-h-8 max-sm:min-h-10 w-full items-center rounded px-2 data-highlighted:bg-sunken";

/** A page that is opened, or something that is done; an act says what it did. */
export type RowEntry =
  | { readonly title: string; readonly to: string; readonly search: Search }
  | { readonly title: string; readonly act: () => Promise<string> };

export interface RowMenuProps {
  readonly id: string;
  readonly open: (() => void) | undefined;
  /** Called when it is opened. */
  readonly entries: () => readonly RowEntry[];
}

const look = {
  className: "inline-grid place-items-center rounded p-1 text-muted hover:bg-sunken max-sm:size-10",
  ...{ tabIndex: -1, "data-row-menu": true },
} as const;

/** A row shows its menu when `.` is pressed. */
function useRowMenuEvent(button: RefObject<HTMLButtonElement | null>, show: (isOpen: boolean) => void): void {
  useEffect(() => {
    const element = button.current;
    const listen = () => show(true);
    element?.addEventListener("row-menu", listen);
    return () => element?.removeEventListener("row-menu", listen);
  }, [button, show]);
}

/** Only a button until it is opened for the first time: lists have many rows. */
export function RowMenu(props: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useRowMenuEvent(button, setUsed);
  if (isUsed) return <OpenMenu {...props} />;
  return (
    <button ref={button} type="button" aria-label={texts.common.rowActions} {...look} onClick={() => setUsed(true)}>
      <Ellipsis size={14} aria-hidden />
    </button>
  );
}

/** The menu stays open and says what was done in place of the title. */
function ActItem({ title, act }: Extract<RowEntry, { act: unknown }>) {
  const [said, setSaid] = useState<string | null>(null);
  const select = (event: Event) => {
    event.preventDefault();
    act().then(setSaid, (error: unknown) => setSaid(error instanceof Error ? error.message : String(error)));
  };
  return (
    <Menu.Item className={joined(itemLook, "max-w-72")} disabled={said !== null} onSelect={select}>
      <span aria-live="polite">{said ?? title}</span>
    </Menu.Item>
  );
}

function LinkItem({ title, to, search }: Extract<RowEntry, { to: unknown }>) {
  return (
    <Menu.Item asChild className={itemLook}>
      <Link to={to} search={search as never}>
        {title}
      </Link>
    </Menu.Item>
  );
}

function OpenMenu({ id, open, entries }: RowMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const trigger = useRef<HTMLButtonElement>(null);
  useRowMenuEvent(trigger, setOpen);
  return (
    <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Menu.Trigger ref={trigger} aria-label={texts.common.rowActions} {...look}>
        <Ellipsis size={14} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          align="end"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.closest<HTMLElement>("[data-row]")?.focus();
          }}
          className="z-40 rounded-md border border-line bg-panel p-1 shadow-lg"
        >
          {open === undefined ? null : (
            <Menu.Item className={itemLook} onSelect={open}>
              {texts.common.open}
            </Menu.Item>
          )}
          <Menu.Item className={itemLook} onSelect={() => void copyText(id)}>
            {texts.common.copyId}
          </Menu.Item>
          {entries().map((entry) =>
            "act" in entry ? <ActItem key={entry.title} {...entry} /> : <LinkItem key={entry.title} {...entry} />,
          )}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
