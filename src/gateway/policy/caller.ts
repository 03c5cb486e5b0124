// The caller: a key, what it belongs to, and the rules of each level.
import { type Access, accessOf } from "./access-rules.ts";
import type { CounterLevel } from "./counters.ts";
import type { BodyRule, ProjectRules, Rules } from "./rules.ts";

/** The rules of one level, under the id of its counters. */
export interface RuleLevel {
  readonly level: CounterLevel;
  readonly id: string;
  readonly rules: Rules;
  /** Cached state of the rate policy for the level. Only the policy has its type. */
  rates: object | null;
  budgets: object | null;
}

/** Built once when keys are read, and shared by all requests of the key; a change builds a new one. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly organization: string;
  readonly project: string;
  /** The end user of the request; null if it names none. Scoped to the project. */
  readonly endUser: string | null;
  /** From the organization down to the key and the end user; levels without rules are left out. */
  readonly levels: readonly RuleLevel[];
  /** The access rules of each level; levels without any are left out. */
  readonly access: readonly Access[];
  /** How the project handles end users; null without rules for them. */
  readonly endUsers: NonNullable<ProjectRules["end_users"]> | null;
  /** The requests whose bodies the project stores; null without a setting. */
  readonly bodies: BodyRule | null;
  /** The model of requests that name `default`; null without a setting of the project. */
  readonly defaultModel: string | null;
}

/** These exist without being created, so that a single-user installation never needs them. */
export const defaultOrganization = "default";
export const defaultProject = "default";

/** The parts of a key. */
export interface CallerParts {
  readonly keyId: string;
  readonly name: string;
  readonly rules: Rules | null;
  readonly project: { readonly id: string; readonly rules: ProjectRules | null };
  /** Rules of the organization, over all of its projects and keys; absent: none. */
  readonly organization?: Rules | null;
}

/** A level without cached state. */
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
  const { key_defaults: _defaults, end_users: _users, bodies: _bodies, default_model: _model, ...own } = project;
  if (!hasRules(own)) return null;
  const made = levelOf("project", id, own);
  sharedLevels.set(project, made);
  return made;
}

const hasRules = (rules: Rules | null): rules is Rules => rules !== null && Object.keys(rules).length > 0;

/** For a key and its project. */
export function callerOf({ keyId, name, rules, project, organization = null }: CallerParts): Caller {
  const { end_users: endUsers = null, bodies = null, default_model: defaultModel = null } = project.rules ?? {};
  const ofProject = project.rules === null ? null : projectLevel(project.id, project.rules);
  const levels: RuleLevel[] = [];
  if (hasRules(organization)) levels.push(organizationLevel(organization));
  if (ofProject !== null) levels.push(ofProject);
  if (hasRules(rules)) levels.push(levelOf("key", keyId, rules));
  const access = levels.flatMap((each) => accessOf(each.level, each.rules) ?? []);
  const who = { keyId, name, organization: defaultOrganization, project: project.id, endUser: null };
  return { ...who, levels, access, endUsers, bodies, defaultModel };
}

/** The names for the ledger. */
export function ledgerNames({ organization, project, keyId, endUser }: Caller, session: string | null) {
  return { organization, project, keyId, endUser, session };
}

/** The caller of a path without a key. */
export const anonymous: Caller = callerOf({
  ...{ keyId: "", name: "", rules: null },
  project: { id: defaultProject, rules: null },
});
