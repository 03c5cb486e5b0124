// Network checks of `turnpike doctor`: providers, the storage for videos, the shared database, the running gateway.
// Nothing else is contacted.
import { existsSync } from "node:fs";
import { GatewayError } from "../canonical/error.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Settings } from "../config/environment.ts";
import { readExistingSecret, secretMatches } from "../config/secrets.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { ListedModel, Provider } from "../providers/provider.ts";
import { createSend } from "../providers/upstream.ts";
import { serverFailure } from "../store/open-failure.ts";
import { databaseClockMs, openStoreReadOnly, type Store } from "../store/store.ts";
import type { OtlpTarget } from "../telemetry/opentelemetry/settings.ts";
import { type Check, type Finding, failed, ok, warning } from "./check.ts";
import { hasSecretSet, wrongSecret } from "./machine-checks.ts";
import { adminAddress, readStates, type ShownProvider, type ShownState } from "./provider-state.ts";

const providerTimeoutMs = 10_000;

/** Codes of Bun's fetch (1.4) for connections that failed before anything was sent. */
const transportFaults: readonly (readonly [pattern: RegExp, problem: string, action: string])[] = [
  [/ENOTFOUND|DNS|EAI_AGAIN/i, "its name does not resolve", "Check the base URL and the name servers."],
  [/Refused|ECONNREFUSED/i, "the connection is refused", "Check the base URL, and that the server runs."],
  [
    /CERT|SELF_SIGNED|_CA$|SIGNATURE|HOSTNAME|ISSUER|CHAIN|CRL/,
    "its certificate is not valid",
    "Check the base URL; set NODE_EXTRA_CA_CERTS for an authority of your own.",
  ],
];

const codeIn = (thrown: unknown): string => String(Object(Object(thrown).cause).code ?? "");

function transportFinding(thrown: GatewayError): Finding {
  const code = codeIn(thrown);
  const [, problem, action] = transportFaults.find(([pattern]) => pattern.test(code)) ?? [
    null,
    "it cannot be reached",
    "Check the base URL, the network and `proxy` of the provider.",
  ];
  return failed(`The provider is not available: ${problem}${code === "" ? "" : ` (${code})`}.`, action);
}

/** The finding for a failed model list. */
function findingOf(thrown: unknown): Finding {
  if (!(thrown instanceof GatewayError)) {
    const isTimeout = thrown instanceof DOMException && thrown.name === "TimeoutError";
    const detail = isTimeout ? `did not respond within ${providerTimeoutMs / 1_000} seconds` : "could not be asked";
    return failed(`The provider ${detail}.`, "Check the base URL, the network and `proxy` of the provider.");
  }
  const { kind, status, message } = thrown;
  if (kind === "upstream_credentials")
    return failed("The provider refuses the credential.", "Check `credential` of the provider, or its variable.");
  if (kind === "upstream_unreachable") return transportFinding(thrown);
  if (status === 404 || status === 405)
    return warning("The provider has no model list at this address.", "Check the base URL, or set `models`.");
  if (kind === "upstream_rate_limited")
    return warning("The provider limits the rate of this account at the moment.", "Run doctor again later.");
  return failed(message, "Check the base URL and the provider's status page.");
}

/** Models that routes take from this provider. */
const routedModels = (provider: Provider, { routes }: Catalog): string[] => [
  ...new Set(
    [...routes.values()].flatMap(({ candidates }) =>
      candidates.flatMap((each) => (each.provider.entry.name === provider.entry.name ? [each.model] : [])),
    ),
  ),
];

function listFinding(models: readonly ListedModel[], provider: Provider, catalog: Catalog): Finding {
  const ids = new Set(models.map(({ id }) => id));
  const missing = ids.size === 0 ? [] : routedModels(provider, catalog).filter((model) => !ids.has(model));
  if (missing.length === 0) return ok(`It accepts the credential and lists ${ids.size} models.`);
  const detail = `Its list does not have these models of the routes: ${missing.join(", ")}.`;
  return warning(detail, "Check the names with `turnpike models`.");
}

async function checkProvider(provider: Provider, baseUrl: string, catalog: Catalog): Promise<Finding> {
  const signal = AbortSignal.timeout(providerTimeoutMs);
  try {
    if (provider.list.models !== undefined) return listFinding(await provider.list.models(signal), provider, catalog);
    // Without a model list, only the name and the connection can be checked: this request has no credential.
    const response = await createSend()({ method: "GET", url: baseUrl, headers: {}, signal });
    await response.body?.cancel();
    return ok("It can be reached. It has no model list, so its credential was not checked.");
  } catch (thrown) {
    return findingOf(thrown);
  }
}

/** One for each credential. */
function providerCheck(provider: Provider, catalog: Catalog): Check[] {
  const { dispatch, entry, others = [] } = provider;
  // In-process providers need no check.
  if (dispatch.form === "canonical") return [];
  const name = `provider ${entry.name}${entry.credentialName === undefined ? "" : ` (${entry.credentialName})`}`;
  const contacts = `${name} (${new URL(dispatch.baseUrl).host})`;
  const check = { name, contacts, run: () => checkProvider(provider, dispatch.baseUrl, catalog) };
  return [check, ...others.flatMap((other) => providerCheck(other, catalog))];
}

const isAvoided = ({ state }: ShownState): boolean => state !== "available";

