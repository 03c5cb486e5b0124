// Everything that the file and the environment configure, checked as a whole before anything is opened.
import type { Prices } from "../gateway/prices/prices.ts";
import type { Settings } from "./environment.ts";
import { fetchAllowOf } from "./fetch-allowlist.ts";
import { type ReadConfig, readConfigFile } from "./file.ts";
import { readPrices } from "./prices.ts";
import { buildCatalog } from "./providers.ts";
import { type VideoOptions, videoOptions } from "./videos.ts";
import { configWarnings } from "./warnings.ts";

export interface DeclaredKey {
  readonly name: string;
  readonly secret: string;
}

export interface Configuration {
  readonly file: ReadConfig;
  readonly keys: readonly DeclaredKey[];
  readonly fetchAllow: readonly string[];
  readonly videos: VideoOptions;
  readonly prices: Prices;
  /** Sentences about what is allowed but doubtful. */
  readonly warnings: readonly string[];
}

/** Two names with one secret would be one key whose name depends on the order. */
function declaredKeys(file: ReadConfig, { clientKey, adminKey }: Settings): DeclaredKey[] {
  const owners = new Map<string, string>();
  if (clientKey !== null) owners.set(clientKey, "TURNPIKE_KEY");
  if (adminKey !== null) owners.set(adminKey, "TURNPIKE_ADMIN_KEY");
  return Object.entries(file.config.keys ?? {}).map(([name, { secret }]) => {
    const owner = owners.get(secret);
    if (owner !== undefined) file.faults.add(file.fault(["keys", name, "secret"], `is the same as ${owner}`));
    owners.set(secret, `keys.${name}.secret`);
    return { name, secret };
  });
}

/** Throws a ConfigError that names every fault. */
export function readConfiguration(settings: Settings): Configuration {
  const file = readConfigFile(settings);
  const catalog = buildCatalog(file, settings.environment);
  const keys = declaredKeys(file, settings);
  const fetchAllow = file.faults.attempt(() => fetchAllowOf(settings, file)) ?? [];
  const prices = readPrices(file);
  const videos = file.faults.attempt(() => videoOptions(settings, file));
  file.faults.throwIfAny();
  if (videos === undefined) throw new Error("The video settings could not be read.");
  return { file, keys, fetchAllow, videos, prices, warnings: configWarnings(file, catalog) };
}
