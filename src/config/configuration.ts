// The complete configuration of the file and the environment, checked before anything is opened.
import { createWindows } from "../gateway/policy/windows.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { type DeclaredAccess, declaredAccess } from "./access.ts";
import { type BodySettings, bodySettings } from "./bodies.ts";
import type { Settings } from "./environment.ts";
import { fetchAllowOf } from "./fetch-allowlist.ts";
import { type ReadConfig, readConfigFile } from "./file.ts";
import { readPrices } from "./prices.ts";
import { buildCatalog } from "./providers.ts";
import { type VideoOptions, videoOptions } from "./videos.ts";
import { configWarnings } from "./warnings.ts";

export interface Configuration {
  readonly file: ReadConfig;
  readonly access: DeclaredAccess;
  readonly fetchAllow: readonly string[];
  readonly videos: VideoOptions;
  readonly bodies: BodySettings;
  readonly prices: Prices;
  /** Sentences about settings that are allowed but probably wrong. */
  readonly warnings: readonly string[];
}

function checkTimeZone(file: ReadConfig): void {
  try {
    createWindows(file.config.time_zone ?? "UTC", () => 0);
  } catch {
    file.faults.add(file.fault(["time_zone"], "is not a time zone; it must be one such as Europe/Berlin"));
  }
}

/** Throws a ConfigError with all faults. */
export function readConfiguration(settings: Settings): Configuration {
  const file = readConfigFile(settings);
  const catalog = buildCatalog(file, settings.environment);
  const access = declaredAccess(file, settings);
  const fetchAllow = file.faults.attempt(() => fetchAllowOf(settings, file)) ?? [];
  const prices = readPrices(file);
  const videos = file.faults.attempt(() => videoOptions(settings, file));
  const bodies = bodySettings(file);
  checkTimeZone(file);
  file.faults.throwIfAny();
  if (videos === undefined) throw new Error("The video settings could not be read.");
  return { file, access, fetchAllow, videos, bodies, prices, warnings: configWarnings(file, catalog) };
}
