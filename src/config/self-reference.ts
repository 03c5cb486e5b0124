// Detects providers that are this gateway itself, by URL or credential, which would send requests in circles.
import { hostname, networkInterfaces } from "node:os";
import { hashKey } from "../lib/secret.ts";
import { providerKinds } from "../providers/index.ts";
import type { HttpKind } from "../providers/provider.ts";
import { findKeyByHash } from "../store/keys.ts";
import { readSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import type { Environment, Settings } from "./environment.ts";
import type { ReadConfig } from "./file.ts";
import { adminSetting } from "./secrets.ts";

/** How the gateway is recognized. */
interface Own {
  isAddress(url: string): boolean;
  /** Whether a text is a key of this gateway. */
  isKey(text: string): Promise<boolean>;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const everyAddress = new Set(["0.0.0.0", "::", "*"]);
const loopback = ["127.0.0.1", "::1", "localhost", "0.0.0.0", "::"];

const bare = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();

/** The names at which a listener on this host is reached from this machine. */
function namesOf(host: string): ReadonlySet<string> {
  const name = bare(host);
  if (loopback.slice(0, 3).includes(name)) return new Set(loopback);
  if (!everyAddress.has(name)) return new Set([name]);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return new Set([...loopback, hostname().toLowerCase(), ...addresses.map(({ address }) => address.toLowerCase())]);
}

/** Whether a URL leads to the gateway's own listener or to its public URL. */
export function ownAddress(
  { host, port, publicUrl }: Pick<Settings, "host" | "port" | "publicUrl">,
  filePublicUrl?: string,
): Own["isAddress"] {
  const names = namesOf(host);
  const known = publicUrl ?? filePublicUrl;
  const shown = known !== undefined && URL.canParse(known) ? new URL(known) : null;
  return (text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    const urlPort = url.port === "" ? defaultPorts[url.protocol] : Number(url.port);
    if (port !== 0 && urlPort === port && names.has(bare(url.hostname))) return true;
    return (
      shown !== null &&
      url.origin === shown.origin &&
      `${url.pathname}/`.startsWith(shown.pathname.replace(/\/*$/, "/"))
    );
  };
}

/** Whether a text is a key of this gateway: of the file, of the store (including revoked ones), or the admin key. */
async function isOwnKey(store: Store, pepper: Uint8Array, { config }: ReadConfig, text: string): Promise<boolean> {
  if (Object.values(config.keys ?? {}).some(({ secret }) => secret === text)) return true;
  const hash = hashKey(pepper, text);
  if ((await findKeyByHash(store, hash)) !== undefined) return true;
  return (await readSetting(store, adminSetting)) === hash;
}

/** Throws the Error for a provider of the file that is the gateway itself, with line and field. */
async function refuseOwn({ config, fault }: ReadConfig, own: Own): Promise<void> {
  for (const [name, { base_url: baseUrl, credential }] of Object.entries(config.providers ?? {})) {
    const place = ["providers", name];
    if (baseUrl !== undefined && own.isAddress(baseUrl))
      throw fault([...place, "base_url"], "this is the address of this gateway. Use the provider's address");
    if (credential !== undefined && (await own.isKey(credential)))
      throw fault([...place, "credential"], "this is a key of this gateway. Use the provider's credential");
  }
}

/** A variable of this kind that refers to the gateway itself; null if none does. */
async function ownVariable({ environment }: HttpKind, given: Environment, own: Own): Promise<string | null> {
  if (environment?.credential === undefined) return null;
  const credential = given[environment.credential]?.trim() ?? "";
  if (credential === "") return null;
  if (own.isAddress(given[environment.baseUrl]?.trim() ?? "")) return environment.baseUrl;
  return (await own.isKey(credential)) ? environment.credential : null;
}

/**
 * The environment without the variables of providers that are the gateway itself. A shell that has them set for
 * clients of the gateway may also start it, so this is a warning and not an error.
 */
async function withoutOwn(given: Environment, own: Own, warn: (warning: string) => void): Promise<Environment> {
  const ignored = new Set<string>();
  for (const kind of providerKinds) {
    const variable = await ownVariable(kind, given, own);
    if (variable === null || kind.environment === undefined) continue;
    const { credential = "", baseUrl } = kind.environment;
    warn(`${variable} leads to this gateway, so the provider '${kind.name}' is not configured from the environment.`);
    for (const name of [credential, baseUrl]) ignored.add(name);
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.has(name)));
}

/** The file without such providers of the environment. Throws the Error for one that the file declares. */
export async function withoutOwnProviders(
  file: ReadConfig,
  { settings, store, pepper }: { readonly settings: Settings; readonly store: Store; readonly pepper: Uint8Array },
  warn: (warning: string) => void,
): Promise<ReadConfig> {
  const own: Own = {
    isAddress: ownAddress(settings, file.config.public_url),
    isKey: (text) => isOwnKey(store, pepper, file, text),
  };
  await refuseOwn(file, own);
  return { ...file, environment: await withoutOwn(file.environment, own, warn) };
}
