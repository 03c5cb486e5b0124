// What the operator sees when the gateway has begun to listen: its address, its keys, and the models that clients can use.
import { createSignInToken, signInUrl } from "../admin/sessions.ts";
import { limitsOf } from "../config/limits.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { followBooks } from "../gateway/prices/stored-books.ts";
import { systemClock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";
import { writeSettingIfAbsent } from "../store/settings.ts";
import type { Foundation, StartOptions, Teardown } from "./foundation.ts";
import { localServers } from "./local-servers.ts";
import { startupMessage } from "./startup-message.ts";

const listPatienceMs = 1_500;

/** The rest of the startup message waits for the providers' model lists; the listener does not. */
export async function announce(
  options: StartOptions,
  url: string,
  foundation: Foundation,
  gateway: Gateway,
  teardown: Teardown,
): Promise<void> {
  const { firstKeys, limits, configuration, settings } = foundation;
  const { maxConcurrentRequests } = limits;
  const books = storedBooks(settings, gateway, teardown);
  if (maxConcurrentRequests < limitsOf(configuration.file.config.limits).maxConcurrentRequests)
    gateway.events.descriptorLimit(maxConcurrentRequests);
  const local = await localServers(options, url, gateway, teardown);
  const catalog = gateway.catalog.current();
  await gateway.listings.refreshAll(catalog.providers, listPatienceMs);
  // Fails where the gateway has been stopped meanwhile: the line is not needed then.
  const page = await consolePage(options, url, foundation).catch(() => null);
  for (const line of startupMessage(url, firstKeys, catalog, gateway.listings, local)) options.print(line);
  if (page !== null) options.print(page);
  gateway.prices.cost.prepare();
  books.follow();
}

const linkSetting = "console_link";

/** The line about the console; at the first start with a link that signs in, which is opened where a person sees it. */
async function consolePage(options: StartOptions, url: string, { settings, configuration, store, pepper }: Foundation) {
  const { adminListener: own } = settings;
  const base = own === null ? (configuration.videos.publicUrl ?? url) : `http://${own.host}:${own.port}`;
  const mine = randomId("first_");
  if ((await writeSettingIfAbsent(store, linkSetting, mine)) !== mine) return `  console     ${base}/console`;
  const link = signInUrl(base, await createSignInToken(store, pepper, systemClock.nowMs()));
  options.openPage?.(link);
  return `  console     ${link}   (signs in once, within 30 minutes)`;
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
