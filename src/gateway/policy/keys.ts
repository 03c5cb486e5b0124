// Identifies the caller of a key. Keys are looked up by their keyed hash and never stored.
import { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyHasher } from "../../lib/secret.ts";
import { type KeyRow, keysVersion, listKeys } from "../../store/keys.ts";
import { listProjects, type ProjectRow, projectsVersion } from "../../store/projects.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, callerOf } from "./caller.ts";
import { type ProjectRules, type Rules, readProjectRules, readRules } from "./rules.ts";

export interface Keys {
  /** Throws `invalid_api_key` for an unknown, revoked, disabled or expired key. */
  identify(key: string): Caller | Promise<Caller>;
  /** The caller of a key, whether or not it may be used at present. Undefined for an unknown or revoked one. */
  callerWithId(keyId: string): Caller | undefined;
  /** Reads at once what this process has just changed in the store. */
  refresh(): Promise<void>;
  /** True while the store is unavailable: keys created elsewhere since then are unknown. */
  isBehind(): boolean;
  /**
   * The callback receives the id of each key whose running work must end, including those since the keys were opened.
   */
  onWorkEnded(end: (keyId: string) => void): void;
  /** Replaces the keys and projects of the configuration file. */
  declare(declared: DeclaredKeys): void;
  close(): void;
}

interface DeclaredCaller {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
}

/** The declarations of the configuration file, which take precedence over the store. */
export interface DeclaredKeys {
  /** By the hash of their secret. */
  readonly keys: ReadonlyMap<string, DeclaredCaller>;
  /** By id. */
  readonly projects: ReadonlyMap<string, ProjectRules>;
  /** Rules of the organization `default`, over the keys of the store, too. */
  readonly organization: Rules | null;
}

interface KeysOptions {
  readonly store: Store;
  readonly pepper: Uint8Array;
  readonly declared: DeclaredKeys;
  readonly clock: Clock;
  readonly failed: (cause: unknown) => void;
}

interface Project {
  readonly id: string;
  readonly rules: ProjectRules | null;
}

/** A secret of a stored key. Its caller is built at the first request, and again after a change of its project. */
interface Known {
  readonly row: KeyRow;
  /** The expiry of the key, or of a rotated secret. */
  readonly expiresAtMs: number | null;
  project: Project | null;
  organization: Rules | null;
  caller: Caller | null;
}

const pollMs = 1_000;
/** Between two reads of the store for unknown keys, however many there are. */
const lookEveryMs = 50;
const maxKeyChars = 512;

/** The prefix of what is hashed if only the hash of a secret is known. A presented key with this prefix is refused. */
const importedPrefix = "sha256:";
const importedSecret = (key: string): string =>
  `${importedPrefix}${new Bun.CryptoHasher("sha256").update(key).digest("hex")}`;

const refused = (reason = "is not valid"): GatewayError =>
  new GatewayError("invalid_api_key", `The API key ${reason}.`);

const earlier = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.min(left, right);

/** The secrets of all keys that are not revoked, by hash. */
class KnownKeys {
  private readonly byHash = new Map<string, Known>();
  private readonly hashesOf = new Map<string, readonly string[]>();

  get(hash: string): Known | undefined {
    return this.byHash.get(hash);
  }

  withId(id: string): Known | undefined {
    const [hash = ""] = this.hashesOf.get(id) ?? [];
    return this.byHash.get(hash);
  }

  apply(rows: readonly KeyRow[]): void {
    for (const row of rows) {
      for (const hash of this.hashesOf.get(row.id) ?? []) this.byHash.delete(hash);
      if (row.revokedAtMs === null) this.add(row);
      else this.hashesOf.delete(row.id);
    }
  }

  private add(row: KeyRow): void {
    const { hash, previousHash, previousUntilMs, expiresAtMs } = row;
    const hashes = previousHash === null || previousHash === hash ? [hash] : [hash, previousHash];
    this.hashesOf.set(row.id, hashes);
    for (const each of hashes) {
      const endsAtMs = each === hash ? expiresAtMs : earlier(expiresAtMs, previousUntilMs);
      this.byHash.set(each, { row, expiresAtMs: endsAtMs, project: null, organization: null, caller: null });
    }
  }
}

const projectOf = ({ id, rules }: ProjectRow): Project => ({
  id,
  rules: rules === null ? null : readProjectRules(rules),
});

function applyProjects(projects: Map<string, Project>, rows: readonly ProjectRow[]): void {
  for (const row of rows) {
    if (row.removedAtMs === null) projects.set(row.id, projectOf(row));
    else projects.delete(row.id);
  }
}

