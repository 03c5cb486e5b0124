// From the configuration to routes: candidates with their weights and conditions, routes that name routes, patterns and aliases.
import { moderatorForms } from "../dialects/index.ts";
import type {
  Candidate,
  FallbackCause,
  OperationTimeouts,
  Route,
  RoutePattern,
  RouteTimeouts,
  Supports,
  Voices,
} from "../gateway/routing/catalog.ts";
import { withoutUndefined } from "../lib/json.ts";
import { asModerator } from "../providers/http-provider.ts";
import type { Provider } from "../providers/provider.ts";
import type { ReadConfig } from "./file.ts";
import type { RouteConfig } from "./schema.ts";
import { didYouMean } from "./suggest.ts";

type CandidateConfig = RouteConfig["candidates"][number];

interface BuiltRoutes {
  readonly routes: ReadonlyMap<string, Route>;
  readonly patterns: readonly RoutePattern[];
}

/** What routes are built with. */
interface Building {
  readonly file: ReadConfig;
  readonly providers: readonly Provider[];
  /** Candidates by route: others may name it too, and its faults are reported once. */
  readonly known: Map<string, readonly Candidate[]>;
}

const usualAffinitySeconds = 300;
const usualExplorationPercent = 5;

const isPattern = (name: string): boolean => name.includes("*");

/** Voices of a model are used before those of its provider. */
function voiced(candidate: Candidate, voices: Voices | undefined): Candidate {
  return voices === undefined ? candidate : { ...candidate, voices: { ...candidate.provider.entry.voices, ...voices } };
}

function supportsOf(given: NonNullable<CandidateConfig["supports"]>): Supports {
  const { images, tools, json_schema: jsonSchema } = given;
  const { max_input_tokens: maxInputTokens, max_output_tokens: maxOutputTokens } = given;
  return withoutUndefined({ images, tools, jsonSchema, maxInputTokens, maxOutputTokens });
}

/** A model of a provider, once for each of its credentials. */
function ofProvider({ file, providers }: Building, place: readonly string[], entry: CandidateConfig): Candidate[] {
  const { provider: name, model, tier, weight, supports } = entry;
  for (const [field, value] of Object.entries({ provider: name, model }))
    if (value === undefined) throw file.fault(place, `missing required field '${field}'`);
  const provider = providers.find((known) => known.entry.name === name);
  if (provider === undefined || name === undefined || model === undefined) {
    // A provider that was left out for its own faults is reported once, there.
    if (file.providerNames.includes(name ?? "")) return [];
    const names = [...file.providerNames, ...providers.map((known) => known.entry.name)];
    throw file.fault([...place, "provider"], `unknown provider '${name}'${didYouMean(name ?? "", names)}`);
  }
  if (model === "*" && !isPattern(place[1] ?? ""))
    throw file.fault([...place, "model"], "'*' requires a route whose name is a pattern");
  const settings = withoutUndefined({ tier, weight, supports: supports && supportsOf(supports) });
  return [provider, ...(provider.others ?? [])].map((each) => ({ provider: each, model, ...settings }));
}

/** The candidates of another route, which share the weight of the entry that names it. */
function ofRoute(building: Building, place: readonly string[], entry: CandidateConfig, path: readonly string[]) {
  const { file } = building;
  const { route = "", provider, model, tier, weight = 1, supports } = entry;
  const stray = Object.entries({ provider, model, supports }).find(([, value]) => value !== undefined);
  if (stray !== undefined) throw file.fault([...place, stray[0]], "cannot be set together with 'route'");
  const inner = namedCandidates(building, [...place, "route"], route, path);
  const sum = inner.reduce((total, each) => total + (each.weight ?? 1), 0) || 1;
  return inner.map(
    (each): Candidate => ({
      ...each,
      ...(tier === undefined ? {} : { tier }),
      weight: (weight * (each.weight ?? 1)) / sum,
    }),
  );
}

/** What a named route asks in its turn. Throws where routes name each other in a circle. */
function namedCandidates(building: Building, place: readonly string[], name: string, path: readonly string[]) {
  const { file } = building;
  const models = file.config.models ?? {};
  const config = Object.hasOwn(models, name) ? models[name] : undefined;
  if (config === undefined) throw file.fault(place, `unknown route '${name}'${didYouMean(name, Object.keys(models))}`);
  if (path.includes(name)) throw file.fault(place, `routes refer to each other: ${[...path, name].join(" -> ")}`);
  return ownCandidates(building, name, config, [...path, name]);
}

