// The frame of every page of the documentation: search, the list of guides and of groups of the API.

import groups from "guides:list";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Menu } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, joined } from "../ui/basics.tsx";
import { useReader } from "./reader.ts";
import { texts } from "./texts.ts";

const look = (isHere: boolean): string =>
  joined("flex min-h-8 items-center rounded-md px-2", isHere ? "bg-sunken font-medium" : "text-muted hover:bg-sunken");

function SearchField() {
  const navigate = useNavigate();
  const query = useRouterState({ select: (state) => (state.location.search as { q?: unknown }).q });
  const value = query === undefined ? "" : String(query);
  return (
    <input
      type="search"
      aria-label={texts.search}
      placeholder={texts.searchHint}
      className="control w-full"
      value={value}
      onChange={({ target }) =>
        void navigate({ to: "/search", search: { q: target.value } as never, replace: value !== "" })
      }
    />
  );
}

function Groups() {
  const { spec, forget, key } = useReader();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const hash = useRouterState({ select: (state) => state.location.hash });
  return (
    <>
      <Link to="/" className={look(path === "/" && hash === "")}>
        {texts.reference}
      </Link>
      {spec?.tags.map(({ name }) => (
        <Link key={name} to="/" hash={name} className={joined(look(path === "/" && hash === name), "pl-5")}>
          {name}
        </Link>
      ))}
      {groups.map(({ title, guides }) => (
        <section key={title} aria-label={title} className="contents">
          <p className="mt-3 px-2 font-medium text-[12px] text-muted">{title}</p>
          {guides.map((guide) => (
            <Link
              key={guide.name}
              to={"/guides/$guide" as string}
              params={{ guide: guide.name } as never}
              className={look(path === `/guides/${guide.name}`)}
            >
              {guide.title}
            </Link>
          ))}
        </section>
      ))}
      {key === "" ? null : (
        <Button look="plain" className="mt-4" onClick={forget}>
          {texts.forgetKey}
        </Button>
      )}
    </>
  );
}

/** `/` goes to the search field. */
function useSlash(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== "/" || isTyping || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      document.querySelector<HTMLElement>("input[type=search]")?.focus();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

export function Frame() {
  const [isOpen, setOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const place = useRouterState({ select: (state) => state.location.pathname + state.location.hash });
  const path = useRouterState({ select: (state) => state.location.pathname });
  useSlash();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place closes the menu
  useEffect(() => setOpen(false), [place]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top
  useEffect(() => void content.current?.scrollTo(0, 0), [path]);
  return (
    <div className="flex h-full flex-col sm:flex-row">
      <a href="#content" className="sr-only focus:not-sr-only">
        {texts.skip}
      </a>
      <div className="flex shrink-0 flex-col border-line bg-panel max-sm:max-h-full max-sm:border-b sm:w-60 sm:border-r">
        <div className="flex shrink-0 items-center gap-2 p-2 sm:flex-col sm:items-stretch">
          <p className="px-2 py-1 font-semibold max-sm:sr-only">{texts.title}</p>
          <SearchField />
          <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Menu size={16} aria-hidden />
            {texts.menu}
          </Button>
        </div>
        <nav
          aria-label={texts.navigation}
          className={joined(
            "min-h-0 flex-col overflow-y-auto p-2 sm:flex sm:flex-1",
            isOpen ? "flex" : "max-sm:hidden",
          )}
        >
          <Groups />
        </nav>
      </div>
      <main
        ref={content}
        id="content"
        tabIndex={-1}
        className="min-h-0 min-w-0 flex-1 overflow-y-auto p-4 outline-none"
      >
        <Outlet />
      </main>
    </div>
  );
}
