// Warnings for settings that are allowed but probably not intended: reported at the start, one sentence each.
import type { ProjectRules } from "../gateway/policy/rules.ts";
// Warnings for settings that are allowed but probably not intended: reported at the start, one sentence each.
import type { Catalog, Route } from "../gateway/routing/catalog.ts";
import { findKind } from "../providers/index.ts";
import type { ReadConfig } from "./file.ts";
import type { ProviderConfig } from "./schema.ts";

/** Providers of a vendor's own service refuse every request without a credential; servers at other URLs may not. */
function missingCredential([name, entry]: [string, ProviderConfig]): string[] {
  const kind = findKind(entry.kind);
  const variable = kind?.environment?.credential;
  const atVendor = entry.base_url === undefined && kind?.localPort === undefined && kind?.account === undefined;
  if (variable === undefined || !atVendor || entry.credential) return [];
  return [`providers.${name} has no credential. Set 'credential', for example to \${${variable}}.`];
}

function doubtfulCandidates({ name, candidates }: Route): string[] {
  return candidates.flatMap(({ provider, model }, index) => {
    const place = `models.${name}.candidates[${index}]`;
    const first = candidates.findIndex(
      (other) => other.provider.entry.name === provider.entry.name && other.model === model,
    );
    if (first < index) return [`${place} is the same as candidates[${first}].`];
    if (provider.entry.models === null || provider.entry.models.includes(model)) return [];
    return [`${place}: provider '${provider.entry.name}' does not list the model '${model}' in its 'models'.`];
  });
}

/** The rules of an end user do not apply to requests that name none. */
function optionalEndUsers([name, { end_users: users = {} }]: [string, ProjectRules]): string[] {
  const all = [users.default_rules ?? {}, ...Object.values(users.rules ?? {})];
  if (users.required === true || all.every((rules) => Object.keys(rules).length === 0)) return [];
  return [
    `projects.${name}.end_users has rules, which do not hold for requests that name no end user. Set 'required: true' to refuse these.`,
  ];
}

export function configWarnings({ config }: ReadConfig, catalog: Catalog): readonly string[] {
  return [
    ...Object.entries(config.projects ?? {}).flatMap(optionalEndUsers),
    ...Object.entries(config.providers ?? {}).flatMap(missingCredential),
    ...[...catalog.routes.values()].flatMap(doubtfulCandidates),
  ];
}
