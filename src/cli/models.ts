// `turnpike models`, `turnpike providers` and `turnpike routes`: the contents of the catalog, and the candidates of a
// model.
import { explanationMembers } from "../admin/resources/route-explanation.ts";
import type { Operation } from "../canonical/operation.ts";
import { readConfiguration } from "../config/configuration.ts";
import { readSettings } from "../config/environment.ts";
import { limitsOf } from "../config/limits.ts";
import type { RequestNeeds } from "../gateway/routing/catalog.ts";
import {
  type ExplainedParts,
  type ExplainedRoute,
  explainRoute,
  type RoutedCandidate,
  type RouteExplanation,
} from "../gateway/routing/explain.ts";
import type { Found } from "../gateway/routing/resolve.ts";
import { createRouter } from "../gateway/routing/router.ts";
import { allModels } from "../http/models.ts";
import { systemClock } from "../lib/clock.ts";
import type { ProviderLimits } from "../providers/provider.ts";
import { callerOfKey } from "./key-caller.ts";
import { type OpenedCatalog, openCatalog, readServedEntries } from "./open-catalog.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";
import { providerStateCommands } from "./provider-state.ts";

const common = { json: { type: "boolean" }, offline: { type: "boolean" } } as const;
const commonHelp = { "--offline": "do not request the providers' model lists", "--json": "print JSON" };

/** A line for everything that is missing from the output. */
const missingLines = ({ unread, notes }: OpenedCatalog): string[] => [
  ...[...unread].map((name) => `The model list of provider '${name}' is not available. Run 'turnpike doctor'.`),
  ...notes,
];

const withLines = (text: string, lines: readonly string[]): string => [text, ...lines].join("\n");

const ignore = (): void => undefined;
const noEvents = { candidateUnusable: ignore, candidateUsable: ignore, upstreamChanged: ignore };
const noLimits = { overLimit: () => null, waitMs: () => 0 };
const meanRandom = 0.5;

/** A router without a past: every upstream is healthy, and nothing is measured. */
function explainedParts({ catalog, listings, prices, file }: OpenedCatalog): ExplainedParts {
  const limits = limitsOf(file.config.limits);
  const router = createRouter({
    ...{ clock: systemClock, limits, events: noEvents, providerLimits: noLimits },
    ...{ prices: () => prices, random: () => meanRandom, lists: listings },
  });
  return { catalog, listingOf: listings.now, router, prices, nowMs: systemClock.nowMs() };
}

async function models(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, common);
  const opened = await openCatalog(values.offline === true);
  const { catalog, listings } = opened;
  const parts = explainedParts(opened);
  const rows = allModels(catalog, listings).map(({ id, ownedBy }) => {
    const candidateRows = explainRoute(parts, { model: id, operation: "chat" }).candidates;
    const source = catalog.routes.has(id) ? "route" : "list";
    return {
      model: id,
      source,
      owner: ownedBy,
      candidates: candidateRows.map(({ provider, model }) => `${provider}/${model}`),
    };
  });
  if (values.json) return console.log(jsonText({ models: rows, unavailable: [...opened.unread] }));
  const cells = rows.map(({ model, source, owner, candidates }) => [model, source, owner, candidates.join(", ")]);
  console.log(withLines(table([["model", "from", "owner", "chat answered by"], ...cells]), missingLines(opened)));
}

async function listProviders(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, common);
  const opened = await openCatalog(values.offline === true);
  const { catalog, listings, file, stored, unread } = opened;
  const sourceOf = (name: string): string => {
    if (stored.has(name)) return "api";
    return file.providerNames.includes(name) ? "file" : "environment";
  };
  const rows = catalog.providers.map((provider) => {
    const { kind, entry, dispatch } = provider;
    const isHttp = dispatch.form === "http";
    return {
      name: entry.name,
      kind: kind.name,
      baseUrl: isHttp ? dispatch.baseUrl : null,
      source: isHttp ? sourceOf(entry.name) : "built in",
      models: unread.has(entry.name) ? null : (listings.now(provider).models?.length ?? null),
    };
  });
  if (values.json) return console.log(jsonText(rows));
  const cells = rows.map(({ name, kind, baseUrl, source, models: count }) => [
    ...[name, kind, baseUrl ?? "", source],
    count === null ? "unknown" : String(count),
  ]);
  console.log(withLines(table([["provider", "kind", "base URL", "source", "models"], ...cells]), missingLines(opened)));
}

