// The secret of the installation and the two first keys: taken from the environment, else made once and kept.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKey, previewOf } from "../gateway/policy/key-changes.ts";
import { randomId } from "../lib/ids.ts";
import { deriveKey, hashKey, open, Secret, seal } from "../lib/secret.ts";
import { listKeys, upsertKeyByName } from "../store/keys.ts";
import { readSetting, writeSetting, writeSettingIfAbsent } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import type { Settings } from "./environment.ts";

export const adminSetting = "admin_key_hash";
const fingerprintSetting = "secret_fingerprint";
const keyChars = 43;
const shortestSecret = 16;

function checked(name: string, secret: string): Secret {
  if (secret.length >= shortestSecret) return new Secret(secret);
  throw new Error(`${name} is too short: it must have at least ${shortestSecret} characters.`);
}

/** The secret that is being replaced; null where none is given. */
export const previousSecret = ({ previousSecret: given }: Settings): Secret | null =>
  given === null ? null : checked("TURNPIKE_PREVIOUS_SECRET", given);

/** Where a generated secret is. */
export const secretFileOf = (dataFolder: string): string => join(dataFolder, "secret");

/** The secret that was set, or that an earlier start generated. Throws where there is none. */
export function readExistingSecret({ secret, dataFolder }: Settings): Secret {
  if (secret !== null) return checked("TURNPIKE_SECRET", secret);
  const file = secretFileOf(dataFolder);
  if (!existsSync(file))
    throw new Error(`The data folder ${dataFolder} has no secret. Set TURNPIKE_SECRET to the gateway's secret.`);
  return new Secret(readFileSync(file, "utf8").trim());
}

/** The installation's secret. A generated one lies in the data folder, readable by its owner only. */
export function readSecret(settings: Settings): Secret {
  const file = secretFileOf(settings.dataFolder);
  if (settings.secret === null && !existsSync(file))
    writeFileSync(file, randomId("", keyChars), { mode: 0o600, flag: "wx" });
  return readExistingSecret(settings);
}

const fingerprintOf = (secret: Secret): string => Buffer.from(deriveKey(secret, "fingerprint")).toString("hex");

/** The fingerprint of the secret, and behind a dot what everything is derived from, sealed under it. Without it: the secret itself. */
const storedAs = (secret: Secret, root: Secret): string =>
  `${fingerprintOf(secret)}.${seal(deriveKey(secret, "root"), root.reveal(), rootContext)}`;
const rootContext = "root";

/** Whether the store was written under this secret; null for a store without a fingerprint. Writes nothing. */
export async function secretMatches(store: Store, secret: Secret): Promise<boolean | null> {
  const stored = await readSetting(store, fingerprintSetting);
  return stored === undefined ? null : isUnder(stored, secret);
}

const isUnder = (stored: string, secret: Secret): boolean => stored.split(".")[0] === fingerprintOf(secret);

function rootIn(stored: string, secret: Secret): Secret {
  const [, sealed] = stored.split(".");
  return sealed === undefined ? secret : open(deriveKey(secret, "root"), sealed, rootContext);
}

/** As `openRoot`, of a store that is only read. Null where the store was written under another secret. */
export async function readRoot(store: Store, secret: Secret): Promise<Secret | null> {
  const stored = await readSetting(store, fingerprintSetting);
  if (stored === undefined) return secret;
  return isUnder(stored, secret) ? rootIn(stored, secret) : null;
}

/**
 * What every other key of the installation is derived from. It stays the same when the secret is replaced: `previous` opens
 * it once more, and it is sealed again. Throws for another secret than the store was written under: no key would work.
 * A store without a fingerprint takes that of this secret.
 */
export async function openRoot(store: Store, secret: Secret, previous: Secret | null = null): Promise<Secret> {
  const stored = await writeSettingIfAbsent(store, fingerprintSetting, fingerprintOf(secret));
  if (isUnder(stored, secret)) return rootIn(stored, secret);
  if (previous !== null && isUnder(stored, previous)) {
    const root = rootIn(stored, previous);
    await writeSetting(store, fingerprintSetting, storedAs(secret, root));
    return root;
  }
  throw new Error(
    "TURNPIKE_SECRET does not match the stored data: existing keys would stop working. " +
      "Set the earlier secret; it is in the file 'secret' of the earlier data folder. " +
      "To replace the secret, set TURNPIKE_PREVIOUS_SECRET to the earlier one.",
  );
}

/** The key under which credentials of providers are sealed. */
export const credentialKeyOf = (root: Secret): Uint8Array => deriveKey(root, "provider-credentials");

/** The pepper under which keys are hashed. */
export const pepperOf = (root: Secret): Uint8Array => deriveKey(root, "key-hash");

/** Keys that were made just now and are shown this once; null for those that stood or were given. */
export interface FirstKeys {
  readonly clientKey: string | null;
  readonly adminKey: string | null;
  /** The operator named the client key: it stands in a variable. */
  readonly clientKeyGiven: boolean;
}

async function firstClientKey(
  store: Store,
  pepper: Uint8Array,
  given: string | null,
  nowMs: number,
): Promise<string | null> {
  if (given === null && (await listKeys(store)).length > 0) return null;
  const key = given ?? newKey();
  const row = { id: randomId("key_"), name: "default", hash: hashKey(pepper, key), preview: previewOf(key) };
  const written = await upsertKeyByName(store, { ...row, createdAtMs: nowMs, expiresAtMs: null, rules: null });
  if (written.kind === "taken")
    throw new Error("TURNPIKE_KEY is already in use by another key or by a revoked key. Set a different value.");
  return given === null ? key : null;
}

async function firstAdminKey(store: Store, pepper: Uint8Array, given: string | null): Promise<string | null> {
  if (given !== null) {
    await writeSetting(store, adminSetting, hashKey(pepper, given));
    return null;
  }
  if ((await readSetting(store, adminSetting)) !== undefined) return null;
  const key = newKey();
  const hash = hashKey(pepper, key);
  return (await writeSettingIfAbsent(store, adminSetting, hash)) === hash ? key : null;
}

/** Makes sure that there is a client key and an admin key. */
export async function ensureFirstKeys(
  store: Store,
  pepper: Uint8Array,
  settings: Settings,
  nowMs: number,
): Promise<FirstKeys> {
  return {
    clientKey: await firstClientKey(store, pepper, settings.clientKey, nowMs),
    adminKey: await firstAdminKey(store, pepper, settings.adminKey),
    clientKeyGiven: settings.clientKey !== null,
  };
}
