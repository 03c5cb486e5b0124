// Warnings for settings that are allowed but probably not intended: reported at the start, one sentence each.
import { distance } from "fastest-levenshtein";
import type { ProjectRules } from "../gateway/policy/rules.ts";
// Warnings for settings that are allowed but probably not intended: reported at the start, one sentence each.
import type { Catalog, Route } from "../gateway/routing/catalog.ts";
import { findKind } from "../providers/index.ts";
import { type Settings, variables } from "./environment.ts";
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

const prefix = "TURNPIKE_";

/** The variable that was meant, without its prefix: `DATA` for `DATA_DIR` and for `DTAA`. */
function similarVariable(given: string, known: readonly string[]): string | undefined {
  const inside = known.find((name) => given === name || given.startsWith(`${name}_`));
  return inside ?? known.find((name) => distance(given, name) <= Math.floor(name.length / 3));
}

/** A variable with our prefix and almost one of our names, which turnpike.yaml does not use. */
function misspelledVariables({ environment }: Settings, { text }: ReadConfig): string[] {
  const known = variables.map(({ name }) => name);
  const short = known.map((name) => name.replace(prefix, ""));
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(prefix) && !known.includes(name.replace(/_FILE$/, "")) && !text?.includes(name),
  );
  return unknown.flatMap((name) => {
    const index = short.indexOf(similarVariable(name.slice(prefix.length), short) ?? name);
    return index < 0 ? [] : [`The variable ${name} is not used. Did you mean ${known[index]}?`];
  });
}

export function configWarnings(settings: Settings, file: ReadConfig, catalog: Catalog): readonly string[] {
  const { config } = file;
  return [
    ...misspelledVariables(settings, file),
    ...Object.entries(config.projects ?? {}).flatMap(optionalEndUsers),
    ...Object.entries(config.providers ?? {}).flatMap(missingCredential),
    ...[...catalog.routes.values()].flatMap(doubtfulCandidates),
  ];
}
