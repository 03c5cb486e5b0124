// Overview: the figures of the time range, what needs attention, a chart, and sums by model, provider, key or project.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Page } from "../data/api.ts";
import { count, duration, exactMoney, money, percent } from "../data/format.ts";
import { liveInterval, useKeyNames, useSeries } from "../data/queries.ts";
import type { RequestRow, SeriesRow } from "../data/types.ts";
import { rangeOf, shared, useSearch } from "../data/url.ts";
import { fill, texts } from "../texts.ts";
import { Heading } from "../ui/basics.tsx";
import { Chart } from "../ui/chart.tsx";
import { Failure, Skeleton } from "../ui/states.tsx";
import { Attention } from "./overview/attention.tsx";
import { Checklist } from "./overview/checklist.tsx";
import { charts, isChart, largest, marginOf, numberOf, pointsOf, textOf } from "./overview/figures.ts";
import { filtersOf, type Group, Groups, groups, nameOf } from "./overview/groups.tsx";

const words = texts.overview;

interface Range {
  readonly since: string;
  readonly project: string | undefined;
}

const runningLimit = 100;

/** Requests in progress, asked more often than what is settled. */
function Running({ project }: Pick<Range, "project">) {
  const [search] = useSearch();
  const filter = project === undefined ? "" : `&project_id=${encodeURIComponent(project)}`;
  const { data } = useQuery({
    queryKey: ["running", project],
    queryFn: () => call<Page<RequestRow>>(`requests?state=open&limit=${runningLimit}${filter}`),
    refetchInterval: liveInterval("1"),
  });
  const number = data === undefined ? "–" : `${data.data.length}${data.has_more ? "+" : ""}`;
  return (
    <Link to="/requests" search={{ ...shared(search), state: "open" } as never} className="hover:underline">
      {number}
    </Link>
  );
}

function FigureRow({ sums, project }: { readonly sums: SeriesRow | undefined } & Pick<Range, "project">) {
  const { figures: names } = words;
  const [requests, errors] = [numberOf(sums, "requests"), numberOf(sums, "errors")];
  const [price, cost, margin] = [textOf(sums, "price"), textOf(sums, "cost"), marginOf(sums)];
  const firstByte = sums?.total["first_byte_p50_ms"] as number | null | undefined;
  const shown: readonly (readonly [string, string, string])[] = [
    [names.requests, count(requests), String(requests)],
    [names.errors, percent(errors, requests), `${errors} of ${requests}`],
    [names.firstByte, duration(firstByte ?? null), names.firstByte],
    [names.tokens, count(numberOf(sums, "tokens")), String(numberOf(sums, "tokens"))],
    [names.price, money(price), exactMoney(price)],
    ...(cost === null ? [] : [[names.cost, money(cost), exactMoney(cost)] as const]),
    ...(margin === null ? [] : [[names.margin, money(margin), exactMoney(margin)] as const]),
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {shown.map(([name, value, exact]) => (
        <div key={name} className="flex flex-col-reverse">
          <dt className="text-muted">{name}</dt>
          <dd className="font-semibold text-lg" title={exact}>
            {value}
          </dd>
        </div>
      ))}
      <div className="flex flex-col-reverse">
        <dt className="text-muted">{names.running}</dt>
        <dd className="font-semibold text-lg">
          <Running project={project} />
        </dd>
      </div>
    </dl>
  );
}

const colors = ["--accent", "--failing", "--ok", "--warning", "--text", "--muted"];
const metricTitles: Readonly<Record<string, string>> = {
  ...{ requests: words.figures.requests, errors: words.figures.errors, tokens: words.figures.tokens },
  ...{ price: words.figures.price, cost: words.figures.cost },
  ...{ duration_p50_ms: words.columns.p50, duration_p99_ms: words.columns.p99 },
};
const chartTop = 5;

interface Option {
  readonly value: string;
  readonly title: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <select aria-label={label} className="control" value={value} onChange={(event) => choose(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.title}
        </option>
      ))}
    </select>
  );
}

