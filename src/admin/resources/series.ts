// Series: metrics over time for charts, from roll-ups. And facets: the values that filters can have.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { LedgerReader } from "../../gateway/ledger/reader.ts";
import { type RollUpDimension, rollUpDimensions } from "../../gateway/ledger/roll-ups.ts";
import {
  type Series,
  type SeriesGroup,
  type SeriesMetric,
  type SeriesValue,
  seriesMetrics,
} from "../../gateway/ledger/series.ts";
import type { JsonObject } from "../../lib/json.ts";
import { closed, dollars, givenTime, integer, isoTime, nullable, shortText, text, time } from "../fields.ts";
import { requireRole } from "../permissions.ts";
import { msOf } from "../query.ts";
import { type AdminContext, list, type Resource } from "../resource.ts";

const memberOfMetric = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Metrics by the names that clients use. */
const metrics = new Map(Object.keys(seriesMetrics).map((name) => [memberOfMetric(name), name as SeriesMetric]));
const metricNames = [...metrics.keys()];
const dimensions = Object.keys(rollUpDimensions) as RollUpDimension[];
/** What only readers of costs see. */
const costMetrics: readonly string[] = ["cost", "possible_tokens"];

const memberOf = (name: RollUpDimension): string => (name === "project" || name === "key" ? `${name}_id` : name);

const filters = Type.Object(
  {
    metric: Type.Optional(
      Type.Array(Type.Enum(metricNames), {
        maxItems: 8,
        uniqueItems: true,
        description: "Metrics, with commas between them. The first orders the groups. Default `requests`.",
      }),
    ),
    since: Type.Optional(givenTime("From this time on. Default: a day before `until`.")),
    until: Type.Optional(givenTime("Before this time. Default: now.")),
    step_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 2_592_000,
        description: "At least so long is a step; it is longer where there would be more than 200 points.",
      }),
    ),
    points: Type.Optional(
      Type.Boolean({
        description: "False: only totals, which are read faster. `values` are empty then. Default true.",
      }),
    ),
    group_by: Type.Optional(Type.Enum(dimensions, { type: "string", description: "One series for each value." })),
    top: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: "Values with a series of their own. Default 5." }),
    ),
    ...Object.fromEntries(
      dimensions.map((name) => [
        memberOf(name),
        Type.Optional(shortText(`Only this ${name}. With \`2xx\` as a status.`)),
      ]),
    ),
  },
  closed,
);

const values = "Counts are numbers, amounts of money are decimal strings in US dollars; null where there is none.";

const value = Type.Union([Type.Number(), Type.String(), Type.Null()]);

const object = Type.Object({
  object: Type.Literal("series"),
  group: nullable(text("The value of `group_by`; null for all requests, and for the others together.")),
  other: Type.Boolean({ description: "Whether it is the sum of the values that have no series of their own." }),
  start: time("Start of the first step."),
  step_seconds: integer("Length of a step."),
  values: Type.Record(Type.String(), Type.Array(value), {
    description: `By metric, one value for each step. ${values}`,
  }),
  total: Type.Record(Type.String(), value, {
    description: "By metric, over all steps: percentiles are of all requests, not of steps.",
  }),
});

const isMoney = (name: string): boolean => name === "cost" || name === "price";

const shown = (name: string, value: SeriesValue | undefined): number | string | null =>
  typeof value === "bigint" ? dollars(value) : isMoney(name) ? null : (value ?? null);

function written({ startMs, stepMs }: Series, { value, isOther, points, totals }: SeriesGroup): JsonObject {
  return {
    object: "series",
    ...{ group: value, other: isOther, start: isoTime(startMs), step_seconds: stepMs / 1000 },
    values: Object.fromEntries(
      Object.entries(points).map(([name, all]) => [memberOfMetric(name), all.map((each) => shown(name, each))]),
    ),
    total: Object.fromEntries(Object.entries(totals).map(([name, each]) => [memberOfMetric(name), shown(name, each)])),
  };
}

const invalid = (param: string, message: string): GatewayError => new GatewayError("invalid_value", message, { param });

const dayMs = 86_400_000;
const longestMs = 200 * 30 * dayMs;

function rangeOf(since: string | undefined, until: string | undefined, nowMs: number) {
  const untilMs = msOf("until", until) ?? nowMs;
  const sinceMs = msOf("since", since) ?? untilMs - dayMs;
  if (sinceMs >= untilMs) throw invalid("until", "Invalid 'until': it must be after 'since'.");
  if (untilMs - sinceMs > longestMs) throw invalid("since", "Invalid 'since': the range is longer than 16 years.");
  return { sinceMs, untilMs };
}

type Given = Readonly<Record<string, unknown>>;

function filterOf(given: Given, groupBy: RollUpDimension | undefined) {
  const named = dimensions.filter((name) => given[memberOf(name)] !== undefined);
  const most = groupBy === undefined ? 2 : 1;
  const extra = named.find((name, index) => index >= most || name === groupBy);
  if (extra !== undefined)
    throw invalid(
      memberOf(extra),
      `Invalid '${memberOf(extra)}': use one filter of another dimension with 'group_by', or two without it.`,
    );
  return Object.fromEntries(named.map((name) => [name, String(given[memberOf(name)])]));
}

function queryOf({ nowMs, principal }: AdminContext, given: Given) {
  const names = (given.metric as string[] | undefined) ?? ["requests"];
  if (names.some((name) => costMetrics.includes(name))) requireRole(principal, "costs:read");
  const groupBy = given.group_by as RollUpDimension | undefined;
  return {
    ...{
      metrics: names.flatMap((name) => metrics.get(name) ?? []),
      nowMs,
      top: (given.top as number | undefined) ?? 5,
      filter: filterOf(given, groupBy),
      isTotalOnly: given.points === false,
    },
    ...rangeOf(given.since as string | undefined, given.until as string | undefined, nowMs),
    ...(given.step_seconds === undefined ? {} : { stepMs: Number(given.step_seconds) * 1000 }),
    ...(groupBy === undefined ? {} : { groupBy }),
  };
}

export function series(reader: () => Pick<LedgerReader, "series">): Resource {
  return {
    ...{ name: "series", title: "series", object },
    list: list(filters, [""], async (context, { filters: given }) => {
      const found = await reader().series(queryOf(context, given));
      return { data: found.groups.map((group) => written(found, group)), next: null };
    }),
  };
}

const facetFilters = Type.Object(
  {
    dimension: Type.Enum(dimensions, { type: "string", description: "Of which dimension." }),
    since: Type.Optional(givenTime("Only values of requests since the beginning of this day. Default: 30 days ago.")),
  },
  closed,
);

const facet = Type.Object({
  object: Type.Literal("facet"),
  value: text("The value, as filters have it."),
  requests: integer("Requests with it."),
});

export function facets(reader: () => Pick<LedgerReader, "facets">): Resource {
  return {
    ...{ name: "facets", title: "facet", object: facet },
    list: list(facetFilters, [""], async ({ nowMs }, { filters: { dimension, since }, limit }) => {
      const sinceMs = msOf("since", since) ?? nowMs - 30 * dayMs;
      const found = await reader().facets({ dimension: dimension as RollUpDimension, sinceMs, limit });
      return { data: found.map((each) => ({ object: "facet", ...each })), next: null };
    }),
  };
}
