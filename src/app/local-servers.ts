// Local model servers: discovered at the start and every minute if nothing is configured, and listed in the catalog
// while they respond.
import type { Catalog, CatalogHolder } from "../gateway/routing/catalog.ts";
import type { ModelLists } from "../gateway/routing/model-lists.ts";
import { type DiscoverOptions, discover, type LocalPlace } from "../providers/discover.ts";
import { httpProvider } from "../providers/http-provider.ts";
import type { Provider } from "../providers/provider.ts";
import { createSend } from "../providers/upstream.ts";
import type { Events } from "../telemetry/events.ts";

/** The sandbox always exists. */
const builtInProviders = 1;

/** Where and how often model servers are discovered. */
export interface Discovery {
  readonly places?: readonly LocalPlace[];
  readonly everyMs?: number;
}

interface LocalServersParts {
  readonly catalog: CatalogHolder;
  readonly listings: ModelLists;
  readonly events: Events;
  readonly self: DiscoverOptions["self"];
  readonly discovery: Discovery;
}

interface LocalServers {
  /** The servers in the catalog at present. */
  current(): readonly Provider[];
  stop(): void;
}

const defaultEveryMs = 60_000;
/** No request waits for a later check, and a server that loads a model may be slow. */
const laterTimeoutMs = 2_000;
const listTimeoutMs = 1_500;
/** A busy server may miss this many checks. */
const maxMisses = 3;

interface Found {
  readonly provider: Provider;
  misses: number;
}

/** The catalog with these local servers before everything that is configured. */
function withLocal(catalog: Catalog, before: readonly Provider[], now: readonly Provider[]): Catalog {
  const others = catalog.providers.filter((provider) => !before.includes(provider));
  return { ...catalog, version: catalog.version + 1, providers: [...now, ...others] };
}

/** Resolves after the first check. */
async function watchLocalServers(parts: LocalServersParts): Promise<LocalServers> {
  const { catalog, listings, events, self, discovery } = parts;
  const { places, everyMs = defaultEveryMs } = discovery;
  const found = new Map<string, Found>();
  const send = createSend();
  const current = (): readonly Provider[] => [...found.values()].map(({ provider }) => provider);
  let isStopped = false;
  let isLooking = false;

  const look = async (timeoutMs?: number): Promise<void> => {
    const entries = await discover({
      self,
      send,
      ...(places === undefined ? {} : { places }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (isStopped) return;
    const before = current();
    const added = entries.filter(({ baseUrl }) => !found.has(baseUrl));
    for (const [baseUrl, server] of found) {
      server.misses = entries.some((entry) => entry.baseUrl === baseUrl) ? 0 : server.misses + 1;
      if (server.misses < maxMisses) continue;
      found.delete(baseUrl);
      events.localServerLost(server.provider.entry.name, baseUrl);
    }
    for (const entry of added) {
      found.set(entry.baseUrl, { provider: httpProvider(entry, { send }), misses: 0 });
      events.localServerFound(entry.name, entry.baseUrl);
    }
    const now = current();
    if (added.length === 0 && now.length === before.length) return;
    catalog.replace(withLocal(catalog.current(), before, now));
    await listings.refreshAll(
      now.filter((provider) => !before.includes(provider)),
      listTimeoutMs,
    );
  };
  const lookAgain = (): void => {
    if (isLooking) return;
    isLooking = true;
    void look(laterTimeoutMs).finally(() => {
      isLooking = false;
    });
  };
  await look();
  const timer = setInterval(lookAgain, everyMs);
  timer.unref();
  return {
    current,
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Local model servers are only discovered if nothing is configured. */
export async function localServers(
  { discovers, discovery = {} }: { readonly discovers?: boolean; readonly discovery?: Discovery },
  url: string,
  { catalog, listings, events }: Pick<LocalServersParts, "catalog" | "listings" | "events">,
  teardown: (() => unknown)[],
): Promise<readonly Provider[]> {
  if (discovers === false || catalog.current().providers.length > builtInProviders) return [];
  const { hostname: host, port } = new URL(url);
  const servers = watchLocalServers({ catalog, listings, events, self: { host, port: Number(port) }, discovery });
  teardown.push(async () => (await servers).stop());
  return (await servers).current();
}
