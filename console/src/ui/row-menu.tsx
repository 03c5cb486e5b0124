// The menu of a row of a table. After it the focus is on the row again.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Search } from "../data/url.ts";
import { texts } from "../texts.ts";
import { copyText } from "./basics.tsx";

const itemLook = "flex min-h-8 w-full items-center rounded px-2 data-highlighted:bg-sunken";

export interface RowLink {
  readonly title: string;
  readonly to: string;
  readonly search: Search;
}

export interface RowMenuProps {
  readonly id: string;
  readonly open: (() => void) | undefined;
  /** Called when it is opened. */
  readonly links: () => readonly RowLink[];
}

const look = { className: "rounded p-1 text-muted hover:bg-sunken", tabIndex: -1, "data-row-menu": true } as const;

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

function OpenMenu({ id, open, links }: RowMenuProps) {
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
          {links().map(({ title, to, search }) => (
            <Menu.Item key={title} asChild className={itemLook}>
              <Link to={to} search={search as never}>
                {title}
              </Link>
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