/** One metric over time, of all requests or of the largest groups. */
function Trend({ since, project }: Range) {
  const [search, change] = useSearch();
  const names = useKeyNames();
  const name = isChart(search["show"]) ? search["show"] : "requests";
  const group: Group | undefined = groups.find((each) => each === search["split"]);
  const { metrics, format } = charts[name];
  const wanted = group === undefined ? metrics : metrics.slice(0, 1);
  const filters = { ...filtersOf(since, project, group), ...(group === undefined ? {} : { top: chartTop }) };
  const { data, error, refetch } = useSeries(wanted, filters, search["live"]);
  const shown = useMemo(() => {
    const lines = (data ?? []).flatMap((row) =>
      wanted.filter((metric) => row.total[metric] !== undefined).map((metric) => [row, metric] as const),
    );
    const titles = lines.map(([row, metric]) =>
      group === undefined ? (metricTitles[metric] ?? metric) : nameOf(row, names),
    );
    const series = titles.map((title, at) => ({ name: title, color: colors[at % colors.length] ?? "--accent" }));
    return { points: pointsOf(lines), series };
  }, [data, wanted, group, names]);
  const title = fill(group === undefined ? words.chart : words.byGroup, {
    metric: words.metrics[name],
    group: group === undefined ? "" : words.groups[group],
  });
  if (data === undefined)
    return error === null ? <Skeleton rows={5} /> : <Failure error={error} retry={() => void refetch()} />;
  const [sums] = data;
  const isLatency = name === "latency";
  const total = data.reduce((sum, row) => sum + numberOf(row, wanted[0] ?? ""), 0);
  const largestGroup = { name: shown.series[0]?.name ?? "–", total: format(numberOf(sums, wanted[0] ?? "")) };
  const together = isLatency
    ? fill(words.latencySentence, {
        p50: format(numberOf(sums, "duration_p50_ms")),
        p99: format(numberOf(sums, "duration_p99_ms")),
      })
    : fill(words.chartSentence, { total: format(total), most: format(largest(shown.points)) });
  const sentence = group === undefined ? together : fill(words.splitSentence, largestGroup);
  const aside = (
    <>
      <Choice
        label={words.metric}
        value={name}
        options={Object.entries(words.metrics).map(([value, each]) => ({ value, title: each }))}
        choose={(show) => change({ show: show === "requests" ? undefined : show })}
      />
      <Choice
        label={words.split}
        value={group ?? ""}
        options={[
          { value: "", title: words.together },
          ...groups.map((value) => ({ value, title: words.groups[value] })),
        ]}
        choose={(split) => change({ split: split || undefined })}
      />
    </>
  );
  const kind = group === undefined && name === "requests" ? "bars" : "lines";
  return <Chart {...{ title, sentence, kind, format, aside }} series={shown.series} points={shown.points} />;
}

const sumsShown = ["requests", "errors", "tokens", "price", "cost", "first_byte_p50_ms"];

export default function Overview() {
  const [search] = useSearch();
  const { since } = rangeOf(search);
  const project = search["project"];
  const query = useSeries(sumsShown, filtersOf(since, project), search["live"]);
  const { data, error } = query;
  if (data === undefined)
    return error === null ? <Skeleton rows={10} /> : <Failure error={error} retry={() => void query.refetch()} />;
  return (
    <>
      <Heading title={words.title}>
        <Link
          to="/keys"
          search={{ ...shared(search), connect: "1" } as never}
          className="inline-flex min-h-8 items-center rounded-md border border-line px-2.5 hover:bg-sunken"
        >
          {texts.connect.title}
        </Link>
      </Heading>
      <FigureRow sums={data[0]} project={project} />
      <Checklist />
      <Attention since={since} project={project} />
      <Trend since={since} project={project} />
      <Groups since={since} project={project} />
    </>
  );
}
