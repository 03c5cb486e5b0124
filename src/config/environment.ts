// The environment, read once: every variable that the gateway uses, with its default.
import { isAbsolute, resolve } from "node:path";
import type { CorsOrigins } from "../http/cors.ts";
import { isAddressRange } from "../lib/address-set.ts";
import type { Account } from "../providers/credentials.ts";
import { providerKinds } from "../providers/index.ts";
import type { HttpKind } from "../providers/provider.ts";
import { type Level, levels } from "../telemetry/log.ts";
import type { OpenTelemetrySettings } from "../telemetry/opentelemetry/settings.ts";
import { accountFields } from "./account-fields.ts";
import { otelVariables, readOpenTelemetry } from "./opentelemetry.ts";
import { withSecretFiles } from "./secret-files.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the process. Empty variables count as unset. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  /** Null if none was set and the default file does not exist. */
  readonly configFile: string;
  /** Whether the file was set explicitly; such a file must exist. */
  readonly configNamed: boolean;
  readonly secret: string | null;
  /** The previous secret, only set while it is being replaced. */
  readonly previousSecret: string | null;
  readonly adminKey: string | null;
  /** A separate listener for the admin API and metrics; null: they use the main listener. */
  readonly adminListener: { readonly host: string; readonly port: number } | null;
  readonly clientKey: string | null;
  readonly databaseUrl: string | undefined;
  /** Unparsed; checked together with the file's entries. */
  readonly fetchAllow: readonly string[];
  /** Unparsed; takes precedence over the file. */
  readonly publicUrl: string | null;
  /** Origins of web pages that may call the gateway. */
  readonly corsOrigins: CorsOrigins;
  /** Networks of trusted proxies, whose X-Forwarded-For and -Proto are used. */
  readonly trustedProxies: readonly string[];
  readonly videoResults: string | null;
  readonly webhookSecret: string | null;
  /** Path of ffmpeg; null if it is disabled or not installed. */
  readonly ffmpeg: string | null;
  readonly logLevel: Level;
  /** For the log on a terminal. */
  readonly terminalFormat: "text" | "colored";
  /** Null without an endpoint. */
  readonly openTelemetry: OpenTelemetrySettings | null;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Files whose contents are values of variables. */
  readonly files: readonly string[];
}

