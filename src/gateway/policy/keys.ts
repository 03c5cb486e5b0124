// Who is calling: a presented key in, a caller out. Lookups go by keyed hash; the key itself is never kept.
import { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyHasher } from "../../lib/secret.ts";
import { type KeyRow, keysVersion, listKeys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

export interface Caller {
  readonly keyId: string;
  readonly name: string;
}

export interface Keys {
  /** Throws `invalid_api_key` for an unknown, revoked or expired key. */
  identify(key: string): Caller | Promise<Caller>;
  /** True while the store does not answer: keys that were made elsewhere since then are not known. */
  isBehind(): boolean;
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
/** Between two looks at the store for the sake of unknown keys, however many of them there are. */
const lookEveryMs = 50;
const maxKeyChars = 512;

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

/** Runs `work` for each caller after it has called, and once for all that call meanwhile. */
function atMostEvery(everyMs: number, work: () => Promise<void>, clock: Clock): () => Promise<void> {
  let next: Promise<void> | null = null;
  let last: Promise<void> = Promise.resolve();
  let startedMs = Number.NEGATIVE_INFINITY;
  const run = async (): Promise<void> => {
    await last;
    const waitMs = startedMs + everyMs - clock.monotonicMs();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    startedMs = clock.monotonicMs();
    next = null;
    last = work();
    await last;
  };
  return () => {
    next ??= run();
    return next;
  };
}

/** Loads all keys, then follows changes of the store: other processes create and revoke keys too. */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const { store, pepper, clock } = options;
  let version = await keysVersion(store);
  const known = new Map<string, Known>();
  apply(known, await listKeys(store));
  let isBehind = false;
  const follow = async (): Promise<void> => {
    try {
      const next = await keysVersion(store);
      if (next !== version) apply(known, await listKeys(store, version));
      version = next;
      isBehind = false;
    } catch (cause) {
      isBehind = true;
      options.failed(cause);
    }
  };
  const looks = atMostEvery(lookEveryMs, follow, clock);
  const timer = setInterval(() => void looks(), pollMs);
  timer.unref();

  const hashed = keyHasher(pepper);
  const live = (found: Known | undefined): Caller => {
    if (found === undefined) throw refused();
    if (found.expiresAtMs !== null && found.expiresAtMs <= clock.nowMs()) throw refused();
    return found.caller;
  };

  /** A key that was created a moment ago may not have been read yet. All that are unknown at once wait for the same look. */
  const lookUp = async (hash: string): Promise<Known | undefined> => {
    // Without the store nobody can have made a key that this process does not know.
    if (!isBehind) await looks();
    return known.get(hash);
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
    isBehind: () => isBehind,
    close: () => clearInterval(timer),
  };
}