/** What is avoided, in the words of the admin API. */
const avoidedIn = ({ id, health }: ShownProvider): string[] =>
  health.flatMap((each) => {
    const name = each.credential === null ? id : `${id} (${each.credential})`;
    const models = each.models.filter(isAvoided).map(({ model, state }) => `${name}/${model} ${state}`);
    return isAvoided(each) ? [`${name} ${each.state}`] : models;
  });

/** Without the admin key the state of a running gateway cannot be read. */
function stateCheck(settings: Settings): Check[] {
  const { adminKey } = settings;
  if (adminKey === null) return [];
  const run = async (): Promise<Finding> => {
    const states = await readStates(settings, adminKey).catch(() => null);
    if (states === null) return ok("No gateway answers on this machine with this admin key.");
    const avoided = states.flatMap(avoidedIn);
    if (avoided.length === 0) return ok("The running gateway uses all of its providers and credentials.");
    return warning(`The running gateway avoids: ${avoided.join(", ")}.`, "Run `turnpike providers status`.");
  };
  return [{ name: "provider state", contacts: `the gateway (${new URL(adminAddress(settings)).host})`, run }];
}

/** The folder or bucket for completed videos. */
function resultsCheck({ dataFolder }: Settings, { videos: { results } }: Configuration): Check[] {
  const { target } = results;
  // The check of a folder creates it, which must not create an installation.
  if (target === null || (target.kind === "folder" && !existsSync(dataFolder))) return [];
  const run = async (): Promise<Finding> => {
    const problem = await target.findProblem();
    const action = "Check `videos.results`. Videos are not copied meanwhile.";
    return problem === null ? ok(`Videos can be stored in the ${target.kind}.`) : warning(problem, action);
  };
  return [{ name: "video results", run, ...(target.kind === "bucket" ? { contacts: "the bucket for videos" } : {}) }];
}

/** A database without tables belongs to an installation that was never started. */
const isOtherSecret = async (store: Store, settings: Settings): Promise<boolean> =>
  hasSecretSet(settings) && (await secretMatches(store, readExistingSecret(settings)).catch(() => null)) === false;

const clockToleranceMs = 2_000;

async function checkDatabase(settings: Settings, databaseUrl: string): Promise<Finding> {
  const store = openStoreReadOnly({ dataFolder: settings.dataFolder, databaseUrl });
  try {
    const nowMs = await databaseClockMs(store).catch((thrown: unknown) => {
      throw serverFailure(databaseUrl, Object(thrown).cause ?? thrown);
    });
    const differenceMs = Math.abs(nowMs - Date.now());
    if (await isOtherSecret(store, settings)) return wrongSecret;
    const [unsafe] = store.warnings;
    if (unsafe !== undefined) return warning(unsafe, "Use sslmode=verify-full.");
    if (differenceMs <= clockToleranceMs) return ok("It accepts the connection, and its clock agrees with this one.");
    const detail = `Its clock differs from this machine's by ${(differenceMs / 1_000).toFixed(1)} seconds.`;
    return warning(detail, "Set the time of both machines, for example with NTP.");
  } finally {
    await store.close();
  }
}

function databaseCheck(settings: Settings): Check[] {
  const { databaseUrl } = settings;
  if (databaseUrl === undefined) return [];
  const host = URL.parse(databaseUrl)?.host || "this machine";
  return [{ name: "database", contacts: `the database (${host})`, run: () => checkDatabase(settings, databaseUrl) }];
}

/** A collector answers a request without content. */
async function checkCollector({ url, headers }: OtlpTarget): Promise<Finding> {
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const empty = { method: "POST", url, signal, body: "{}" } as const;
  const response = await createSend()({ ...empty, headers: { ...headers, "content-type": "application/json" } }).catch(
    () => null,
  );
  await response?.body?.cancel();
  if (response === null) return failed("It cannot be reached.", "Check OTEL_EXPORTER_OTLP_ENDPOINT.");
  if (response.status === 401 || response.status === 403)
    return failed(`It answers ${response.status}.`, "Check OTEL_EXPORTER_OTLP_HEADERS.");
  if (response.status === 404) return failed("It answers 404.", "Check the path of OTEL_EXPORTER_OTLP_ENDPOINT.");
  return response.status >= 500
    ? warning(`It answers ${response.status}.`, "Look into the log of the collector.")
    : ok("It answers.");
}

/** The only connections besides providers, the database and the storage for videos. */
function collectorChecks({ openTelemetry }: Settings): Check[] {
  const targets = { traces: openTelemetry?.traces ?? null, metrics: openTelemetry?.metrics ?? null };
  return Object.entries(targets).flatMap(([signal, target]) =>
    target === null
      ? []
      : [
          {
            name: `collector of ${signal}`,
            contacts: `the collector of ${signal} (${URL.parse(target.url)?.host ?? "?"})`,
            run: () => checkCollector(target),
          },
        ],
  );
}

/**
 * The checks of providers, of the storage for videos and of the database. The configuration is null if it has faults.
 */
export function networkChecks(settings: Settings, configuration: Configuration | null, catalog: Catalog): Check[] {
  return [
    ...catalog.providers.flatMap((provider) => providerCheck(provider, catalog)),
    ...(configuration === null ? [] : resultsCheck(settings, configuration)),
    ...databaseCheck(settings),
    ...collectorChecks(settings),
    ...stateCheck(settings),
  ];
}
