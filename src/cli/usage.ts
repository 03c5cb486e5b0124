// `turnpike usage`: what the ledger says, grouped. Works while the gateway runs.
import { parseArgs } from "node:util";
import { readSettings } from "../config/environment.ts";
import { readUsage, type UsageGroup, type UsageRow } from "../gateway/ledger/read.ts";
import { table } from "./open.ts";

const groups = ["model", "key", "day", "provider"] as const satisfies readonly UsageGroup[];
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
  "unpriced",
  "units",
];
const nanosPerDollar = 1_000_000_000;

function dayMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error(`--${name} must be a day as in 2026-01-31.`);
  return ms;
}

/** `4 images, 1.5 seconds`: what is not counted in tokens. */
function unitsIn({ images, seconds, characters, searches }: UsageRow): string {
  return Object.entries({ images, seconds, characters, searches })
    .flatMap(([kind, thousandths]) => (thousandths === 0 ? [] : [`${thousandths / 1_000} ${kind}`]))
    .join(", ");
}

function cells(row: UsageRow): string[] {
  const cost = row.costNanoDollars === null ? "" : (Number(row.costNanoDollars) / nanosPerDollar).toFixed(6);
  const counts = [
    row.requests,
    row.errors,
    row.open,
    row.inputTokens,
    row.cacheReadTokens,
    row.cacheWriteTokens,
    row.outputTokens,
    row.reasoningTokens,
  ];
  return [row.group || "(nobody)", ...counts.map(String), cost, String(row.unpriced), unitsIn(row)];
}

export function usageCommand(words: readonly string[]): void {
  const options = {
    by: { type: "string" },
    since: { type: "string" },
    until: { type: "string" },
    key: { type: "string" },
  } as const;
  const { values } = parseArgs({ args: [...words], options });
  const groupBy = groups.find((group) => group === (values.by ?? "model"));
  if (groupBy === undefined) throw new Error(`--by must be one of: ${groups.join(", ")}.`);
  const sinceMs = dayMs("since", values.since);
  const untilMs = dayMs("until", values.until);
  const { dataFolder } = readSettings(process.env, process.cwd());
  const rows = readUsage(dataFolder, {
    groupBy,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(values.key === undefined ? {} : { keyId: values.key }),
  });
  console.log(table([[groupBy, ...head], ...rows.map(cells)]));
}
