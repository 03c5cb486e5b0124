// Overview: the figures of the time range, the chart, what needs attention, and sums by model, provider, key or project.

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { windowStart } from "../data/budget.ts";
import { count, money, percent } from "../data/format.ts";
import { useKeyNames, useKeys, useLastFailure, useProviders, useUsage } from "../data/queries.ts";
import type { UsageRow } from "../data/types.ts";
import { rangeOf, type Search, shared, useSearch } from "../data/url.ts";
import { fill, texts } from "../texts.ts";
import { Heading, Mark, Money, Section } from "../ui/basics.tsx";
import { Chart } from "../ui/chart.tsx";
import { Empty, Failure, Loaded, Skeleton } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Attention, noticesOf } from "./overview/attention.tsx";
import { type Figures, figuresOf, pointsOf, tokensOf } from "./overview/figures.ts";

const words = texts.overview;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

function FigureRow({ figures }: { readonly figures: Figures }) {
  const { figures: names } = words;
  const shown: readonly (readonly [string, string, string])[] = [
    [names.requests, count(figures.requests), String(figures.requests)],
    [names.errors, percent(figures.errors, figures.requests), `${figures.errors} of ${figures.requests}`],
    [names.cost, money(figures.cost), `$${figures.cost}`],
    [names.price, money(figures.price), `$${figures.price}`],
    [names.tokens, count(figures.tokens), String(figures.tokens)],
    [names.running, count(figures.running), String(figures.running)],
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {shown
        .filter(([name]) => name !== names.cost || figures.cost !== null)
        .map(([name, value, exact]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-muted">{name}</dt>
            <dd className="font-semibold text-lg" title={exact}>
              {value}
            </dd>
          </div>
        ))}
    </dl>
  );
}

const groups = ["model", "provider", "key", "project"] as const;
type Group = (typeof groups)[number];

const nameOf = (row: UsageRow, group: Group, keys: ReadonlyMap<string, string>): string => {
  if (group === "key") return keys.get(row.key_id ?? "") ?? row.key_id ?? "–";
  return (group === "model" ? row.model : group === "provider" ? row.provider : row.project_id) ?? "–";
};

const marginOf = ({ price, cost }: UsageRow): number => Number(price ?? 0) - Number(cost ?? 0);

function columnsOf(group: Group, keys: ReadonlyMap<string, string>): readonly Column<UsageRow>[] {
  const { columns } = words;
  return [
    {
      id: "name",
      title: columns.name,
      value: (row) => nameOf(row, group, keys),
      cell: (row) => nameOf(row, group, keys),
    },
    {
      id: "requests",
      title: columns.requests,
      isNumber: true,
      value: (row) => row.requests,
      cell: (row) => count(row.requests),
    },
    {
      id: "errors",
      title: columns.errors,
      isNumber: true,
      value: (row) => row.errors / Math.max(1, row.requests),
      cell: (row) => percent(row.errors, row.requests),
    },
    { id: "tokens", title: columns.tokens, isNumber: true, value: tokensOf, cell: (row) => count(tokensOf(row)) },
    {
      id: "price",
      title: columns.price,
      isNumber: true,
      value: (row) => Number(row.price ?? 0),
      cell: (row) => <Money amount={row.price} />,
    },
    {
      id: "cost",
      title: columns.cost,
      isNumber: true,
      value: (row) => Number(row.cost ?? 0),
      cell: (row) => <Money amount={row.cost} />,
    },
    {
      id: "margin",
      title: columns.margin,
      isNumber: true,
      value: marginOf,
      cell: (row) => money(marginOf(row).toFixed(9)),
    },
  ];
}

/** Steps of the first run, ticked by what the gateway has. */
function Checklist({ figures }: { readonly figures: Figures }) {
  const [search] = useSearch();
  const { data: keys = [] } = useKeys();
  const { data: providers = [] } = useProviders();
  const { steps } = words;
  const all: readonly (readonly [string, boolean, string, Search])[] = [
    [steps.provider, providers.some(({ source }) => source !== "built_in"), "/providers", { add: "1" }],
    [steps.key, keys.length > 0, "/keys", {}],
    [steps.request, figures.requests > 0, "/keys", { connect: "1" }],
    [steps.price, figures.requests > 0 && figures.unpriced === 0, "/models", { tab: "prices" }],
  ];
  if (all.every(([, isDone]) => isDone)) return null;
  return (
    <Section title={words.checklist}>
      <ul className="flex flex-col">
        {all.map(([title, isDone, to, own]) => (
          <li key={title} className="flex min-h-8 items-center gap-2">
            <Mark tone={isDone ? "ok" : "neutral"}>{isDone ? "done" : "to do"}</Mark>
            <Link
              to={to}
              search={{ ...shared(search), ...own } as never}
              className="underline decoration-line underline-offset-2 hover:decoration-current"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function useNotices(since: string, project: string | undefined) {
  const month = new Date(windowStart("month")).toISOString();
  const { data: keys = [] } = useKeys();
  const { data: monthUsage = [] } = useUsage({ group_by: "key", bucket: "day", since: month });
  const { data: byProvider = [] } = useUsage({ group_by: "provider", since, project_id: project });
  const { data: byModel = [] } = useUsage({ group_by: "model", since, project_id: project });
  const { data: failure = null } = useLastFailure(since, project);
  return noticesOf({ keys, monthUsage, byProvider, byModel, failure });
}

function Groups({ since, project }: { readonly since: string; readonly project: string | undefined }) {
  const [search, change] = useSearch();
  const group = groups.find((name) => name === search["by"]) ?? "model";
  const names = useKeyNames();
  const query = useUsage({ group_by: group, since, project_id: project }, search["live"]);
  const select = (
    <select
      aria-label={words.group}
      className="control"
      value={group}
      onChange={(event) => change({ by: event.target.value })}
    >
      {groups.map((name) => (
        <option key={name} value={name}>
          {words.groups[name]}
        </option>
      ))}
    </select>
  );
  return (
    <Section title={words.groups[group]} aside={select}>
      <Loaded query={query} isEmpty={(rows) => rows.length === 0} empty={<Empty>{words.empty}</Empty>}>
        {(rows) => (
          <Table
            name="overview"
            label={words.groups[group]}
            columns={columnsOf(group, names)}
            rows={rows}
            idOf={(row) => row.key_id ?? row.model ?? row.provider ?? row.project_id ?? "none"}
          />
        )}
      </Loaded>
    </Section>
  );
}

const series = [
  { name: words.figures.requests, color: "--accent" },
  { name: words.figures.errors, color: "--failing" },
];

export default function Overview() {
  const [search] = useSearch();
  const { since, ms } = rangeOf(search);
  const project = search["project"];
  const isLong = ms > 7 * dayMs;
  const query = useUsage({ bucket: isLong ? "day" : "hour", since, project_id: project }, search["live"]);
  const notices = useNotices(since, project);
  const { data } = query;
  const points = useMemo(() => pointsOf(data ?? [], Date.parse(since), isLong ? dayMs : hourMs), [data, since, isLong]);
  if (query.error !== null && data === undefined)
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  const figures = figuresOf(data);
  const most = Math.max(0, ...points.map(({ values }) => values[0] ?? 0));
  const sentence = fill(words.chartSentence, {
    requests: count(figures.requests),
    errors: count(figures.errors),
    most: count(most),
  });
  return (
    <>
      <Heading title={words.title} />
      <FigureRow figures={figures} />
      <Checklist figures={figures} />
      <Attention notices={notices} />
      <Chart title={words.chart} sentence={sentence} series={series} points={points} />
      <Groups since={since} project={project} />
    </>
  );
}
