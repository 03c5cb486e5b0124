// The menu of a row of a table. After it the focus is on the row again.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useRef } from "react";
import type { Search } from "../data/url.ts";
import { texts } from "../texts.ts";
import { copyText } from "./basics.tsx";

const itemLook = "flex min-h-8 w-full items-center rounded px-2 data-highlighted:bg-sunken";

export interface RowMenuProps {
  readonly id: string;
  readonly open: (() => void) | undefined;
  readonly links: readonly { readonly title: string; readonly to: string; readonly search: Search }[];
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

export function RowMenu({ id, open, links, isOpen, setOpen }: RowMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Menu.Trigger
        ref={trigger}
        aria-label={texts.common.rowActions}
        tabIndex={-1}
        data-row-menu
        className="rounded p-1 text-muted hover:bg-sunken"
      >
        <Ellipsis size={14} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          align="end"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.closest("tr")?.focus();
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
          {links.map(({ title, to, search }) => (
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
