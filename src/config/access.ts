// Keys and projects of the configuration file, with their rules.
import { type Caller, callerOf, defaultOrganization, defaultProject } from "../gateway/policy/caller.ts";
import {
  inherited,
  type ProjectRules,
  projectFault,
  type RuleFault,
  type Rules,
  ruleFault,
} from "../gateway/policy/rules.ts";
import type { Settings } from "./environment.ts";
import { type ReadConfig, readConfigFile } from "./file.ts";
import { didYouMean } from "./suggest.ts";

interface DeclaredKey {
  /** As in the file: the secret itself, or `sha256:` and its hash. */
  readonly secret: string;
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
}

export interface DeclaredAccess {
  readonly keys: readonly DeclaredKey[];
  /** By id. */
  readonly projects: ReadonlyMap<string, ProjectRules>;
  /** Of the organization `default`; null where the file does not declare it. */
  readonly organization: Rules | null;
}

/** The id of a key that the file declares. */
export const fileKeyId = (name: string): string => `file:${name}`;

/** The id of a project that the file declares; `default` always exists. */
export const fileProjectId = (name: string): string => (name === defaultProject ? name : `file:${name}`);

/** The projects of the file by id, although other parts of it may have faults. */
export function declaredProjects(settings: Settings): ReadonlyMap<string, ProjectRules> {
  const { projects = {} } = readConfigFile(settings).config;
  return new Map(Object.entries(projects).map(([name, rules]) => [fileProjectId(name), rules]));
}

/** Two names with one secret would be one key whose name depends on the order. */
function checkSecrets(file: ReadConfig, { clientKey, adminKey }: Settings): void {
  const owners = new Map<string, string>();
  if (clientKey !== null) owners.set(clientKey, "TURNPIKE_KEY");
  if (adminKey !== null) owners.set(adminKey, "TURNPIKE_ADMIN_KEY");
  for (const [name, { secret }] of Object.entries(file.config.keys ?? {})) {
    const owner = owners.get(secret);
    if (owner !== undefined) file.faults.add(file.fault(["keys", name, "secret"], `is the same as ${owner}`));
    owners.set(secret, `keys.${name}.secret`);
    if (secret.startsWith("sha256:") && !/^sha256:[0-9a-f]{64}$/.test(secret))
      file.faults.add(file.fault(["keys", name, "secret"], "must have 64 lower-case hex digits after `sha256:`"));
  }
}

function expiryOf(file: ReadConfig, name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs))
    file.faults.add(file.fault(["keys", name, "expires_at"], "must be a time such as 2027-01-31T00:00:00Z"));
  return timeMs;
}

function checkRules(file: ReadConfig): void {
  const report = (place: readonly string[], fault: RuleFault | undefined): void => {
    if (fault !== undefined) file.faults.add(file.fault([...place, ...fault.path], fault.problem));
  };
  for (const [name, project] of Object.entries(file.config.projects ?? {}))
    report(["projects", name], projectFault(project));
  for (const [name, key] of Object.entries(file.config.keys ?? {})) report(["keys", name], ruleFault(key));
  report(["organizations", defaultOrganization], ruleFault(file.config.organizations?.default ?? {}));
}

/** Adds faults to those of the file. */
export function declaredAccess(file: ReadConfig, settings: Settings): DeclaredAccess {
  checkSecrets(file, settings);
  checkRules(file);
  if (file.faults.any()) return { keys: [], projects: new Map(), organization: null };
  const projects = new Map(Object.entries(file.config.projects ?? {}));
  const organization = file.config.organizations?.default ?? null;
  const keys = Object.entries(file.config.keys ?? {}).map(([name, entry]) => {
    const { secret, project = defaultProject, expires_at, ...rules } = entry;
    if (project !== defaultProject && !projects.has(project)) {
      const suggestion = didYouMean(project, [...projects.keys()]);
      file.faults.add(file.fault(["keys", name, "project"], `names no project of this file${suggestion}`));
    }
    const projectRules = projects.get(project) ?? null;
    const caller = callerOf({
      ...{ keyId: fileKeyId(name), name },
      rules: inherited(rules, projectRules?.key_defaults),
      project: { id: fileProjectId(project), rules: projectRules },
      organization,
    });
    return { secret, caller, expiresAtMs: expiryOf(file, name, expires_at) };
  });
  const byId = new Map([...projects].map(([name, rules]) => [fileProjectId(name), rules]));
  return { keys, projects: byId, organization };
}