interface Variable {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** The variables of one kind: its key, its URL, and other settings of its accounts. */
function variablesOf({ name: kind, environment, baseUrl, account }: HttpKind): Variable[] {
  if (environment === undefined) return [];
  const unset = "unset";
  const key = environment.credential;
  const members = Object.entries(account?.members ?? {});
  return [
    ...(key === undefined ? [] : [{ name: key, default: unset, meaning: `Configures a provider named \`${kind}\`.` }]),
    { name: environment.baseUrl, default: baseUrl ?? unset, meaning: `Base URL of the provider \`${kind}\`.` },
    ...members.flatMap(([member, names]) =>
      names.map((name) => ({
        name,
        default: unset,
        meaning: `\`${accountFields[member as keyof Account]}\` of the provider \`${kind}\`.`,
      })),
    ),
  ];
}

/** The source of docs/configuration.md. */
export const variables: readonly Variable[] = [
  { name: "PORT", default: "8080", meaning: "Port to listen on; 0 selects a free port." },
  { name: "HOST", default: "127.0.0.1", meaning: "Address to listen on." },
  {
    name: "TURNPIKE_DATA",
    default: "./data",
    meaning: "Folder for the database, the ledger and the generated secret.",
  },
  {
    name: "TURNPIKE_CONFIG",
    default: "./turnpike.yaml",
    meaning: "Configuration file. The default is used if it exists.",
  },
  {
    name: "TURNPIKE_SECRET",
    default: "generated",
    meaning:
      "Secret that encrypts stored credentials and is mixed into key hashes. Generated in the data folder, mode 0600.",
  },
  {
    name: "TURNPIKE_PREVIOUS_SECRET",
    default: "unset",
    meaning:
      "The earlier secret, for the first start with a new TURNPIKE_SECRET. Keys and stored credentials stay valid; remove it afterwards.",
  },
  {
    name: "TURNPIKE_ADMIN_KEY",
    default: "generated",
    meaning: "The admin key. Printed once at the first start.",
  },
  {
    name: "TURNPIKE_ADMIN_PORT",
    default: "unset: PORT",
    meaning: "Port of a separate listener for `/admin/api`, `/console` and `/metrics`, which PORT then does not serve.",
  },
  {
    name: "TURNPIKE_ADMIN_HOST",
    default: "127.0.0.1",
    meaning: "Address of that listener.",
  },
  {
    name: "TURNPIKE_KEY",
    default: "generated",
    meaning: "The first client key, named `default`. Printed once at the first start.",
  },
  {
    name: "DATABASE_URL",
    default: "unset",
    meaning: "`postgres://…` shares one database between instances; unset means SQLite in the data folder.",
  },
  {
    name: "TURNPIKE_FETCH_ALLOW",
    default: "unset",
    meaning:
      "Private addresses and non-standard ports from which media may be fetched, separated by commas: `host`, `address` or `range/prefix` for ports 80 and 443, or with `:port` for that port. Added to `fetch.allow` of the file.",
  },
  {
    name: "TURNPIKE_PUBLIC_URL",
    default: "from each request",
    meaning: "The gateway's address as clients reach it, used in links. Overrides `public_url` of the file.",
  },
  {
    name: "TURNPIKE_CORS_ORIGINS",
    default: "unset: none",
    meaning:
      "Origins of pages that may call the gateway from a browser, separated by commas, such as `https://app.example`. `*` allows all.",
  },
  {
    name: "TURNPIKE_TRUSTED_PROXIES",
    default: "unset: none",
    meaning:
      "Addresses and ranges of proxies in front of the gateway, separated by commas, such as `10.0.0.0/8`. Their `X-Forwarded-For` and `X-Forwarded-Proto` headers are used; those of other clients are ignored.",
  },
  {
    name: "TURNPIKE_VIDEO_RESULTS",
    default: "from the file",
    meaning:
      "Where completed videos are stored: `folder`, `bucket` or `proxy`. Overrides `videos.results.keep` of the file.",
  },
  {
    name: "TURNPIKE_WEBHOOK_SECRET",
    default: "derived, one per key",
    meaning: "Signs all webhooks: `whsec_` followed by 24 to 64 bytes in Base64. See `turnpike webhooks secret`.",
  },
  {
    name: "TURNPIKE_FFMPEG",
    default: "`ffmpeg` in `PATH`",
    meaning:
      "Path of ffmpeg, which transcodes speech if the provider does not support the requested format. `off` disables transcoding.",
  },
  {
    name: "LOG_LEVEL",
    default: "info",
    meaning:
      "Least level of the log's lines: `debug`, `info`, `warn` or `error`. `debug` has a line for every request. Overrides `log_level` of the file.",
  },
  { name: "NO_COLOR", default: "unset", meaning: "Any value: no colors in the log of a terminal." },
  ...otelVariables,
  ...providerKinds.flatMap(variablesOf),
];

function portOf(text: string, name = "PORT"): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Error(`${name} must be an integer from 0 to 65535, not '${text.slice(0, 20)}'.`);
}

/** An IPv6 address may be written as in a URL. */
const hostOf = (text: string): string => text.replace(/^\[(.*)\]$/, "$1");

function adminListenerOf(host: string | null, port: string | null): Settings["adminListener"] {
  if (port === null && host !== null) throw new Error("TURNPIKE_ADMIN_HOST is set, but not TURNPIKE_ADMIN_PORT.");
  return port === null ? null : { host: hostOf(host ?? "127.0.0.1"), port: portOf(port, "TURNPIKE_ADMIN_PORT") };
}

