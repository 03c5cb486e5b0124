// The complete configuration of the file and the environment, checked before anything of it takes effect.

import type { OidcSettings } from "../admin/oidc-client.ts";
import type { BodySettings } from "../gateway/bodies/types.ts";
import { createWindows } from "../gateway/policy/windows.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import type { Level } from "../telemetry/log.ts";
import { type DeclaredAccess, declaredAccess } from "./access.ts";
import { type AlertSettings, alertSettings } from "./alerts.ts";
import { bodySettings } from "./bodies.ts";
import type { Settings } from "./environment.ts";
import { fetchAllowOf } from "./fetch-allowlist.ts";
import { type ReadConfig, readConfigFile } from "./file.ts";
import { oidcSettings } from "./oidc.ts";
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
  /** Null without alerts. */
  readonly alerts: AlertSettings | null;
  /** Null without an OpenID provider. */
  readonly oidc: OidcSettings | null;
  readonly logLevel: Level;
  readonly timeZone: string;
  /** Sentences about settings that are allowed but probably wrong. */
  readonly warnings: readonly string[];
}

const defaultTimeZone = "UTC";

function timeZoneOf(file: ReadConfig): string {
  const timeZone = file.config.time_zone ?? defaultTimeZone;
  try {
    createWindows(timeZone, () => 0);
  } catch {
    file.faults.add(file.fault(["time_zone"], "is not a time zone; it must be one such as Europe/Berlin"));
  }
  return timeZone;
}

/** The variable counts before the file. */
function logLevelOf({ environment, logLevel }: Settings, { config }: ReadConfig): Level {
  return environment["LOG_LEVEL"]?.trim() ? logLevel : (config.log_level ?? logLevel);
}

/** Throws a ConfigError with all faults. */
export function readConfiguration(settings: Settings, file = readConfigFile(settings)): Configuration {
  const catalog = buildCatalog(file);
  const access = declaredAccess(file, settings);
  const fetchAllow = file.faults.attempt(() => fetchAllowOf(settings, file)) ?? [];
  const prices = readPrices(file);
  const videos = file.faults.attempt(() => videoOptions(settings, file));
  const bodies = bodySettings(file);
  const timeZone = timeZoneOf(file);
  const alerts = alertSettings(file);
  const oidc = oidcSettings(file);
  file.faults.throwIfAny();
  if (videos === undefined) throw new Error("The video settings could not be read.");
  const [logLevel, warnings] = [logLevelOf(settings, file), configWarnings(settings, file, catalog)];
  return { file, access, fetchAllow, videos, bodies, prices, alerts, oidc, logLevel, timeZone, warnings };
}
