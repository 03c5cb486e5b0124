// `turnpike usage`: sums of the ledger by group. Works while the gateway runs.
import { existsSync } from "node:fs";
import { cacheWrites, uncachedInput, visibleOutput } from "../canonical/usage.ts";
import { fileKeyId } from "../config/access.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import { declaredKeyNames } from "../config/file.ts";
import type { UsageDimension, UsageReportRow } from "../gateway/ledger/usage-report.ts";
import { readUsage } from "../gateway/ledger/usage-report.ts";
import type { UsageSums } from "../gateway/ledger/usage-sums.ts";
import { listKeys } from "../store/keys.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";

/** The groups by their names on the command line. */
const groups: ReadonlyMap<string, UsageDimension> = new Map([
  ...(["model", "key", "day", "hour", "provider", "project", "operation"] as const).map(
    (name) => [name, name] as const,
  ),
  ["end-user", "endUser"],
]);
const groupNames = [...groups.keys()];

/** Throws UsageError for an unknown name and for one that is given twice. */
function groupsOf(text: string): UsageDimension[] {
  const found = text.split(",").flatMap((name) => groups.get(name) ?? []);
  if (found.length === text.split(",").length && new Set(found).size === found.length) return found;
  throw new UsageError(`--by must be one of, or several separated by commas: ${groupNames.join(", ")}.`);
}

const head = [
  "requests",
  "errors",
  "open",
  "input",
  "cache read",
  "cache write",
  "output",
  "reasoning",
  "cost USD",
  "price USD",
  "unpriced",
  "possible",
  "units",
];
const oneDayMs = 86_400_000;
const msPerSecond = 1_000;

export function dayMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // The runtime accepts the 31st of every month.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
  if (!isDay) throw new UsageError(`--${name} must be a day as in 2026-01-31.`);
  return ms;
}

/** `4 images, 1.5 seconds of audio`: units other than tokens. */
function unitsIn({ images, audioMs, videoMs, characters, pages, searches, billedRequests }: UsageSums): string {
  const amounts: readonly (readonly [amount: number, name: string])[] = [
    [images, "images"],
    [audioMs / msPerSecond, "seconds of audio"],
    [videoMs / msPerSecond, "seconds of video"],
    [characters, "characters"],
    [pages, "pages"],
    [searches, "searches"],
    [billedRequests, "requests"],
  ];
  return amounts.flatMap(([amount, name]) => (amount === 0 ? [] : [`${amount} ${name}`])).join(", ");
}

function cells(row: UsageSums): string[] {
  const [cost, price] = [row.costNanoDollars, row.priceNanoDollars].map((sum) => (sum === null ? "" : dollars(sum)));
  const counts = [
    row.requests,
    row.errors,
    row.open,
    uncachedInput(row),
    row.cacheReadTokens,
    cacheWrites(row),
    visibleOutput(row),
    row.reasoningTokens,
  ];
  return [
    ...counts.map(String),
    cost ?? "",
    price ?? "",
    String(row.unpriced),
    String(row.possibleTokens),
    unitsIn(row),
  ];
}

/** Names of keys by id, for a column that people read. */
async function keyNames(settings: Settings): Promise<ReadonlyMap<string, string>> {
  const names = new Map(declaredKeyNames(settings).map((name) => [fileKeyId(name), name]));
  if (settings.databaseUrl === undefined && !existsSync(settings.dataFolder)) return names;
  await withStore(async ({ store }) => {
    for (const { id, name } of await listKeys(store)) names.set(id, name);
  });
  return names;
}

async function usage(words: readonly string[]): Promise<void> {
  const options = {
    by: { type: "string" },
    since: { type: "string" },
    until: { type: "string" },
    key: { type: "string" },
    json: { type: "boolean" },
  } as const;
  const { values } = parseCommonFields(words, options);
  const groupBy = groupsOf(values.by ?? "model");
  const sinceMs = dayMs("since", values.since);
  const untilMs = dayMs("until", values.until);
  const settings = readSettings(process.env, process.cwd());
  const names = groupBy.includes("key") ? await keyNames(settings) : new Map<string, string>();
  const rows = readUsage(settings.dataFolder, {
    groupBy,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    // The last day is included.
    ...(untilMs === undefined ? {} : { untilMs: untilMs + oneDayMs }),
    ...(values.key === undefined ? {} : { keyId: values.key }),
  });
  const nameOf = (row: UsageReportRow, by: UsageDimension): string =>
    (by === "key" ? names.get(row.group.key ?? "") : undefined) ?? row.group[by] ?? "";
  if (values.json) return console.log(jsonText(rows.map((row) => jsonRow(row, groupBy, nameOf))));
  const shown = rows.map((row) => [...groupBy.map((by) => nameOf(row, by) || "(none)"), ...cells(row)]);
  const titles = groupBy.map((by) => (by === "endUser" ? "end user" : by));
  console.log(table([[...titles, ...head], ...shown]));
}

/** `group` and `name` are texts, with a space between those of several groups. */
function jsonRow(
  { group, ...sums }: UsageReportRow,
  groupBy: readonly UsageDimension[],
  nameOf: (row: UsageReportRow, by: UsageDimension) => string,
) {
  const names = groupBy.map((by) => nameOf({ group, ...sums }, by));
  const ids = groupBy.map((by) => group[by] ?? "");
  return { group: ids.join(" "), ...(groupBy.length === 1 ? {} : group), ...sums, name: names.join(" ") };
}

export const usageCommand: Command = {
  usage: "turnpike usage",
  summary: "usage from the ledger, grouped",
  options: {
    [`--by ${groupNames.join("|")}`]: "how to group, by several with commas; default model",
    "--since YYYY-MM-DD": "from this day on (UTC)",
    "--until YYYY-MM-DD": "up to the end of this day (UTC)",
    "--key ID": "only this key",
    "--json": "print JSON",
  },
  run: usage,
};
