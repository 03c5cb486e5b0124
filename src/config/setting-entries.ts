// The settings in effect, without secrets, and where each is defined: for the admin API.
import { basename } from "node:path";
import type { Configuration } from "./configuration.ts";
import { defaultIdleMinutes, defaultSessionHours } from "./console-settings.ts";
import type { Settings } from "./environment.ts";
import { fieldOf, limitRows, limitsOf } from "./limits.ts";

interface Entry {
  readonly id: string;
  readonly value: string | number | boolean | null;
  readonly source: "default" | "file" | "environment";
  /** The variable that defines it, where its id is not the variable's name. */
  readonly variable?: string;
}

interface SettingEntry extends Omit<Entry, "variable"> {
  readonly variable: string | null;
  readonly file: string | null;
  readonly file_line: number | null;
}

/** Variables that are not secret, with their values in effect. */
function variables(settings: Settings): readonly (readonly [name: string, value: string | number | null])[] {
  return [
    ["HOST", settings.host],
    ["PORT", settings.port],
    ["TURNPIKE_DATA", settings.dataFolder],
    ["TURNPIKE_CONFIG", settings.configFile],
    ["TURNPIKE_PUBLIC_URL", settings.publicUrl],
    ["TURNPIKE_CORS_ORIGINS", settings.corsOrigins === "*" ? "*" : settings.corsOrigins.join(", ")],
    ["TURNPIKE_TRUSTED_PROXIES", settings.trustedProxies.join(", ")],
    ["TURNPIKE_FETCH_ALLOW", settings.fetchAllow.join(", ")],
    ["TURNPIKE_VIDEO_RESULTS", settings.videoResults],
    ["TURNPIKE_FFMPEG", settings.ffmpeg],
    ["DATABASE_URL", settings.databaseUrl === undefined ? null : "postgres://…"],
  ];
}

/** What became of the configuration as it was read last. */
interface ReadStatus {
  readonly loadedAtMs: number;
  readonly faults: readonly string[];
  readonly needsRestart: readonly string[];
}

/** Whether the file is in effect. */
function statusEntries({ loadedAtMs, faults, needsRestart }: ReadStatus): Entry[] {
  const entry = (name: string, value: string | null): Entry => ({
    ...{ id: `configuration.${name}`, value, source: "file" },
  });
  return [
    entry("state", faults.length === 0 ? "applied" : "refused"),
    entry("loaded_at", new Date(loadedAtMs).toISOString()),
    entry("faults", faults.length === 0 ? null : faults.join("\n")),
    entry("needs_restart", needsRestart.length === 0 ? null : needsRestart.join(", ")),
  ];
}

/** Settings by their ids, with what they came to. */
function values(settings: Settings, { file, logLevel, timeZone }: Configuration): readonly Entry[] {
  const given = (name: string): Entry["source"] => (settings.environment[name]?.trim() ? "environment" : "default");
  const { console: pages, limits: declared = {}, responses, videos } = file.config;
  const limits = limitsOf(file.config.limits);
  const inFile = (value: unknown): Entry["source"] => (value === undefined ? "default" : "file");
  return [
    {
      id: "log_level",
      value: logLevel,
      source: given("LOG_LEVEL") === "default" ? inFile(file.config.log_level) : "environment",
      variable: "LOG_LEVEL",
    },
    { id: "time_zone", value: timeZone, source: inFile(file.config.time_zone) },
    ...variables(settings).map(([id, value]): Entry => ({ id, value, source: given(id) })),
    ...limitRows.map(({ name }): Entry => {
      const source = inFile((declared as Readonly<Record<string, unknown>>)[fieldOf(name)]);
      return { id: `limits.${fieldOf(name)}`, value: limits[name as keyof typeof limits], source };
    }),
    {
      id: "responses.retention_days",
      value: responses?.retention_days ?? null,
      source: inFile(responses?.retention_days),
    },
    {
      id: "console.session_hours",
      value: pages?.session_hours ?? defaultSessionHours,
      source: inFile(pages?.session_hours),
    },
    {
      id: "console.session_idle_minutes",
      value: pages?.session_idle_minutes ?? defaultIdleMinutes,
      source: inFile(pages?.session_idle_minutes),
    },
    { id: "console.oidc.issuer", value: pages?.oidc?.issuer ?? null, source: inFile(pages?.oidc) },
    { id: "videos.retention_days", value: videos?.retention_days ?? null, source: inFile(videos?.retention_days) },
  ];
}

/** Settings with the line of the file, or the variable, that defines them. */
export function settingEntries(
  settings: Settings,
  configuration: Configuration,
  status: ReadStatus,
): readonly SettingEntry[] {
  const file = basename(settings.configFile);
  return [
    ...statusEntries(status).map((entry) => ({ ...entry, variable: null, file, file_line: null })),
    ...values(settings, configuration).map(({ variable, ...entry }) => ({
      ...entry,
      variable: entry.source === "environment" ? (variable ?? entry.id) : null,
      file: entry.source === "file" ? file : null,
      file_line: entry.source === "file" ? configuration.file.lineAt(entry.id.split(".")) : null,
    })),
  ];
}