async function listRoutes(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, { json: { type: "boolean" } } as const);
  const settings = readSettings(process.env, process.cwd());
  const { catalog, notes } = await readServedEntries(settings, readConfiguration(settings), false);
  const rows = [...catalog.routes.values()].map(({ name, candidates }) => ({
    name,
    candidates: candidates.map(({ provider, model }) => ({ provider: provider.entry.name, model })),
  }));
  if (values.json) return console.log(jsonText(rows));
  if (rows.length === 0) return console.log(withLines("There are no routes.", notes));
  const text = (each: { provider: string; model: string }): string => `${each.provider}/${each.model}`;
  const cells = rows.map((row) => [row.name, row.candidates.map(text).join(", ")]);
  console.log(withLines(table([["route", "candidates"], ...cells]), notes));
}

const msPerSecond = 1_000;
const operations = [
  ...(["chat", "count", "embed", "rerank", "moderate"] as const),
  ...(["image", "speak", "transcribe", "video"] as const),
] satisfies readonly Operation[];

const foundTexts: Readonly<Record<Found, string>> = {
  route: "It is a route of the configuration.",
  prefix: "The name before the slash is a provider.",
  listed: "It is in the model list of at least one provider.",
  unlisted: "No provider lists it. Providers whose list is not available are asked.",
};

