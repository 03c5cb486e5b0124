// Search results: operations of the API and sections of the guides that have every word.

import groups from "guides:list";
import sections, { type GuideSection } from "guides:search";
import { Link, useRouterState } from "@tanstack/react-router";
import { fill } from "../texts.ts";
import { Heading } from "../ui/basics.tsx";
import { useReader } from "./reader.ts";
import { OperationLink } from "./reference.tsx";
import { fieldsOf, type Row, rowsOf, type Spec } from "./spec.ts";
import { texts } from "./texts.ts";

const maxShown = 30;

/** How well a text matches: null where a word is missing, otherwise the number of words that are in its title. */
export function scoreOf(words: readonly string[], title: string, text: string): number | null {
  const [low, all] = [title.toLowerCase(), `${title} ${text}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return null;
  return words.filter((word) => low.includes(word)).length;
}

function best<Item>(items: readonly Item[], score: (item: Item) => number | null): readonly Item[] {
  return items
    .flatMap((item) => {
      const points = score(item);
      return points === null ? [] : [{ item, points }];
    })
    .sort((a, b) => b.points - a.points)
    .map(({ item }) => item);
}

const fieldNames = new WeakMap<Row, string>();

function textOf(spec: Spec, row: Row): string {
  const known = fieldNames.get(row);
  if (known !== undefined) return known;
  const contents = Object.values(row.operation.requestBody?.content ?? {});
  const names = contents.flatMap(({ schema }) => fieldsOf(spec, schema).map(({ name }) => name)).join(" ");
  fieldNames.set(row, names);
  return names;
}

const rows = new WeakMap<Spec, readonly Row[]>();

function rowsIn(spec: Spec): readonly Row[] {
  const found = rows.get(spec) ?? rowsOf(spec);
  rows.set(spec, found);
  return found;
}

const titles = new Map(groups.flatMap(({ guides }) => guides.map(({ name, title }) => [name, title] as const)));

function SectionLink({ guide, id, title }: GuideSection) {
  return (
    <li>
      <Link
        to={"/guides/$guide" as string}
        params={{ guide } as never}
        hash={id}
        className="flex min-h-9 flex-wrap items-center gap-x-2 rounded-md px-2 py-1 hover:bg-sunken"
      >
        <span className="text-muted">{titles.get(guide)}</span>
        {title}
      </Link>
    </li>
  );
}

function Cut({ count }: { readonly count: number }) {
  if (count <= maxShown) return null;
  return <p className="px-2 py-2 text-muted">{fill(texts.searchCut, { shown: maxShown, count })}</p>;
}

export default function SearchPage() {
  const { spec } = useReader();
  const query = useRouterState({ select: (state) => (state.location.search as { q?: unknown }).q });
  const words = String(query ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const operations =
    spec === null || words.length === 0
      ? []
      : best(rowsIn(spec), (row) => scoreOf(words, `${row.path} ${row.operation.summary}`, textOf(spec, row)));
  const found =
    words.length === 0
      ? []
      : best(sections, ({ title, guide, words: text }) => scoreOf(words, `${title} ${titles.get(guide)}`, text));
  return (
    <div className="max-w-4xl">
      <Heading title={texts.searchTitle} />
      {spec === null ? <p className="mb-2 text-muted">{texts.searchNoApi}</p> : null}
      {operations.length + found.length === 0 ? <p role="status">{texts.searchEmpty}</p> : null}
      {found.length === 0 ? null : (
        <section aria-label={texts.guides}>
          <h2 className="mb-1 font-semibold">{texts.guides}</h2>
          <ul>
            {found.slice(0, maxShown).map((section) => (
              <SectionLink key={`${section.guide}#${section.id}`} {...section} />
            ))}
          </ul>
          <Cut count={found.length} />
        </section>
      )}
      {operations.length === 0 ? null : (
        <section aria-label={texts.reference} className="mt-4">
          <h2 className="mb-1 font-semibold">{texts.reference}</h2>
          <ul>
            {operations.slice(0, maxShown).map((row) => (
              <OperationLink key={row.operation.operationId} {...row} />
            ))}
          </ul>
          <Cut count={operations.length} />
        </section>
      )}
    </div>
  );
}
