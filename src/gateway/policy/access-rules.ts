// The rules of one level as predicates: which models, operations, providers, tags and addresses it allows.
import { GatewayError } from "../../canonical/error.ts";
import { addressSet } from "../../lib/address-set.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { CounterLevel } from "./counters.ts";
import type { Rules } from "./rules.ts";

type Test = (text: string) => boolean;

/** The rules of one level as predicates, built once for each caller. Null allows everything. */
export interface Access {
  readonly level: CounterLevel;
  readonly allowsModel: Test | null;
  readonly refusesModel: Test | null;
  readonly operations: ReadonlySet<string> | null;
  readonly allowsProvider: Test | null;
  readonly refusesProvider: Test | null;
  readonly tags: readonly (readonly [string, string])[];
  readonly allowsAddress: Test | null;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Patterns with `*` for any text, case-sensitive like model names. */
function patterns(texts: readonly string[] | undefined): Test | null {
  if (texts === undefined) return null;
  const exact = new Set(texts.filter((text) => !text.includes("*")));
  const open = texts.filter((text) => text.includes("*"));
  if (open.length === 0) return (text) => exact.has(text);
  const form = new RegExp(`^(?:${open.map((text) => text.split("*").map(escaped).join(".*")).join("|")})$`, "s");
  return (text) => exact.has(text) || form.test(text);
}

/** Null without access rules. */
export function accessOf(level: CounterLevel, rules: Rules): Access | null {
  const access: Access = {
    level,
    allowsModel: patterns(rules.allowed_models),
    refusesModel: patterns(rules.refused_models),
    operations: rules.allowed_operations === undefined ? null : new Set<string>(rules.allowed_operations),
    allowsProvider: patterns(rules.allowed_providers),
    refusesProvider: patterns(rules.refused_providers),
    tags: Object.entries(rules.required_tags ?? {}),
    allowsAddress: rules.allowed_addresses === undefined ? null : addressSet(rules.allowed_addresses),
  };
  const { level: _, tags, ...tests } = access;
  return tags.length === 0 && Object.values(tests).every((test) => test === null) ? null : access;
}

/** Levels as messages name them. */
export const levelNames: { readonly [level in CounterLevel]: string } = {
  organization: "organization",
  project: "project",
  key: "key",
  end_user: "end user",
};

/** Whether a level allows this model name. */
export const allowsName = ({ allowsModel, refusesModel }: Access, model: string): boolean =>
  (allowsModel === null || allowsModel(model)) && !(refusesModel?.(model) ?? false);

/** Whether a level allows this candidate, by any name. */
export function allowsCandidate(access: Access, { provider, model }: Candidate): boolean {
  const { name, tags = {} } = provider.entry;
  if (access.allowsProvider !== null && !access.allowsProvider(name)) return false;
  if (access.refusesProvider?.(name)) return false;
  if (access.refusesModel?.(model) || access.refusesModel?.(`${name}/${model}`)) return false;
  return access.tags.every(([tag, value]) => tags[tag] === value);
}

/** Throws `ip_not_allowed` if a level lists addresses without this one. */
export function checkAddress(levels: readonly Access[], address: () => string): void {
  for (const { level, allowsAddress } of levels)
    if (allowsAddress !== null && !allowsAddress(address()))
      throw new GatewayError("ip_not_allowed", `This ${levelNames[level]} is not allowed to call from this address.`);
}
