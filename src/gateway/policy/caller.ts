// Who calls: the key, what it belongs to, and the rules of each level above it.
import { type Access, accessOf } from "./access-rules.ts";
import type { CounterLevel } from "./counters.ts";
import type { ProjectRules, Rules } from "./rules.ts";

/** The rules of one level, under the id that its counters have. */
export interface RuleLevel {
  readonly level: CounterLevel;
  readonly id: string;
  readonly rules: Rules;
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
}

const hasRules = (rules: Rules | null): rules is Rules => rules !== null && Object.keys(rules).length > 0;

/** Of a key and the project that it belongs to. */
export function callerOf({ keyId, name, rules, project }: CallerParts): Caller {
  const { key_defaults: _, end_users: endUsers = null, ...own } = project.rules ?? {};
  const levels: RuleLevel[] = [];
  if (hasRules(own)) levels.push({ level: "project", id: project.id, rules: own });
  if (hasRules(rules)) levels.push({ level: "key", id: keyId, rules });
  const access = levels.flatMap((each) => accessOf(each.level, each.rules) ?? []);
  const who = { keyId, name, organization: defaultOrganization, project: project.id, endUser: null };
  return { ...who, levels, access, endUsers };
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
