// The frame of every page: the rail with the places, the top bar, and the keyboard.
import { Link, Outlet, useBlocker, useNavigate, useRouterState } from "@tanstack/react-router";
import { Search as SearchIcon } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useProjects } from "../data/queries.ts";
import { rangeOf, type Search, shared, useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { joined } from "../ui/basics.tsx";
import { refusesToLeave } from "../ui/form.tsx";
import { places } from "./places.ts";

const Palette = lazy(() => import("./palette.tsx"));
const Help = lazy(() => import("./help.tsx"));

function Rail() {
  const [search] = useSearch();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isHere = (to: string) => (to === "/" ? path === "/" || path === "" : path.startsWith(to));
  return (
    <nav
      aria-label={texts.shell.navigation}
      className="order-last flex shrink-0 border-line bg-panel max-sm:overflow-x-auto max-sm:border-t sm:order-first sm:w-48 sm:flex-col sm:border-r sm:p-2"
    >
      <p className="px-2 py-2 font-semibold max-sm:hidden">{texts.product}</p>
      {places.map(({ to, title, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          search={shared(search) as never}
          aria-label={title}
          aria-current={isHere(to) ? "page" : undefined}
          className={joined(
            "flex min-h-8 items-center gap-2 rounded-md px-2 max-sm:min-h-12 max-sm:flex-1 max-sm:justify-center",
            isHere(to) ? "bg-sunken font-medium" : "text-muted hover:bg-sunken",
          )}
        >
          <Icon size={16} aria-hidden className="shrink-0" />
          <span className="truncate max-sm:sr-only">{title}</span>
        </Link>
      ))}
    </nav>
  );
}

function TopBar({ openPalette }: { readonly openPalette: () => void }) {
  const [search, change] = useSearch();
  const { data: projects = [] } = useProjects();
  const isLive = search["live"] === "1";
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-line border-b px-3 max-sm:gap-1 max-sm:px-2">
      <select
        aria-label={texts.shell.project}
        className="control max-w-40 min-w-0 max-sm:flex-1"
        value={search["project"] ?? ""}
        onChange={(event) => change({ project: event.target.value || undefined })}
      >
        <option value="">{texts.shell.allProjects}</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.shell.range}
        className="control"
        value={rangeOf(search).name}
        onChange={(event) => change({ range: event.target.value })}
      >
        {Object.entries(texts.ranges).map(([range, title]) => (
          <option key={range} value={range}>
            {title}
          </option>
        ))}
      </select>
      <button
        type="button"
        role="switch"
        aria-checked={isLive}
        className="flex min-h-8 items-center gap-1.5 rounded-md px-2 hover:bg-sunken"
        onClick={() => change({ live: isLive ? undefined : "1" })}
      >
        <span
          className={joined("size-2 rounded-full border border-current", isLive ? "bg-ok text-ok" : "text-muted")}
        />
        {texts.shell.live}
      </button>
      <button
        type="button"
        className="ml-auto flex min-h-8 items-center gap-2 rounded-md border border-line px-2 text-muted hover:bg-sunken"
        onClick={openPalette}
      >
        <SearchIcon size={14} aria-hidden />
        <span className="sr-only">{texts.shell.search}</span>
        <kbd className="font-mono text-[11px] max-sm:hidden">⌘K</kbd>
      </button>
    </header>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function firstRow(): void {
  document.querySelector<HTMLElement>("main [data-row], main tbody tr")?.focus();
}

/** `g` and a letter go to a place; `/` filters; `j` enters the list. */
function useShortcuts(openPalette: () => void, openHelp: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let previous = "";
    const listen = (event: KeyboardEvent): void => {
      const { key, metaKey, ctrlKey, altKey, target } = event;
      if ((metaKey || ctrlKey) && key === "k") {
        event.preventDefault();
        openPalette();
      }
      if (metaKey || ctrlKey || altKey || isTyping(target) || document.querySelector("[role=dialog]") !== null) return;
      const place = previous === "g" ? places.find(({ letter }) => letter === key) : undefined;
      previous = key;
      if (place !== undefined) void navigate({ to: place.to, search: ((before: Search) => shared(before)) as never });
      else if (key === "?") openHelp();
      else if (key === "j" && document.activeElement === document.body) firstRow();
      else if (key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("main [data-filter] input, main input[type=search]")?.focus();
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [navigate, openPalette, openHelp]);
}

/** Asks before another page is opened, or the history goes back, while a form has unsaved changes. */
function useUnsavedQuestion(): void {
  useBlocker({
    enableBeforeUnload: false,
    // A drawer asks by itself before it changes the address of the same page.
    shouldBlockFn: ({ action, current, next }) =>
      (current.pathname !== next.pathname || !/^(?:PUSH|REPLACE)$/.test(action)) && refusesToLeave(),
  });
}

export function Shell() {
  const [overlay, setOverlay] = useState<"palette" | "help" | null>(null);
  const [openPalette] = useState(() => () => setOverlay("palette"));
  const [openHelp] = useState(() => () => setOverlay("help"));
  useShortcuts(openPalette, openHelp);
  useUnsavedQuestion();
  const close = () => setOverlay(null);
  return (
    <div className="flex h-full flex-col sm:flex-row">
      <a href="#content" className="sr-only focus:not-sr-only">
        {texts.shell.skip}
      </a>
      <Rail />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <TopBar openPalette={openPalette} />
        <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto p-4 outline-none max-sm:p-3">
          <Outlet />
        </main>
      </div>
      <Suspense fallback={null}>
        {overlay === "palette" ? <Palette close={close} /> : null}
        {overlay === "help" ? <Help close={close} /> : null}
      </Suspense>
    </div>
  );
}
