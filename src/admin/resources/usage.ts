// Usage: sums of the ledger, grouped by time and by attributes of requests.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { LedgerReader } from "../../gateway/ledger/reader.ts";
import type { UsageDimension, UsageReportRow } from "../../gateway/ledger/usage-report.ts";
import type { JsonObject } from "../../lib/json.ts";
import { amountMembers, writeAmounts } from "../amounts.ts";
import { closed, dollars, givenTime, integer, isoTime, money, nullable, shortText, text, time } from "../fields.ts";
import { msOf } from "../query.ts";
import { list, type Resource } from "../resource.ts";

/** The possible groups, and the member of each. */
const groups = {
  organization: { dimension: "organization", member: "organization_id" },
  project: { dimension: "project", member: "project_id" },
  key: { dimension: "key", member: "key_id" },
  end_user: { dimension: "endUser", member: "end_user" },
  model: { dimension: "model", member: "model" },
  provider: { dimension: "provider", member: "provider" },
  operation: { dimension: "operation", member: "operation" },
} as const satisfies Record<string, { readonly dimension: UsageDimension; readonly member: string }>;

type GroupName = keyof typeof groups;
const groupNames = Object.keys(groups) as GroupName[];

const bucket = Type.Enum(["hour", "day", "month"], { type: "string", description: "Time buckets, in UTC." });

const exact = Object.fromEntries(
  groupNames.map((name) => [groups[name].member, Type.Optional(shortText(`Only this ${name.replace("_", " ")}.`))]),
);

const filters = Type.Object(
  {
    since: Type.Optional(givenTime("From the beginning of this hour on.")),
    until: Type.Optional(givenTime("Before the beginning of this hour.")),
    bucket: Type.Optional(bucket),
    group_by: Type.Optional(
      Type.Array(Type.Enum([...groupNames]), {
        maxItems: groupNames.length,
        uniqueItems: true,
        description: "Groups.",
      }),
    ),
    ...exact,
  },
  closed,
);

const object = Type.Object({
  object: Type.Literal("usage"),
  start: nullable(time("Start of the time bucket; null without `bucket`.")),
  ...Object.fromEntries(
    groupNames.map((name) => [groups[name].member, nullable(text("Null where it is not grouped by."))]),
  ),
  requests: integer("Requests."),
  errors: integer("Of these, not completed and not in progress."),
  in_progress: integer("Of these, in progress."),
  ...amountMembers,
  price: money("What callers pay."),
  cost: money("What providers charge."),
  unpriced: integer("Requests with tokens or units and without a cost."),
  possible_tokens: integer("Input tokens of failed attempts that providers may charge, and no caller pays."),
});

const monthOf = (row: UsageReportRow): UsageReportRow => ({
  ...row,
  group: { ...row.group, day: `${row.group.day?.slice(0, 7)}-01` },
});

const sum = (one: unknown, other: unknown): unknown => {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (typeof one === "bigint" && typeof other === "bigint") return one + other;
  return one ?? other;
};

/** Combines rows of the same group, such as the days of a month. */
function merged(rows: readonly UsageReportRow[]): UsageReportRow[] {
  const found = new Map<string, UsageReportRow>();
  for (const row of rows) {
    const name = JSON.stringify(row.group);
    const before = found.get(name);
    if (before === undefined) found.set(name, row);
    else {
      const { group, ...sums } = row;
      const added = Object.entries(sums).map(([key, value]) => [key, sum(before[key as keyof typeof sums], value)]);
      found.set(name, { group, ...Object.fromEntries(added) } as UsageReportRow);
    }
  }
  return [...found.values()];
}

function startOf({ hour, day }: UsageReportRow["group"]): string | null {
  if (hour !== undefined) return isoTime(Date.parse(`${hour}:00:00Z`));
  return day === undefined ? null : isoTime(Date.parse(`${day}T00:00:00Z`));
}

function written(row: UsageReportRow): JsonObject {
  const shown = groupNames.map((name) => [groups[name].member, row.group[groups[name].dimension] || null]);
  return {
    object: "usage",
    start: startOf(row.group),
    ...Object.fromEntries(shown),
    requests: row.requests,
    errors: row.errors,
    in_progress: row.open,
    ...writeAmounts(row),
    price: dollars(row.priceNanoDollars),
    cost: dollars(row.costNanoDollars),
    unpriced: row.unpriced,
    possible_tokens: row.possibleTokens,
  };
}

function rangeOf(since: string | undefined, until: string | undefined) {
  const [sinceMs, untilMs] = [msOf("since", since), msOf("until", until)];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs)
    throw new GatewayError("invalid_value", "Invalid 'until': it must be after 'since'.", { param: "until" });
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }) };
}

/** The newest time first; groups of one time by name. */
const placeOf = ({ group }: UsageReportRow): string => {
  const start = group.hour ?? group.day ?? "";
  const names = groupNames.map((name) => group[groups[name].dimension] ?? "");
  return JSON.stringify([start, names]);
};

function isBefore(one: UsageReportRow, other: UsageReportRow): number {
  const [mine, its] = [startOf(one.group) ?? "", startOf(other.group) ?? ""];
  if (mine !== its) return mine > its ? -1 : 1;
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

export function usage(reader: () => Pick<LedgerReader, "usage">): Resource {
  return {
    ...{ name: "usage", title: "usage", object },
    list: list(filters, [""], async (_context, { filters: wanted, limit, after }) => {
      const { since, until, bucket: by, group_by: names = [], ...values } = wanted;
      const dimensions = (names as GroupName[]).map((name) => groups[name].dimension);
      const time: UsageDimension[] = by === undefined ? [] : [by === "hour" ? "hour" : "day"];
      const given = values as Record<string, string | undefined>;
      const filter = groupNames.flatMap((name) => {
        const value = given[groups[name].member];
        return value === undefined ? [] : [[groups[name].dimension, value]];
      });
      const query = { ...rangeOf(since, until), groupBy: [...time, ...dimensions], filter: Object.fromEntries(filter) };
      const found = await reader().usage(query);
      const rows = (by === "month" ? merged(found.map(monthOf)) : [...found]).sort(isBefore);
      const begin = after === null ? 0 : rows.findIndex((row) => placeOf(row) === after[0]) + 1;
      const shown = rows.slice(begin, begin + limit);
      const last = shown.at(-1);
      const hasMore = rows.length > begin + limit && last !== undefined;
      return { data: shown.map(written), next: hasMore ? [placeOf(last)] : null };
    }),
  };
}
