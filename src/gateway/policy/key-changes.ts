// Creates and changes keys and projects, for the command line and the admin API: checks, defaults, storage.
import { GatewayError } from "../../canonical/error.ts";
import { randomId } from "../../lib/ids.ts";
import { hashKey } from "../../lib/secret.ts";
import {
  insertKey,
  type KeyChange,
  type KeyChanged,
  type KeyRow,
  listKeys,
  revokeKey,
  revokeKeyNow,
  rotateKey,
  updateKey,
} from "../../store/keys.ts";
import {
  insertProject,
  listProjects,
  type ProjectChanged,
  type ProjectRow,
  updateProject,
} from "../../store/projects.ts";
import type { Store } from "../../store/store.ts";
import { defaultOrganization } from "./caller.ts";
import {
  inherited,
  type ProjectRules,
  projectFault,
  type RuleFault,
  type Rules,
  readProjectRules,
  ruleFault,
} from "./rules.ts";

const keyChars = 43;

/** A new key: 256 random bits after a prefix that secret scanners can recognize. */
export const newKey = (): string => randomId("tp-", keyChars);

/** The visible part of a key. */
export const previewOf = (key: string): string => (key.length < 12 ? "…" : `${key.slice(0, 3)}…${key.slice(-4)}`);

const invalid = (param: string, problem: string): GatewayError =>
  new GatewayError("invalid_value", `Invalid '${param}': ${problem}.`, { param });

/** What is stored of a secret, and what is shown once. */
interface KeyMaterial {
  /** Null if only its hash was given. */
  readonly secret: string | null;
  readonly hash: string;
  readonly preview: string;
}

const givenSecret = /^[!-~]{8,512}$/;
const givenHash = /^sha256:[0-9a-f]{64}$/;

/**
 * A generated secret if none is given; otherwise the given one, or its SHA-256 hash, so that clients need not change
 * in a migration.
 */
function keyMaterial(pepper: Uint8Array, given: string | null): KeyMaterial {
  if (given === null) {
    const secret = newKey();
    return { secret, hash: hashKey(pepper, secret), preview: previewOf(secret) };
  }
  if (givenHash.test(given)) return { secret: null, hash: hashKey(pepper, given), preview: "…" };
  if (given.startsWith("sha256:")) throw invalid("secret", "`sha256:` must be followed by 64 lower-case hex digits");
  if (!givenSecret.test(given)) throw invalid("secret", "it must have 8 to 512 visible ASCII characters");
  return { secret: given, hash: hashKey(pepper, given), preview: previewOf(given) };
}

function refuseFault(fault: RuleFault | undefined): void {
  if (fault !== undefined) throw invalid(fault.path.join("."), fault.problem);
}

/** A project that a key can belong to: of the store, or of the configuration file. */
interface KeyProject {
  readonly id: string;
  readonly rules: ProjectRules | null;
}

/** A new key before it is stored. */
interface NewKeyRequest {
  readonly name: string;
  readonly project: KeyProject;
  readonly rules: Rules;
  readonly secret: string | null;
  readonly expiresAtMs: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly nowMs: number;
}

interface CreatedKey {
  readonly row: KeyRow;
  /** Shown once; null if it was given as a hash. */
  readonly secret: string | null;
}

/** Of names of keys and projects: 1 to 64 letters, digits or . _ @ : - */
export const namePattern = "^[\\w.@:-]{1,64}$";

/** Throws `invalid_value` for an invalid name. */
export function checkName(name: string): void {
  if (!new RegExp(namePattern).test(name)) throw invalid("name", "it must have 1 to 64 letters, digits or . _ @ : -");
}

/** Throws `already_exists` if another key has the name or the secret, `invalid_value` for invalid rules. */
export async function createKey(store: Store, pepper: Uint8Array, request: NewKeyRequest): Promise<CreatedKey> {
  const { name, project, nowMs, expiresAtMs, metadata } = request;
  checkName(name);
  const rules = inherited(request.rules, project.rules?.key_defaults);
  refuseFault(ruleFault(rules));
  const { secret, hash, preview } = keyMaterial(pepper, request.secret);
  const written = await insertKey(store, {
    ...{ id: randomId("key_"), name, hash, preview, createdAtMs: nowMs, expiresAtMs, projectId: project.id },
    rules: textOf(rules),
    metadata: metadata === null ? null : JSON.stringify(metadata),
  });
  if (written.kind === "written") return { row: written.key, secret };
  throw taken(written.by, name);
}

const textOf = (rules: Rules | ProjectRules): string | null =>
  Object.keys(rules).length === 0 ? null : JSON.stringify(rules);

function taken(by: string, name: string): GatewayError {
  if (by === "name") return new GatewayError("already_exists", `A key with the name '${name}' already exists.`);
  return new GatewayError("already_exists", "A key with this secret exists or existed already. Use another secret.");
}

/** The row after a change. Throws `object_not_found` and `version_conflict`. */
function changedKey(result: KeyChanged, name: string): KeyRow {
  if (result.kind === "written") return result.key;
  if (result.kind === "taken") throw taken(result.by, name);
  if (result.kind === "missing") throw new GatewayError("object_not_found", `No active key has the ID '${name}'.`);
  throw new GatewayError("version_conflict", "The key was changed by someone else. Read it again.");
}

