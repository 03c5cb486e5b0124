// Builds the admin API from the parts of a running gateway.
import type { AccessDependencies } from "../admin/access.ts";
import { createAdmin } from "../admin/admin.ts";
import { requireRole } from "../admin/permissions.ts";
import { adminResources } from "../admin/resources/index.ts";
import type { DeclaredKeyEntry } from "../admin/resources/keys.ts";
import type { ProviderStates } from "../admin/resources/provider-health.ts";
import type { RequestDependencies } from "../admin/resources/requests.ts";
import type { ExplainDependencies } from "../admin/resources/route-explanation.ts";
import { createSealer } from "../admin/stored-entries.ts";
import { clientEntries } from "../cli/clients.ts";
import { diskFreeDefault } from "../config/alerts.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Settings } from "../config/environment.ts";
import { entrySchemas } from "../config/schema.ts";
import { settingEntries } from "../config/setting-entries.ts";
import { readBodies } from "../gateway/bodies/body-file.ts";
import { followErasures } from "../gateway/end-users/erasures.ts";
import { readAdjustments, readAttempts } from "../gateway/ledger/read.ts";
import { createLedgerReader, type LedgerReader } from "../gateway/ledger/reader.ts";
import { createRepricer, type Repricer } from "../gateway/ledger/repricer.ts";
import { explainedByOwn } from "../gateway/ledger/request-story.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import type { Readiness } from "../gateway/pipeline/readiness.ts";
import type { Keys } from "../gateway/policy/keys.ts";
import { readBooks } from "../gateway/prices/stored-books.ts";
import { hiddenOutages } from "../gateway/routing/upstream-problems.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { CallerParts } from "../http/admin-caller.ts";
import { adminEndpoints } from "../http/admin-endpoints.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { exportEndpoint } from "../http/export-endpoints.ts";
import { type LiveParts, liveEndpoint } from "../http/live-endpoints.ts";
import { type MetricsParts, metricsRow } from "../http/metrics-endpoints.ts";
import type { ReadLimits } from "../http/read.ts";
import { taskContentEndpoint } from "../http/task-endpoints.ts";
import { validate } from "../http/validate.ts";
import { systemClock } from "../lib/clock.ts";
import { testCredentials } from "../providers/credential-test.ts";
import type { Provider } from "../providers/provider.ts";
import type { Events } from "../telemetry/events.ts";
import type { Registry } from "../telemetry/registry.ts";
import type { Alerting } from "./alerting.ts";
import { accessOf, signInRows } from "./console-sign-in.ts";
import type { ServedCatalog } from "./live-catalog.ts";
import type { LiveConfiguration } from "./live-configuration.ts";
import { findProblems } from "./problems.ts";

interface AdminApiParts extends Pick<AccessDependencies, "store" | "pepper"> {
  readonly limits: ReadLimits;
  readonly credentialKey: Uint8Array;
  readonly catalog: ServedCatalog;
  readonly gateway: Pick<
    Gateway,
    "running" | "listings" | "router" | "providerLimits" | "ledger" | "budgets" | "limits" | "catalog"
  >;
  readonly readiness: Pick<Readiness, "notReady">;
  readonly videos: Videos;
  readonly keys: Pick<Keys, "refresh" | "callerWithId">;
  readonly settings: Settings;
  readonly alerting: Alerting;
  readonly followed: Pick<LiveConfiguration, "current" | "status">;
  readonly registry: Registry;
  readonly events: Pick<Events, "backgroundTaskFailed">;
}

const testTimeoutMs = 10_000;
const catchUpEveryMs = 60_000;

const providerNamed = ({ current }: Pick<ServedCatalog, "current">, name: string) =>
  current().providers.find(({ entry }) => entry.name === name);

/** Without its other credentials, where it has the one that is named. */
function onlyWith(provider: Provider, credential: string | undefined): Provider {
  const all = [provider, ...(provider.others ?? [])];
  const found = credential === undefined ? undefined : all.find(({ entry }) => entry.credentialName === credential);
  return found === undefined ? provider : { ...found, others: [] };
}