/** `path`: the routes that have named this one, and itself. */
function ownCandidates(
  building: Building,
  name: string,
  config: RouteConfig,
  path: readonly string[],
): readonly Candidate[] {
  const known = building.known.get(name);
  if (known !== undefined) return known;
  const candidates = config.candidates.flatMap((entry, index) => {
    const place = ["models", name, "candidates", String(index)];
    const found = building.file.faults.attempt(() =>
      entry.route === undefined ? ofProvider(building, place, entry) : ofRoute(building, place, entry, path),
    );
    return (found ?? []).map((each) => voiced(each, config.voices));
  });
  building.known.set(name, candidates);
  return candidates;
}

/** The candidates of other routes that are tried last, once for each failure that they follow. */
function fallbacksOf(building: Building, name: string, config: RouteConfig): Candidate[] {
  return (config.fallbacks ?? []).flatMap(({ route, after = ["error"] }, index) => {
    const place = ["models", name, "fallbacks", String(index), "route"];
    const found = building.file.faults.attempt(() => namedCandidates(building, place, route, [name])) ?? [];
    return after.flatMap((cause: FallbackCause) => found.map((each): Candidate => ({ ...each, after: cause })));
  });
}

function timeoutsOf(config: OperationConfig): RouteTimeouts {
  return withoutUndefined({
    connectMs: config.connect_timeout_ms,
    wholeMs: config.timeout_ms,
    firstByteMs: config.first_byte_timeout_ms,
    idleMs: config.idle_timeout_ms,
    totalMs: config.total_timeout_ms,
  });
}

type OperationConfig = Pick<
  RouteConfig,
  "connect_timeout_ms" | "timeout_ms" | "first_byte_timeout_ms" | "idle_timeout_ms" | "total_timeout_ms"
>;

const waitingOf = ({
  max_requests: maxWaiting = 100,
  max_wait_ms: maxWaitMs = 10_000,
}: NonNullable<RouteConfig["queue"]>) => ({
  maxWaiting,
  maxWaitMs,
});

function settingsOf(config: RouteConfig): Partial<Route> {
  const { strategy = "ordered", exploration_percent: explored = usualExplorationPercent } = config;
  const { repeats, operations, queue } = config;
  const affinitySeconds = config.affinity_seconds ?? (strategy === "ordered" ? 0 : usualAffinitySeconds);
  const timeouts = timeoutsOf(config);
  const byOperation = Object.entries(operations ?? {}).map(([operation, given]) => [operation, timeoutsOf(given)]);
  return {
    ...(strategy === "ordered" ? {} : { strategy }),
    ...(strategy === "fastest" ? { explorationShare: explored / 100 } : {}),
    ...(affinitySeconds === 0 ? {} : { affinityMs: affinitySeconds * 1_000 }),
    ...(repeats ? { repeats } : {}),
    ...(queue === undefined ? {} : { waiting: waitingOf(queue) }),
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
    ...(byOperation.length === 0 ? {} : { operations: Object.fromEntries(byOperation) as OperationTimeouts }),
  };
}

function routeOf(building: Building, name: string, config: RouteConfig): Route {
  const all = [...ownCandidates(building, name, config, [name]), ...fallbacksOf(building, name, config)];
  const settings = settingsOf(config);
  const isOpen = all.some(({ model }) => model === "*");
  const route: Route = { name, candidates: all, ...settings, ...(isOpen ? { isOpen: true } : {}) };
  if (config.moderate === undefined) return route;
  // Candidates of a route for moderation get a prompt of the gateway's own.
  const form = moderatorForms[config.moderate];
  const candidates = all.map((each) => ({ ...each, provider: asModerator(each.provider, form) }));
  return { ...route, candidates, moderates: true };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function patternOf(route: Route): RoutePattern {
  const form = new RegExp(`^${route.name.split("*").map(escaped).join(".*")}$`, "s");
  return { matches: (model) => form.test(model), route };
}

/** How much of a pattern is not left open. */
const specificity = ({ route: { name } }: RoutePattern): number => name.replaceAll("*", "").length;

/** Faults are gathered in `file.faults`. */
export function buildRoutes(file: ReadConfig, providers: readonly Provider[]): BuiltRoutes {
  const building: Building = { file, providers, known: new Map() };
  const entries = Object.entries(file.config.models ?? {});
  const routes = new Map<string, Route>();
  const patterns: RoutePattern[] = [];
  for (const [name, config] of entries) {
    const route = routeOf(building, name, config);
    if (isPattern(name)) patterns.push(patternOf(route));
    else routes.set(name, route);
  }
  for (const [name, { aliases = [] }] of entries)
    for (const [index, alias] of aliases.entries()) {
      const route = routes.get(name);
      const place = ["models", name, "aliases", String(index)];
      if (isPattern(name)) file.faults.add(file.fault(place, "a pattern cannot have aliases"));
      else if (routes.has(alias)) file.faults.add(file.fault(place, `'${alias}' is the name of another route`));
      else if (route !== undefined) routes.set(alias, route);
    }
  patterns.sort((left, right) => specificity(right) - specificity(left));
  return { routes, patterns };
}
