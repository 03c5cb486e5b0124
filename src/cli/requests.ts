// `turnpike requests`: requests of the ledger, found by the gateway's id or by the client's request id.

import { type Timings, timingParts } from "../canonical/timings.ts";
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import { readBodies } from "../gateway/bodies/body-file.ts";
import type { StoredBody } from "../gateway/bodies/types.ts";
import type { Adjustment } from "../gateway/ledger/adjustments.ts";
import type { RequestRow } from "../gateway/ledger/columns.ts";
import { type FeedPage, readFeed } from "../gateway/ledger/feed.ts";
import {
  type RequestStory,
  type RequestTrace,
  readRequestStories,
  type StoryAttempt,
} from "../gateway/ledger/request-story.ts";
import type { StoryPrices } from "../gateway/ledger/row-price.ts";
import type { PriceExplanation, PriceTerm } from "../gateway/prices/explain.ts";
import { readBooks } from "../gateway/prices/stored-books.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { audited } from "./audit.ts";
import { withStore } from "./open.ts";
import { readServedEntries } from "./open-catalog.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";

/** Clients may reuse their ids: at most so many requests are shown, newest first. */
const mostShown = 20;
const mostInFeed = 10_000;
const factorDigits = 6;

const named = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const money = (value: bigint | null): string => (value === null ? "" : dollars(value));

/** Empty values are not shown. */
const isShown = (value: unknown): boolean => value !== null && value !== 0;

/** Columns that other parts of the output show. */
const elsewhere: readonly (keyof RequestRow)[] = [
  "warnings",
  "passedOver",
  "costNanoDollars",
  "priceNanoDollars",
  "timings",
];

function requestLines({ atMs, ...rest }: RequestRow): string {
  const { costNanoDollars, priceNanoDollars } = rest;
  const own = Object.entries(rest).filter(([name]) => !elsewhere.includes(name as keyof RequestRow));
  const sums = {
    costUsd: costNanoDollars && dollars(costNanoDollars),
    priceUsd: priceNanoDollars && dollars(priceNanoDollars),
  };
  const rows = [...own, ...Object.entries(sums), ["at", new Date(atMs).toISOString()] as const];
  return table(rows.filter(([, value]) => isShown(value)).map(([name, value]) => [name, named(value)]));
}

function attemptLines(attempts: readonly StoryAttempt[]): string {
  const head = [
    ...["attempt", "provider", "model", "outcome", "error", "status", "ms", "possible input tokens"],
    ...["start ms", "first byte ms", "cost USD", "credential", "because"],
  ];
  const rows = attempts.map((each) => [
    String(each.number),
    each.provider,
    each.upstreamModel,
    each.outcome,
    named(each.errorCode),
    named(each.httpStatus),
    named(each.durationMs),
    String(each.possibleInputTokens),
    named(each.startedMs),
    named(each.firstByteMs),
    money(each.costNanoDollars),
    named(each.credential),
    each.because === null ? "first in order" : `after ${each.because}`,
  ]);
  return table([head, ...rows]);
}

function timingLines(timings: Timings): string {
  const reached = timingParts.filter((part) => timings[part] !== null);
  return table([["time", "us"], ...reached.map((part) => [part, named(timings[part])])]);
}

function priceTermCells({ of, variant, amount, costRow, costNanoDollars, priceRow, priceNanoDollars }: PriceTerm) {
  const size = [variant.size, variant.quality].filter((each) => each !== undefined).join(" ");
  const row = priceRow ?? costRow;
  const per = row === null ? "no price" : `${dollars(row.nanoDollars)} per ${row.per}`;
  return [of, size, String(amount), per, money(costNanoDollars), money(priceNanoDollars)];
}

function priceLines(price: PriceExplanation, { isOwnPrice }: RequestTrace): string {
  const { factorMillionths, perRequestNanoDollars, costVersion, priceVersion } = price;
  const rule =
    factorMillionths === null
      ? []
      : [
          `Rule: cost × ${formatDecimal(factorMillionths, factorDigits)} + ${dollars(perRequestNanoDollars)} per request.`,
        ];
  const versions = isOwnPrice
    ? `Price versions: cost ${costVersion}, price ${priceVersion}.`
    : `By today's prices (cost ${costVersion}, price ${priceVersion}); the request was admitted under others.`;
  const head = ["of", "size", "amount", "USD", "cost USD", "price USD"];
  const total = ["total", "", "", "", money(price.costNanoDollars), money(price.priceNanoDollars)];
  return [table([head, ...price.terms.map(priceTermCells), total]), ...rule, versions].join("\n");
}

function adjustmentLines(adjustments: readonly Adjustment[]): string {
  const cells = adjustments.map(({ repricing, id, atMs, costNanoDollars, priceNanoDollars, priceVersion }) => [
    ...[new Date(atMs).toISOString(), id, String(repricing), dollars(costNanoDollars), dollars(priceNanoDollars)],
    priceVersion,
  ]);
  return table([["adjusted", "id", "repricing", "cost USD", "price USD", "price version"], ...cells]);
}

function textOf({ request, trace, adjustments }: RequestStory): string {
  const { attempts, passedOver, lost, price, timings } = trace;
  const passed = passedOver.map(({ provider, upstreamModel, reason, field }) => [
    ...[provider, upstreamModel, reason],
    field ?? "",
  ]);
  const parts = [
    requestLines(request),
    ...(timings === null ? [] : [timingLines(timings)]),
    ...(attempts.length === 0 ? [] : [attemptLines(attempts)]),
    ...(passed.length === 0 ? [] : [table([["passed over", "model", "reason", "field"], ...passed])]),
    ...(lost.length === 0 ? [] : [table([["lost", "field"], ...lost.map(({ code, field }) => [code, field])])]),
    ...(price === null ? [] : [priceLines(price, trace)]),
    ...(adjustments.length === 0 ? [] : [adjustmentLines(adjustments)]),
  ];
  return parts.join("\n\n");
}