const opened = ({ keys, projects, organization }: DeclaredKeys) => ({
  keys,
  organization,
  projects: new Map([...projects].map(([id, rules]): [string, Project] => [id, { id, rules }])),
});

function callerIn(known: Known, project: Project | undefined, organization: Rules | null): Caller {
  if (project === undefined) throw refused("belongs to a project that does not exist");
  if (known.caller !== null && known.project === project && known.organization === organization) return known.caller;
  const { id: keyId, name, rules } = known.row;
  Object.assign(known, { project, organization });
  known.caller = callerOf({ keyId, name, rules: rules === null ? null : readRules(rules), project, organization });
  return known.caller;
}

/** Runs `work` after the call of each caller, once for all that call meanwhile. */
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

/** Holds events until there is a listener. */
function workEnds() {
  const early: string[] = [];
  let report = (keyId: string): void => void early.push(keyId);
  return {
    report: (keyId: string) => report(keyId),
    listen(end: (keyId: string) => void): void {
      report = end;
      for (const keyId of early.splice(0)) end(keyId);
    },
  };
}

/** The contents of the store as they were last read. */
function storedKeys(store: Store) {
  const versions = { keys: 0, projects: 0 };
  const known = new KnownKeys();
  const projects = new Map<string, Project>();
  return {
    known,
    projects,
    /** The keys that have changed since the last read. */
    async read(): Promise<readonly KeyRow[]> {
      const next = { keys: await keysVersion(store), projects: await projectsVersion(store) };
      if (next.projects !== versions.projects) applyProjects(projects, await listProjects(store, versions.projects));
      const changed = next.keys === versions.keys ? [] : await listKeys(store, versions.keys);
      known.apply(changed);
      Object.assign(versions, next);
      return changed;
    },
  };
}

const declaredCaller = (keys: DeclaredKeys["keys"], keyId: string): Caller | undefined =>
  [...keys.values()].find(({ caller }) => caller.keyId === keyId)?.caller;

/** Loads all keys and projects, then follows changes of the store, also by other processes. */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const { store, pepper, clock } = options;
  const { known, projects, read } = storedKeys(store);
  let declared = opened(options.declared);
  await read();
  const endWork = workEnds();
  let isBehind = false;
  const follow = async (): Promise<void> => {
    try {
      for (const { id, workEndedAtMs } of await read()) if (workEndedAtMs !== null) endWork.report(id);
      isBehind = false;
    } catch (cause) {
      isBehind = true;
      options.failed(cause);
    }
  };
  const looks = atMostEvery(lookEveryMs, follow, clock);
  const timer = setInterval(() => void looks(), pollMs).unref();

  const hashed = keyHasher(pepper);
  const storedCaller = (found: Known): Caller => {
    const { projectId: id } = found.row;
    return callerIn(found, declared.projects.get(id) ?? projects.get(id), declared.organization);
  };
  const live = (found: DeclaredCaller | Known | undefined): Caller => {
    if (found === undefined || (found.expiresAtMs !== null && found.expiresAtMs <= clock.nowMs())) throw refused();
    if (!("row" in found)) return found.caller;
    if (found.row.disabledAtMs !== null) throw refused("is disabled");
    return storedCaller(found);
  };

  /** Keys that were given as the hash of their secret: the keyed hash of that hash is stored. */
  const imported = (key: string): DeclaredCaller | Known | undefined => {
    const hash = hashed(importedSecret(key));
    return declared.keys.get(hash) ?? known.get(hash);
  };

  /** A key that was just created may not have been read yet. Concurrent lookups of unknown keys share one read. */
  const lookUp = async (hash: string): Promise<Known | undefined> => {
    // While the store is unavailable, no new key can exist.
    if (!isBehind) await looks();
    return known.get(hash);
  };
  return {
    identify(key) {
      if (key.length > maxKeyChars || key.startsWith(importedPrefix)) throw refused();
      const hash = hashed(key);
      const found = declared.keys.get(hash) ?? known.get(hash) ?? imported(key);
      return found === undefined ? lookUp(hash).then((stored) => live(stored ?? imported(key))) : live(found);
    },
    callerWithId(keyId) {
      const stored = known.withId(keyId);
      return declaredCaller(declared.keys, keyId) ?? (stored && storedCaller(stored));
    },
    refresh: looks,
    isBehind: () => isBehind,
    onWorkEnded: endWork.listen,
    declare(next) {
      declared = opened(next);
    },
    close: () => clearInterval(timer),
  };
}