function providerTest(catalog: Pick<ServedCatalog, "current">) {
  return async (name: string, credential?: string) => {
    const provider = providerNamed(catalog, name);
    if (provider === undefined) return [];
    const results = await testCredentials(onlyWith(provider, credential), systemClock, testTimeoutMs);
    return credential === undefined ? results : results.filter((each) => each.credential === credential);
  };
}

/** The distance of both clocks is read once, so that a time reads the same twice. */
function providerStatesOf(
  catalog: Pick<ServedCatalog, "current">,
  { router, providerLimits }: Pick<Gateway, "router" | "providerLimits">,
): ProviderStates {
  const distanceMs = systemClock.nowMs() - systemClock.monotonicMs();
  return {
    of(name) {
      const provider = providerNamed(catalog, name);
      return provider === undefined ? [] : router.health.stateOf(provider);
    },
    limitUses(name) {
      const provider = providerNamed(catalog, name);
      const all = provider === undefined ? [] : [provider, ...(provider.others ?? [])];
      const isFirst = (at: number, credential: string | null): boolean => at === 0 || credential !== null;
      return all.flatMap(({ entry }, at) =>
        providerLimits.uses(entry).filter(({ credential }) => isFirst(at, credential)),
      );
    },
    wallMs: (monotonicMs) => Math.round(monotonicMs + distanceMs),
  };
}

function routeExplanation({ catalog, gateway, keys }: AdminApiParts, { wallMs }: ProviderStates): ExplainDependencies {
  const { listings, router, limits } = gateway;
  return {
    explained: () => ({
      ...{ catalog: catalog.current(), listingOf: listings.now, router },
      ...{ prices: catalog.prices(), nowMs: systemClock.nowMs() },
    }),
    callerOf: keys.callerWithId,
    wallMs,
    attemptBound: () => limits.maxAttemptsPerRequest,
  };
}

/** The prices of a request, also of versions that are not in effect any more. */
function explanationOf({ catalog, settings }: AdminApiParts): RequestDependencies["explained"] {
  return (row) =>
    explainedByOwn(row, {
      prices: catalog.prices(),
      earlier: (cost, price) => readBooks(settings.dataFolder, cost, price),
      kindOf: (provider) => providerNamed(catalog, provider)?.kind.name ?? provider,
    });
}

/** What budgets, and all that needs attention, are found by. */
function attentionOf({ gateway, keys, alerting, followed, settings }: AdminApiParts) {
  const { catalog, router, ledger, budgets } = gateway;
  const callerOf = (keyId: string) => {
    try {
      return keys.callerWithId(keyId);
    } catch {
      // Its project does not exist any more: no request of it is admitted.
      return undefined;
    }
  };
  const freePercent = (): number => followed.current().configuration.alerts?.diskFreePercent ?? diskFreeDefault;
  return {
    attention: {
      problems: () => findProblems(gateway, settings.dataFolder, freePercent()),
      hiddenOutages: () => hiddenOutages(catalog.current(), router.health),
      undelivered: alerting.undelivered,
    },
    budgets: { callerOf, budgetsOf: budgets.status, spentSince: ledger.spent },
  };
}

/** Booked adjustments count in the budgets of this process within a second. */
function repricerOf({ settings, catalog, gateway, events }: AdminApiParts, teardown: (() => unknown)[]): Repricer {
  const repricer = createRepricer({
    dataFolder: settings.dataFolder,
    ledger: gateway.ledger,
    prices: catalog.prices,
    kinds: () => new Map(catalog.current().providers.map(({ entry, kind }) => [entry.name, kind.name])),
    adjusted: gateway.budgets.adjust,
    failed: (cause) => events.backgroundTaskFailed("ledger", cause),
  });
  teardown.push(() => repricer.close());
  return repricer;
}

function declaredEntries({ access, file }: Configuration): readonly DeclaredKeyEntry[] {
  return access.keys.map(({ caller, expiresAtMs }) => {
    const { keyId: id, name, project: projectId } = caller;
    const rules = caller.levels.find(({ level }) => level === "key")?.rules ?? {};
    return { id, name, projectId, rules, expiresAtMs, line: file.lineAt(["keys", name]) };
  });
}

