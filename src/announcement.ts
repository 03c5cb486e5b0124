// What the operator sees when the gateway has begun to listen: its address, its keys, and the models that clients can use.
import { limitsOf } from "./config/limits.ts";
import type { Foundation, StartOptions, Teardown } from "./foundation.ts";
import type { Gateway } from "./gateway/pipeline/gateway.ts";
import { followBooks } from "./gateway/prices/stored-books.ts";
import { localServers } from "./local-servers.ts";
import { startupMessage } from "./startup-message.ts";

const listPatienceMs = 1_500;

/** The rest of the startup message waits for the providers' model lists; the listener does not. */
export async function announce(
  options: StartOptions,
  url: string,
  { firstKeys, limits, configuration, settings }: Foundation,
  gateway: Gateway,
  teardown: Teardown,
): Promise<void> {
  const { maxConcurrentRequests } = limits;
  const books = storedBooks(settings, gateway, teardown);
  if (maxConcurrentRequests < limitsOf(configuration.file.config.limits).maxConcurrentRequests)
    gateway.events.descriptorLimit(maxConcurrentRequests);
  const local = await localServers(options, url, gateway, teardown);
  const catalog = gateway.catalog.current();
  await gateway.listings.refreshAll(catalog.providers, listPatienceMs);
  for (const line of startupMessage(url, firstKeys, catalog, gateway.listings, local)) options.print(line);
  gateway.prices.cost.prepare();
  books.follow();
}

/** Prices are stored once they are all read, which takes a while, unless the gateway has stopped by then. */
function storedBooks({ dataFolder }: Foundation["settings"], gateway: Gateway, teardown: Teardown) {
  let stop: (() => void) | null = null;
  let isOver = false;
  teardown.push(() => {
    isOver = true;
    stop?.();
  });
  return {
    follow(): void {
      const failed = (cause: unknown): void => gateway.events.backgroundTaskFailed("catalog", cause);
      if (!isOver) stop = followBooks(dataFolder, () => gateway.prices, failed);
    },
  };
}
