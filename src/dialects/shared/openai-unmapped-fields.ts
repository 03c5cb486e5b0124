// What canon has no place for, on OpenAI-shaped wires: which fields may go in silence, which with a warning, which not at all.
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isAbsent } from "./is-empty.ts";

/** The fields of one dialect that need a word; a field that is in neither list is dropped with a warning. */
export interface ExtraRules {
  /** Fields that parsing reads, so that they are never left out as unknown. */
  readonly read: ReadonlySet<string>;
  /** The rule of a field, by its value and its neighbours; null: nothing is lost. */
  readonly rules: { readonly [field: string]: (value: Json, wire: JsonObject) => UnmappedField["rule"] | null };
  /** Fields that say something even when they are empty objects. */
  readonly loud?: ReadonlySet<string>;
}

function isSaid(field: string, value: Json | undefined, { loud }: ExtraRules): value is Json {
  return !isAbsent(value) || (isObject(value) && loud?.has(field) === true);
}

function streamExtras(options: Json | undefined): UnmappedField[] {
  if (!isObject(options)) return [];
  return Object.keys(options)
    .filter((name) => name !== "include_usage" && !isAbsent(options[name]))
    .map((name) => ({ path: `stream_options.${name}`, rule: name === "include_obfuscation" ? "ignore" : "warn" }));
}

/** The fields of a request that only its own dialect has. */
export function readExtras(wire: JsonObject, table: ExtraRules): UnmappedField[] {
  const extras: UnmappedField[] = [];
  for (const field in wire) {
    const value = wire[field];
    if (table.read.has(field) || !isSaid(field, value, table)) continue;
    const rule = Object.hasOwn(table.rules, field) ? (table.rules[field]?.(value, wire) ?? null) : "warn";
    if (rule !== null) extras.push({ path: field, rule });
  }
  return [...extras, ...streamExtras(wire.stream_options)];
}