/** What the configuration file declares of keys and projects. */
const declaredOf = (configuration: () => Configuration) => ({
  declaredKeys: () => declaredEntries(configuration()),
  declaredProjects: () => configuration().access.projects,
  projectLine: (name: string) => configuration().file.lineAt(["projects", name]),
});

function liveParts({ gateway, readiness }: AdminApiParts, callers: CallerParts, reader: LedgerReader): LiveParts {
  const isEnding = async () => (await readiness.notReady())?.status === "draining";
  return { ...callers, live: { reader, running: gateway.running.list }, isEnding };
}

function erasuresOf({ store, settings: { dataFolder }, pepper, events }: AdminApiParts, teardown: (() => unknown)[]) {
  const failed = (cause: unknown): void => events.backgroundTaskFailed("end_users", cause);
  const erasures = followErasures({ store, dataFolder, pepper, failed });
  teardown.push(() => erasures.close());
  return erasures;
}

/** The ledger with its index, which follows also between requests. */
function readerOf(parts: AdminApiParts, teardown: (() => unknown)[]): LedgerReader {
  const reader = createLedgerReader(parts.settings.dataFolder);
  let isClosed = false;
  const catchUp = async (): Promise<void> => {
    await reader.catchUp().catch((cause) => {
      if (!isClosed) parts.events.backgroundTaskFailed("ledger", cause);
    });
  };
  const timer = setInterval(() => void catchUp(), catchUpEveryMs).unref();
  teardown.push(() => {
    isClosed = true;
    clearInterval(timer);
    reader.close();
  });
  return reader;
}

/** The rows of the admin API, and of `/metrics`. */
export function adminApi(parts: AdminApiParts, teardown: (() => unknown)[]): readonly Endpoint[] {
  const reader = readerOf(parts, teardown);
  const { store, pepper, limits, catalog, gateway, registry, followed } = parts;
  const { dataFolder } = parts.settings;
  const erasures = erasuresOf(parts, teardown);
  const repricer = repricerOf(parts, teardown);
  const admin = createAdmin({ store, clock: systemClock, validate });
  const access = accessOf(parts);
  const providerStates = providerStatesOf(catalog, gateway);
  const resources = adminResources({
    pepper,
    schemas: entrySchemas,
    sealer: createSealer(parts.credentialKey),
    catalog: () => catalog,
    prices: catalog.prices,
    repricer: () => repricer,
    listings: () => gateway.listings,
    testProvider: providerTest(catalog),
    providerStates,
    routeExplanation: routeExplanation(parts, providerStates),
    reader: () => reader,
    attempts: (id) => readAttempts(dataFolder, id),
    adjustments: (n, id) => readAdjustments(dataFolder, n, id),
    explained: explanationOf(parts),
    bodies: (id) => readBodies(dataFolder, id),
    cancel: gateway.running.end,
    dataFolder,
    endUsersChanged: erasures.apply,
    videos: () => parts.videos,
    ...attentionOf(parts),
    ...declaredOf(() => followed.current().configuration),
    keysChanged: () => parts.keys.refresh(),
    clients: clientEntries,
    settings: () => settingEntries(parts.settings, followed.current().configuration, followed.status()),
  });
  const mayReadMetrics: MetricsParts["mayReadMetrics"] = async (token, address) =>
    requireRole(await access.identify(token, address), "metrics:read");
  const { publicUrl } = followed.current().configuration.videos;
  const linkBase = parts.settings.adminListener === null ? publicUrl : null;
  const callers = { access, pepper, publicUrl, linkBase, limits };
  return [
    ...signInRows(parts, callers),
    liveEndpoint(() => liveParts(parts, callers, reader)),
    exportEndpoint(() => ({ ...callers, reader })),
    taskContentEndpoint(() => ({ ...callers, store, clock: systemClock, videos: parts.videos })),
    ...adminEndpoints(resources, () => ({ ...callers, admin })),
    metricsRow(() => ({ registry, mayReadMetrics })),
  ];
}
