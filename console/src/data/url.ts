// State that lives in the URL: time range, project, filters, tabs and the open drawer.
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = Readonly<Record<string, string | undefined>>;

const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
export type Range = keyof typeof ranges;

export const readSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** What stays when another place is opened. */
export const shared = ({ range, project, live }: Search): Search => ({ range, project, live });

/** The search parameters, and a function that changes some of them. */
export function useSearch(): readonly [Search, (change: Search, isStep?: boolean) => void] {
  const search = useRouterState({ select: (state) => state.location.search }) as unknown as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (given: Search, isStep = false) =>
      void navigate({ to: ".", search: ((before: Search) => ({ ...before, ...given })) as never, replace: !isStep }),
    [navigate],
  );
  return [search, change];
}

/** The beginning of the range, to the minute so that equal queries are asked once. */
export function rangeOf({ range }: Search): { readonly name: Range; readonly since: string; readonly ms: number } {
  const name = range !== undefined && range in ranges ? (range as Range) : "24h";
  const ms = ranges[name];
  return { name, ms, since: new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000).toISOString() };
}