/** What explains prices: today's, of the admin API too, and those of earlier versions that were served from this folder. */
export async function pricingOf(settings: Settings, configuration: Configuration): Promise<StoryPrices> {
  const { prices, catalog, notes } = await readServedEntries(settings, configuration, false);
  for (const note of notes) console.error(`turnpike: ${note}`);
  const kinds = new Map(catalog.providers.map(({ entry, kind }) => [entry.name, kind.name]));
  return {
    prices,
    earlier: (cost, price) => readBooks(settings.dataFolder, cost, price),
    kindOf: (provider) => kinds.get(provider) ?? provider,
  };
}

/** Null if the configuration cannot be read here: the ledger is shown anyway. */
function readableConfiguration(settings: Settings): Configuration | null {
  try {
    return readConfiguration(settings);
  } catch (thrown) {
    console.error(`turnpike: prices are not explained: ${String(Object(thrown).message ?? thrown)}`);
    return null;
  }
}

const bodyHead = ({ stage, attempt, provider, size, encoding }: StoredBody): string => {
  const place = attempt === null ? "" : ` ${attempt} (${named(provider)})`;
  return `${stage}${place}, ${size} bytes${encoding === "text" ? "" : `, ${encoding}`}:`;
};

/** Access to content is recorded in the audit log. */
async function readWithEntry(dataFolder: string, ids: readonly string[]): Promise<Map<string, StoredBody[]>> {
  await withStore(async ({ store }) => {
    for (const objectId of ids)
      await audited(store, { action: "bodies", resource: "requests", objectId }, async () => undefined);
  });
  return new Map(ids.map((id) => [id, readBodies(dataFolder, id)]));
}

function bodyLines(bodies: readonly StoredBody[]): string {
  if (bodies.length === 0) return "No bodies are stored.";
  return bodies.map((each) => `${bodyHead(each)}\n${each.body}`).join("\n\n");
}

async function show(words: readonly string[]): Promise<void> {
  const options = { json: { type: "boolean" }, bodies: { type: "boolean" } } as const;
  const { values, positionals } = parseCommonFields(words, options, 1);
  const [id] = positionals;
  if (id === undefined) throw new UsageError("Missing ID. Usage: turnpike requests show ID.");
  const settings = readSettings(process.env, process.cwd());
  const configuration = readableConfiguration(settings);
  const pricing = configuration && (await pricingOf(settings, configuration));
  const found = readRequestStories(settings.dataFolder, id, mostShown, pricing);
  if (found.length === 0) throw new Error(`Request '${id}' was not found in the ledger of ${settings.dataFolder}.`);
  const ids = found.map(({ request }) => request.id);
  const bodies = values.bodies ? await readWithEntry(settings.dataFolder, ids) : null;
  const of = ({ request }: RequestStory): StoredBody[] => bodies?.get(request.id) ?? [];
  const json = () =>
    jsonText(
      found.map((each) => ({
        ...each.request,
        trace: each.trace,
        failedAttempts: each.failedAttempts,
        adjustments: each.adjustments,
        ...(bodies && { bodies: of(each) }),
      })),
    );
  const text = (each: RequestStory): string =>
    [textOf(each), ...(bodies === null ? [] : [bodyLines(of(each))])].join("\n\n");
  console.log(values.json ? json() : found.map(text).join("\n\n"));
}

/** For programs: rows, and a cursor to continue. */
function feed(words: readonly string[]): void {
  const options = { after: { type: "string" }, limit: { type: "string" }, json: { type: "boolean" } } as const;
  const { values } = parseCommonFields(words, options);
  const limit = /^[1-9]\d{0,4}$/.test(values.limit ?? "100") ? Number(values.limit ?? "100") : 0;
  if (limit === 0 || limit > mostInFeed) throw new UsageError(`--limit must be an integer from 1 to ${mostInFeed}.`);
  const { dataFolder } = readSettings(process.env, process.cwd());
  const page = readFeed(dataFolder, { limit, ...(values.after === undefined ? {} : { after: values.after }) });
  console.log(values.json ? jsonText(page) : feedText(page));
}

function feedText({ rows, adjustments, next, hasMore }: FeedPage): string {
  const head = ["at", "id", "key", "model", "provider", "state", "cost USD", "price USD"];
  const cells = rows.map((row) => [
    ...[new Date(row.atMs).toISOString(), row.id, row.keyId, row.model, named(row.provider), row.state],
    ...[money(row.costNanoDollars), money(row.priceNanoDollars)],
  ]);
  const more = adjustments.length === 0 ? "" : `\n\n${adjustmentLines(adjustments)}`;
  return `${table([head, ...cells])}${more}\n\nNext: --after ${next || '""'}${hasMore ? "" : " (no more for now)"}`;
}

export const requestsCommand: Command = {
  usage: "turnpike requests",
  summary: "requests in the ledger",
  commands: {
    show: {
      usage: "turnpike requests show ID",
      summary: "one request, its attempts and its price, by the gateway's id or by x-request-id",
      options: { "--bodies": "also its stored bodies; an entry of the audit log is written", "--json": "print JSON" },
      run: show,
    },
    feed: {
      usage: "turnpike requests feed",
      summary: "settled requests in the order of their settlement, for exports",
      options: {
        "--after CURSOR": "where the page before ended, as its `next`; default: from the first one on",
        "--limit N": `at most so many, up to ${mostInFeed}; default 100`,
        "--json": "print JSON",
      },
      run: feed,
    },
  },
};
