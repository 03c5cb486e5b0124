// Checks derived data: the index against every row of the ledger, and a provider's invoice against the recorded costs.
import { type Static, Type } from "typebox";
import { tokenBuckets } from "../../canonical/usage.ts";
import { BigIntColumn, IntColumn, rowReader } from "../../store/rows.ts";
import { adjustedRows, isBooked } from "./adjustments.ts";
import { columnOf } from "./columns.ts";
import { readFiles } from "./files.ts";
import { dropUsageIndex } from "./usage-index.ts";
import { readUsageReport, sumAllRows, type UsageReportRow } from "./usage-report.ts";
import { sumNames } from "./usage-sums.ts";

/** A figure that is not the sum of its rows. */
export interface Difference {
  readonly group: UsageReportRow["group"];
  readonly figure: string;
  readonly derived: number | bigint | null;
  readonly rows: number | bigint | null;
}

const comparisonTries = 3;
const comparisons = [
  ["day", "organization", "project", "key", "model", "provider", "operation"],
  ["hour", "key", "model", "provider"],
  ["hour", "endUser", "model"],
] as const;

/** Recomputes every sum from the rows. If one differs, the index is rebuilt. */
export function reconcileIndex(dataFolder: string): Difference[] {
  let differences: Difference[] = [];
  // A gateway that writes meanwhile makes the two differ temporarily: only a lasting difference is a fault.
  for (let tries = 0; tries < comparisonTries; tries++) {
    differences = comparisons.flatMap((groupBy) =>
      compare(readUsageReport(dataFolder, { groupBy }), sumAllRows(dataFolder, { groupBy })),
    );
    if (differences.length === 0) break;
  }
  if (differences.length > 0) dropUsageIndex(dataFolder);
  return differences;
}

function compare(derived: readonly UsageReportRow[], rows: readonly UsageReportRow[]): Difference[] {
  const byGroup = (list: readonly UsageReportRow[]) => new Map(list.map((row) => [JSON.stringify(row.group), row]));
  const [left, right] = [byGroup(derived), byGroup(rows)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const [one, other] = [left.get(name), right.get(name)];
    const group = (one ?? other)?.group ?? {};
    return sumNames.flatMap((figure) => {
      const values = { derived: one?.[figure] ?? null, rows: other?.[figure] ?? null };
      return values.derived === values.rows ? [] : [{ group, figure, ...values }];
    });
  });
}

/** One line of an invoice. */
export interface InvoiceLine {
  /** UTC, as in `2026-01-31`. */
  readonly day: string;
  /** As the provider names it. */
  readonly model: string;
  readonly tokens: number;
  readonly nanoDollars: bigint;
}

/** A difference between an invoice and the ledger; a missing side is 0. */
interface InvoiceDifference {
  readonly day: string;
  readonly model: string;
  readonly invoiced: Pick<InvoiceLine, "tokens" | "nanoDollars">;
  readonly booked: Pick<InvoiceLine, "tokens" | "nanoDollars">;
}

const bookedShape = Type.Object({
  day: Type.String(),
  model: Type.String(),
  tokens: IntColumn,
  nanoDollars: BigIntColumn,
});
const readBooked = rowReader("requests", bookedShape);

/** By day and model. Attempts that failed after they were sent count with what they may have cost. */
const bookedSql = `select strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch') as day, model, sum(tokens) as tokens,
  sum(cost) as "nanoDollars" from (
    select at_ms, upstream_model as model, iif(charged, ${tokenBuckets.map(columnOf).join(" + ")}, 0) as tokens,
      coalesce(cost, 0) as cost from requests where provider = ? and settled_seq is not null
    union all select requests.at_ms, attempts.upstream_model, attempts.possible_input_tokens, coalesce(attempts.cost, 0)
      from attempts join requests on requests.id = attempts.id where attempts.provider = ?
    union all select at_ms, upstream_model, 0, cost_change from ${adjustedRows} where ${isBooked} and provider = ?)
  where model is not null group by 1, 2`;

const nothing = { tokens: 0, nanoDollars: 0n };

/** Only days of the invoice are compared. */
export function reconcileInvoice(
  dataFolder: string,
  provider: string,
  lines: readonly InvoiceLine[],
): InvoiceDifference[] {
  const days = new Set(lines.map(({ day }) => day));
  const invoiced = summed(lines);
  const rows: Static<typeof bookedShape>[] = readFiles(dataFolder, bookedSql, [provider, provider, provider]).flatMap(
    readBooked,
  );
  const booked = summed(rows.filter(({ day }) => days.has(day)));
  return [...new Set([...invoiced.keys(), ...booked.keys()])].sort().flatMap((name) => {
    const [day = "", model = ""] = JSON.parse(name) as string[];
    const sides = { invoiced: invoiced.get(name) ?? nothing, booked: booked.get(name) ?? nothing };
    const { invoiced: one, booked: other } = sides;
    return one.tokens === other.tokens && one.nanoDollars === other.nanoDollars ? [] : [{ day, model, ...sides }];
  });
}

function summed(lines: readonly InvoiceLine[]): Map<string, Pick<InvoiceLine, "tokens" | "nanoDollars">> {
  const sums = new Map<string, Pick<InvoiceLine, "tokens" | "nanoDollars">>();
  for (const { day, model, tokens, nanoDollars } of lines) {
    const name = JSON.stringify([day, model]);
    const before = sums.get(name) ?? nothing;
    sums.set(name, { tokens: before.tokens + tokens, nanoDollars: before.nanoDollars + nanoDollars });
  }
  return sums;
}