/** The changeable members of a key; `rules` replaces all of them. */
export interface KeyEdit extends Pick<KeyChange, "name" | "expiresAtMs" | "projectId" | "disabledAtMs" | "metadata"> {
  readonly rules?: Rules;
}

export async function editKey(
  store: Store,
  id: string,
  { rules, ...change }: KeyEdit,
  ifVersion: number | null = null,
): Promise<KeyRow> {
  if (change.name !== undefined) checkName(change.name);
  if (rules !== undefined) refuseFault(ruleFault(rules));
  const all: KeyChange = rules === undefined ? change : { ...change, rules: textOf(rules) };
  return changedKey(await updateKey(store, id, all, ifVersion), change.name ?? id);
}

/** Sets a new secret for a key; the old one is accepted for `graceMs`. */
export async function rotate(
  store: Store,
  pepper: Uint8Array,
  id: string,
  {
    secret: given,
    graceMs,
    nowMs,
  }: { readonly secret: string | null; readonly graceMs: number; readonly nowMs: number },
): Promise<CreatedKey> {
  const { secret, hash, preview } = keyMaterial(pepper, given);
  const until = graceMs > 0 ? nowMs + graceMs : null;
  return { row: changedKey(await rotateKey(store, id, { hash, preview, pepperId: null }, until), id), secret };
}

/**
 * Revokes a key; `endsWork` also ends its requests in progress, even if it was revoked before. Repeated calls change
 * nothing.
 */
export async function revoke(
  store: Store,
  id: string,
  { endsWork, nowMs }: { readonly endsWork: boolean; readonly nowMs: number },
): Promise<void> {
  await (endsWork ? revokeKeyNow(store, id, nowMs) : revokeKey(store, id, nowMs));
}

/**
 * The live key with this id, otherwise with this name. `alsoRevoked`: also a revoked one, by id. Throws
 * `object_not_found`.
 */
export async function findKey(store: Store, idOrName: string, alsoRevoked = false): Promise<KeyRow> {
  const all = await listKeys(store);
  const live = all.filter(({ revokedAtMs }) => revokedAtMs === null);
  const byId = (alsoRevoked ? all : live).find(({ id }) => id === idOrName);
  const found = byId ?? live.find(({ name }) => name === idOrName);
  if (found !== undefined) return found;
  throw new GatewayError("object_not_found", `No active key has the name or ID '${idOrName}'.`);
}

/** The project with this id, otherwise with this name. Throws `object_not_found`. */
export async function findProject(store: Store, idOrName: string): Promise<ProjectRow> {
  const live = (await listProjects(store)).filter(({ removedAtMs }) => removedAtMs === null);
  const found = live.find(({ id }) => id === idOrName) ?? live.find(({ name }) => name === idOrName);
  if (found !== undefined) return found;
  throw new GatewayError("object_not_found", `No project has the name or ID '${idOrName}'.`, { param: "project" });
}

/** As `findProject`, also of the file: `declared` has its projects by id, which take precedence as they do for requests. */
export async function findKeyProject(
  store: Store,
  declared: ReadonlyMap<string, ProjectRules>,
  idOrName: string,
): Promise<KeyProject> {
  const id = [idOrName, `file:${idOrName}`].find((each) => declared.has(each));
  if (id !== undefined) return { id, rules: declared.get(id) ?? null };
  const row = await findProject(store, idOrName);
  return { id: row.id, rules: row.rules === null ? null : readProjectRules(row.rules) };
}

/** The row after a change. Throws `already_exists`, `object_not_found` and `version_conflict`. */
export function changedProject(result: ProjectChanged, name: string): ProjectRow {
  switch (result.kind) {
    case "written":
      return result.project;
    case "taken":
      throw new GatewayError("already_exists", `A project with the name '${name}' already exists.`);
    case "missing":
      throw new GatewayError("object_not_found", `No project has the name or ID '${name}'.`);
    case "in_use":
      throw new GatewayError("already_exists", "The project has keys. Revoke them or move them to another project.", {
        code: "project_in_use",
      });
    case "stale":
      throw new GatewayError("version_conflict", "The project was changed by someone else. Read it again.");
  }
}

export async function createProject(
  store: Store,
  { name, rules, nowMs }: { readonly name: string; readonly rules: ProjectRules; readonly nowMs: number },
): Promise<ProjectRow> {
  checkName(name);
  refuseFault(projectFault(rules));
  const row = { id: randomId("proj_"), organizationId: defaultOrganization, name, rules: textOf(rules) };
  return changedProject(await insertProject(store, { ...row, createdAtMs: nowMs }), name);
}

export async function editProject(
  store: Store,
  id: string,
  { name, rules }: { readonly name?: string; readonly rules?: ProjectRules },
  ifVersion: number | null = null,
): Promise<ProjectRow> {
  if (name !== undefined) checkName(name);
  if (rules !== undefined) refuseFault(projectFault(rules));
  const change = { ...(name === undefined ? {} : { name }), ...(rules === undefined ? {} : { rules: textOf(rules) }) };
  return changedProject(await updateProject(store, id, change, ifVersion), name ?? id);
}
