// Who is calling: a presented key in, a caller out. Lookups go by keyed hash; the key itself is never kept.
import { GatewayError } from "../canon/error.ts";
import type { Clock } from "../lib/clock.ts";
import { keyHasher } from "../lib/secret.ts";
import { findKeyByHash, type KeyRow, keysVersion, listKeys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";

export interface Caller {
  readonly keyId: string;
  readonly name: string;
}

export interface Keys {
  /** Throws `invalid_api_key` for an unknown, revoked or expired key. */
  identify(key: string): Caller | Promise<Caller>;
  close(): void;
}

export interface KeysOptions {
  readonly store: Store;
  readonly pepper: Uint8Array;
  /** Keys of the configuration file, by the hash of their secret. */
  readonly declared: ReadonlyMap<string, Caller>;
  readonly clock: Clock;
  readonly failed: (cause: unknown) => void;
}

interface Known {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
}

const pollMs = 1_000;
const maxKeyChars = 512;
const maxUnknown = 10_000;

const refused = (): GatewayError => new GatewayError("invalid_api_key", "The API key is not valid.");

function knownOf(row: KeyRow): Known {
  return { caller: { keyId: row.id, name: row.name }, expiresAtMs: row.expiresAtMs };
}

function apply(known: Map<string, Known>, rows: readonly KeyRow[]): void {
  const live = new Set(rows.filter((row) => row.revokedAtMs === null).map((row) => row.id));
  const changed = new Set(rows.map((row) => row.id));
  for (const [hash, { caller }] of known) if (changed.has(caller.keyId)) known.delete(hash);
  for (const row of rows) if (live.has(row.id)) known.set(row.hash, knownOf(row));
}

/** Loads all keys, then follows changes of the store: other processes create and revoke keys too. */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const { store, pepper, clock } = options;
  let version = await keysVersion(store);
  const known = new Map<string, Known>();
  apply(known, await listKeys(store));
  let unknown = new Set<string>();
  const follow = async (): Promise<void> => {
    const next = await keysVersion(store);
    if (next === version) return;
    apply(known, await listKeys(store, version));
    unknown = new Set();
    version = next;
  };
  const timer = setInterval(() => void follow().catch(options.failed), pollMs);
  timer.unref();

  const hashed = keyHasher(pepper);
  const live = (found: Known | undefined): Caller => {
    if (found === undefined) throw refused();
    if (found.expiresAtMs !== null && found.expiresAtMs <= clock.nowMs()) throw refused();
    return found.caller;
  };

  /** A key that was created a moment ago may not have been read yet; a wrong one is looked up once a second at most. */
  const lookUp = async (hash: string): Promise<Known | undefined> => {
    if (unknown.has(hash)) return undefined;
    const row = await findKeyByHash(store, hash);
    if (row !== undefined && row.revokedAtMs === null) {
      known.set(hash, knownOf(row));
      return knownOf(row);
    }
    if (unknown.size >= maxUnknown) unknown = new Set();
    unknown.add(hash);
    return undefined;
  };
  return {
    identify(key) {
      if (key.length > maxKeyChars) throw refused();
      const hash = hashed(key);
      const declared = options.declared.get(hash);
      if (declared !== undefined) return declared;
      const found = known.get(hash);
      return found === undefined ? lookUp(hash).then(live) : live(found);
    },
    close: () => clearInterval(timer),
  };
}