/** The same minimum as for keys of the file. */
const shortestKey = 8;

function keyOf(name: string, text: string | null): string | null {
  if (text === null || text.length >= shortestKey) return text;
  throw new Error(`${name} is too short: it must have at least ${shortestKey} characters.`);
}

function listOf(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

function corsOriginsOf(text: string | null): CorsOrigins {
  if (text === "*") return "*";
  const origins = listOf(text ?? "");
  const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin);
  if (wrong === undefined) return origins;
  throw new Error(
    `TURNPIKE_CORS_ORIGINS has an invalid entry '${wrong.slice(0, 100)}'. Use origins such as https://app.example, without a path, or '*'.`,
  );
}

function networksOf(text: string | null): string[] {
  const networks = listOf(text ?? "");
  const wrong = networks.find((network) => !isAddressRange(network));
  if (wrong === undefined) return networks;
  throw new Error(
    `TURNPIKE_TRUSTED_PROXIES has an invalid entry '${wrong.slice(0, 100)}'. Use addresses and ranges such as 10.0.0.0/8.`,
  );
}

function levelOf(text: string): Level {
  const level = levels.find((each) => each === text.toLowerCase());
  if (level !== undefined) return level;
  throw new Error(`LOG_LEVEL must be debug, info, warn or error, not '${text.slice(0, 20)}'.`);
}

/** A program that is set explicitly must exist; otherwise it may be missing. */
function ffmpegOf(named: string | null, searched: string): string | null {
  if (named === "off") return null;
  const found = Bun.which(named ?? "ffmpeg", { PATH: searched });
  if (found === null && named !== null)
    throw new Error("TURNPIKE_FFMPEG must be `off` or the path of an executable file.");
  return found;
}

/** Throws an Error with one sentence for an invalid value. */
export function readSettings(given: Environment, workingFolder: string): Settings {
  const { environment, files } = withSecretFiles(given, workingFolder);
  const text = (name: string): string | null => environment[name]?.trim() || null;
  const path = (value: string): string => (isAbsolute(value) ? value : resolve(workingFolder, value));
  const config = text("TURNPIKE_CONFIG");
  return {
    host: hostOf(text("HOST") ?? "127.0.0.1"),
    port: portOf(text("PORT") ?? "8080"),
    dataFolder: path(text("TURNPIKE_DATA") ?? "./data"),
    configFile: path(config ?? "./turnpike.yaml"),
    configNamed: config !== null,
    secret: text("TURNPIKE_SECRET"),
    adminListener: adminListenerOf(text("TURNPIKE_ADMIN_HOST"), text("TURNPIKE_ADMIN_PORT")),
    previousSecret: text("TURNPIKE_PREVIOUS_SECRET"),
    adminKey: keyOf("TURNPIKE_ADMIN_KEY", text("TURNPIKE_ADMIN_KEY")),
    clientKey: keyOf("TURNPIKE_KEY", text("TURNPIKE_KEY")),
    databaseUrl: text("DATABASE_URL") ?? undefined,
    fetchAllow: listOf(text("TURNPIKE_FETCH_ALLOW") ?? ""),
    publicUrl: text("TURNPIKE_PUBLIC_URL"),
    corsOrigins: corsOriginsOf(text("TURNPIKE_CORS_ORIGINS")),
    trustedProxies: networksOf(text("TURNPIKE_TRUSTED_PROXIES")),
    videoResults: text("TURNPIKE_VIDEO_RESULTS"),
    webhookSecret: text("TURNPIKE_WEBHOOK_SECRET"),
    ffmpeg: ffmpegOf(text("TURNPIKE_FFMPEG"), environment["PATH"] ?? ""),
    logLevel: levelOf(text("LOG_LEVEL") ?? "info"),
    // https://no-color.org: any value but the empty one.
    terminalFormat: text("NO_COLOR") !== null ? "text" : "colored",
    openTelemetry: readOpenTelemetry(text),
    environment,
    workingFolder,
    files,
  };
}
