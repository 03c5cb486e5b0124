// The table of the overview: a row for each model, provider, key or project, with its trend.
import { count, duration, percent } from "../../data/format.ts";
import { useKeyNames, useSeries } from "../../data/queries.ts";
import type { SeriesRow } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Money, Section } from "../../ui/basics.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Trend } from "../../ui/trend.tsx";
import { cacheHit, marginOf, numberOf, textOf } from "./figures.ts";

const words = texts.overview;

export const groups = ["model", "provider", "key", "project"] as const;
export type Group = (typeof groups)[number];

const sums = [
  "requests",
  "errors",
  "tokens",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "price",
  "cost",
];
const times = ["requests", "duration_p50_ms", "duration_p99_ms"];
const top = 20;

/** Filters of series: a group cannot be filtered by itself. */
export const filtersOf = (since: string, project: string | undefined, group?: Group) => ({
  since,
  project_id: group === "project" ? undefined : project,
  group_by: group,
});

export const nameOf = ({ group, other }: SeriesRow, names: ReadonlyMap<string, string>): string =>
  other ? words.others : (names.get(group ?? "") ?? (group || "–"));

interface Row extends SeriesRow {
  readonly times: SeriesRow["total"];
}

const timeColumn = (id: "p50" | "p99"): Column<Row> => ({
  ...{ id, title: words.columns[id], isNumber: true },
  value: ({ times: total }) => Number(total[`duration_${id}_ms`] ?? 0),
  cell: ({ times: total }) => duration(total[`duration_${id}_ms`] as number | null),
});

const countColumn = (id: "requests" | "tokens"): Column<Row> => ({
  ...{ id, title: words.columns[id], isNumber: true },
  value: (row) => numberOf(row, id),
  cell: (row) => count(numberOf(row, id)),
});

const moneyColumn = (id: "price" | "cost" | "margin"): Column<Row> => {
  const amount = (row: Row) => (id === "margin" ? marginOf(row) : textOf(row, id));
  return {
    ...{ id, title: words.columns[id], isNumber: true },
    value: (row) => Number(amount(row) ?? 0),
    cell: (row) => <Money amount={amount(row)} />,
  };
};

const columnsOf = (names: ReadonlyMap<string, string>, hasCost: boolean): readonly Column<Row>[] => [
  { id: "name", title: words.columns.name, value: (row) => nameOf(row, names), cell: (row) => nameOf(row, names) },
  { id: "trend", title: words.columns.trend, cell: ({ values }) => <Trend values={values["requests"] ?? []} /> },
  countColumn("requests"),
  {
    ...{ id: "errors", title: words.columns.errors, isNumber: true },
    value: (row) => numberOf(row, "errors") / Math.max(1, numberOf(row, "requests")),
    cell: (row) => percent(numberOf(row, "errors"), numberOf(row, "requests")),
  },
  timeColumn("p50"),
  timeColumn("p99"),
  {
    ...{ id: "cache", title: words.columns.cache, isNumber: true },
    value: (row) => cacheHit(row)[0] / Math.max(1, cacheHit(row)[1]),
    cell: (row) => percent(...cacheHit(row)),
  },
  countColumn("tokens"),
  moneyColumn("price"),
  ...(hasCost ? [moneyColumn("cost"), moneyColumn("margin")] : []),
];

const idOf = ({ group, other }: SeriesRow): string => (other ? "others" : (group ?? ""));

export function Groups({ since, project }: { readonly since: string; readonly project: string | undefined }) {
  const [search, change] = useSearch();
  const group = groups.find((name) => name === search["by"]) ?? "model";
  const names = useKeyNames();
  const filters = { ...filtersOf(since, project, group), top };
  const query = useSeries(sums, filters, search["live"]);
  const { data: slow = [] } = useSeries(times, { ...filters, points: "false" }, search["live"]);
  const timesOf = new Map(slow.map((row) => [idOf(row), row.total]));
  const select = (
    <select
      aria-label={words.group}
      className="control"
      value={group}
      onChange={(event) => change({ by: event.target.value })}
    >
      {groups.map((name) => (
        <option key={name} value={name}>
          {words.groupTitles[name]}
        </option>
      ))}
    </select>
  );
  return (
    <Section title={words.groupTitles[group]} aside={select}>
      <Loaded query={query} isEmpty={(rows) => rows.length === 0} empty={<Empty>{words.empty}</Empty>}>
        {(rows) => (
          <Table
            name="overview"
            label={words.groupTitles[group]}
            columns={columnsOf(names, rows[0]?.total["cost"] !== undefined)}
            rows={rows.map((row) => ({ ...row, times: timesOf.get(idOf(row)) ?? {} }))}
            idOf={idOf}
          />
        )}
      </Loaded>
    </Section>
  );
}
