// Who calls: the key, what it belongs to, and the rules of each level above it.
import { type Access, accessOf } from "./access-rules.ts";
import type { CounterLevel } from "./counters.ts";
import type { BodyRule, ProjectRules, Rules } from "./rules.ts";

/** The rules of one level, under the id that its counters have. */
export interface RuleLevel {
  readonly level: CounterLevel;
  readonly id: string;
  readonly rules: Rules;
  /** What policies found for the level, so that its next request need not look it up: they put it there, and know its type. */
  rates: object | null;
  budgets: object | null;
}

/** Made once when keys are read, and shared by all requests of the key: a change makes a new one. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly organization: string;
  readonly project: string;
  /** Whom the request names; null where it names nobody. Known only inside the project. */
  readonly endUser: string | null;
  /** From the organization down to the key and the end user; levels without rules are left out. */
  readonly levels: readonly RuleLevel[];
  /** What the rules of each level say of models, operations, providers and addresses; levels that say nothing are left out. */
  readonly access: readonly Access[];
  /** How the project counts its end users; null where it says nothing of them. */
  readonly endUsers: NonNullable<ProjectRules["end_users"]> | null;
  /** Of which of its requests the project stores bodies; null where it says nothing. */
  readonly bodies: BodyRule | null;
}

/** What exists without being made: a single-user installation never meets either. */
export const defaultOrganization = "default";
export const defaultProject = "default";

/** What a key is made of. */
export interface CallerParts {
  readonly keyId: string;
  readonly name: string;
  readonly rules: Rules | null;
  readonly project: { readonly id: string; readonly rules: ProjectRules | null };
  /** Rules of the organization, over all of its projects and keys; absent: none. */
  readonly organization?: Rules | null;
}

/** A level of which nothing was looked up yet. */
export const levelOf = (level: CounterLevel, id: string, rules: Rules): RuleLevel => ({
  ...{ level, id, rules },
  ...{ rates: null, budgets: null },
});

/** The keys of a project share its level, and those of an organization. */
const sharedLevels = new WeakMap<Rules, RuleLevel>();

function organizationLevel(rules: Rules): RuleLevel {
  const level = sharedLevels.get(rules) ?? levelOf("organization", defaultOrganization, rules);
  sharedLevels.set(rules, level);
  return level;
}

function projectLevel(id: string, project: ProjectRules): RuleLevel | null {
  const found = sharedLevels.get(project);
  if (found !== undefined && found.id === id) return found;
  const { key_defaults: _defaults, end_users: _users, bodies: _bodies, ...own } = project;
  if (!hasRules(own)) return null;
  const made = levelOf("project", id, own);
  sharedLevels.set(project, made);
  return made;
}

const hasRules = (rules: Rules | null): rules is Rules => rules !== null && Object.keys(rules).length > 0;

/** Of a key and the project that it belongs to. */
export function callerOf({ keyId, name, rules, project, organization = null }: CallerParts): Caller {
  const { end_users: endUsers = null, bodies = null } = project.rules ?? {};
  const ofProject = project.rules === null ? null : projectLevel(project.id, project.rules);
  const levels: RuleLevel[] = [];
  if (hasRules(organization)) levels.push(organizationLevel(organization));
  if (ofProject !== null) levels.push(ofProject);
  if (hasRules(rules)) levels.push(levelOf("key", keyId, rules));
  const access = levels.flatMap((each) => accessOf(each.level, each.rules) ?? []);
  const who = { keyId, name, organization: defaultOrganization, project: project.id, endUser: null };
  return { ...who, levels, access, endUsers, bodies };
}

/** Who pays, as the ledger writes it down. */
export function ledgerNames({ organization, project, keyId, endUser }: Caller, session: string | null) {
  return { organization, project, keyId, endUser, session };
}

/** The caller of a path that needs no key. */
export const anonymous: Caller = callerOf({
  ...{ keyId: "", name: "", rules: null },
  project: { id: defaultProject, rules: null },
});
