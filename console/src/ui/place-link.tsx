// A link to another place, which keeps the time range, the project and whether the page follows.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Search, shared, useSearch } from "../data/url.ts";

interface PlaceLinkProps {
  readonly to: string;
  readonly search: Search;
  readonly children: ReactNode;
}

export function PlaceLink({ to, search: given, children }: PlaceLinkProps) {
  const [search] = useSearch();
  return (
    <Link to={to} search={{ ...shared(search), ...given } as never} className="text-accent underline">
      {children}
    </Link>
  );
}