function routeLines(model: string, { name, strategy, aliases, affinityMs, repeats }: ExplainedRoute): string[] {
  return [
    ...(name === model ? [] : [name.includes("*") ? `It matches the route '${name}'.` : `The route is '${name}'.`]),
    `Strategy: ${strategy}.`,
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}.`]),
    ...(affinityMs === 0 ? [] : [`A conversation stays with its candidate for ${affinityMs / msPerSecond} s.`]),
    ...(repeats === 0 ? [] : [`A candidate is tried again ${repeats} times before the next one.`]),
  ];
}

function limitText(limits: ProviderLimits): string[] {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests, costPerDay } = limits;
  return [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests per minute`]),
    ...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tokens per minute`]),
    ...(concurrentRequests === undefined ? [] : [`${concurrentRequests} concurrent requests`]),
    ...(costPerDay === undefined ? [] : [`$${dollars(costPerDay)} per day`]),
  ];
}

/** What is not as usual about a candidate. */
function conditionsOf({ credential, tier, weight, after, supports, listed, limits }: RoutedCandidate): string {
  const source = (name: keyof typeof supports): string => (listed.includes(name) ? " (listed)" : "");
  const { images, tools, jsonSchema, maxInputTokens, maxOutputTokens } = supports;
  return [
    ...(credential === null ? [] : [`credential ${credential}`]),
    ...(tier === 1 ? [] : [`tier ${tier}`]),
    ...(weight === 1 ? [] : [`weight ${weight}`]),
    ...(after === null ? [] : [`after ${after}`]),
    ...(images === false ? [`no images${source("images")}`] : []),
    ...(tools === false ? [`no tools${source("tools")}`] : []),
    ...(jsonSchema === false ? [`no JSON Schema${source("jsonSchema")}`] : []),
    ...(maxInputTokens === undefined ? [] : [`at most ${maxInputTokens} input tokens${source("maxInputTokens")}`]),
    ...(maxOutputTokens === undefined ? [] : [`at most ${maxOutputTokens} output tokens${source("maxOutputTokens")}`]),
    ...limits.flatMap(limitText),
  ].join(", ");
}

function explanationLines(model: string, most: number, explanation: RouteExplanation): string {
  const { found, route, refusal, candidates, skipped } = explanation;
  const head = found === null ? `The model '${model}' does not exist or is not configured.` : foundTexts[found];
  const isRefused = refusal !== null && found !== null;
  const candidateRows = candidates.map((candidate, index) => [
    `${index + 1}.`,
    `${candidate.provider}/${candidate.model}`,
    candidate.dialects.join(", "),
    conditionsOf(candidate),
  ]);
  const others = skipped.map(({ provider, model: own, credential, reason }) => [
    own === null ? provider : `${provider}/${own}`,
    credential ?? "",
    reason.text,
  ]);
  return [
    head,
    ...(route === null ? [] : routeLines(model, route)),
    ...(isRefused ? [`Such a request gets the error '${refusal.code}': ${refusal.message}`] : []),
    ...(candidateRows.length === 0 ? [] : ["", "Asked in this order, until one answers:", table(candidateRows)]),
    ...(candidateRows.length > most ? [`At most ${most} attempts are made for one request.`] : []),
    ...(others.length === 0 ? [] : ["", "Not asked:", table(others)]),
  ].join("\n");
}

const explainOptions = {
  key: { type: "string" },
  operation: { type: "string" },
  images: { type: "boolean" },
  tools: { type: "boolean" },
  "json-schema": { type: "boolean" },
  "input-tokens": { type: "string" },
  "output-tokens": { type: "string" },
} as const;

interface ExplainValues {
  readonly images?: boolean | undefined;
  readonly tools?: boolean | undefined;
  readonly "json-schema"?: boolean | undefined;
  readonly "input-tokens"?: string | undefined;
  readonly "output-tokens"?: string | undefined;
}

function tokensOf(values: ExplainValues, name: "input-tokens" | "output-tokens"): number {
  const given = values[name] ?? "0";
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UsageError(`--${name} must be a number.`);
}

const needsOf = (values: ExplainValues): RequestNeeds => ({
  images: values.images === true,
  tools: values.tools === true,
  jsonSchema: values["json-schema"] === true,
  inputTokens: tokensOf(values, "input-tokens"),
  outputTokens: tokensOf(values, "output-tokens"),
});

async function explain(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { ...common, ...explainOptions } as const, 1);
  const [model] = positionals;
  if (model === undefined) throw new UsageError("Missing model. Usage: turnpike routes explain MODEL.");
  const operation = operations.find((each) => each === (values.operation ?? "chat"));
  if (operation === undefined) throw new UsageError(`--operation must be one of: ${operations.join(", ")}.`);
  const caller = values.key === undefined ? undefined : await callerOfKey(values.key);
  const opened = await openCatalog(values.offline === true);
  const explanation = explainRoute(explainedParts(opened), { model, operation, caller, needs: needsOf(values) });
  const { maxAttemptsPerRequest } = limitsOf(opened.file.config.limits);
  if (explanation.candidates.length === 0) process.exitCode = 1;
  const wall = { wallMs: systemClock.nowMs };
  const members = explanationMembers(explanation, wall);
  const head = { operation, key_id: caller?.keyId ?? null, max_attempts: maxAttemptsPerRequest };
  if (values.json) return console.log(jsonText({ ...head, ...members }));
  console.log(withLines(explanationLines(model, maxAttemptsPerRequest, explanation), missingLines(opened)));
}

export const modelsCommand: Command = {
  usage: "turnpike models",
  summary: "list the models that clients can use",
  options: commonHelp,
  run: models,
};

export const providersCommand: Command = {
  usage: "turnpike providers",
  summary: "the configured providers",
  commands: {
    list: {
      usage: "turnpike providers list",
      summary: "list the configured providers",
      options: commonHelp,
      run: listProviders,
    },
    ...providerStateCommands,
  },
};

export const routesCommand: Command = {
  usage: "turnpike routes",
  summary: "the routes of the configuration",
  commands: {
    list: {
      usage: "turnpike routes list",
      summary: "list the routes and their candidates",
      options: { "--json": "print JSON" },
      run: listRoutes,
    },
    explain: {
      usage: "turnpike routes explain MODEL",
      summary: "which candidates are asked for a model, in which order, and why others are not",
      options: {
        [`--operation ${operations.join("|")}`]: "for which operation; default chat",
        "--key NAME": "for a key, by its name or ID; default: one that may do everything",
        "--images": "for a request with images",
        "--tools": "for a request with tools",
        "--json-schema": "for a request with a JSON Schema for the output",
        "--input-tokens N": "for a request with so many tokens",
        "--output-tokens N": "for a request that allows so many tokens of output",
        ...commonHelp,
      },
      run: explain,
    },
  },
};
