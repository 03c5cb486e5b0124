// Callers without a store: keys that belong to the default project.
import { type Caller, callerOf } from "../../src/gateway/policy/caller.ts";
import type { ProjectRules, Rules } from "../../src/gateway/policy/rules.ts";

/** A key of this name, which is also its id. */
export const callerNamed = (name: string, rules: Rules | null = null, project: ProjectRules | null = null): Caller =>
  callerOf({ keyId: name, name, rules, project: { id: "default", rules: project } });
