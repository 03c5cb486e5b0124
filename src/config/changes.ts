// What differs between two configurations: each provider, route, key, project, price and setting that was added, changed or removed.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { needsRestart } from "./restart.ts";

/** One thing that differs. */
export interface Change {
  readonly action: "added" | "changed" | "removed";
  readonly type: string;
  readonly name: string;
  /** Of what is changed. */
  readonly fields: readonly FieldChange[];
  /** True where it counts only after the next start. */
  readonly needs_restart: boolean;
}

/** Sections of the file whose members are entries by name, with the word for one entry. */
const sections: Readonly<Record<string, string>> = {
  providers: "provider",
  models: "route",
  keys: "key",
  projects: "project",
  organizations: "organization",
};

const objectOf = (value: Json | undefined): JsonObject => (value !== undefined && isObject(value) ? value : {});

function entryChanges(type: string, before: JsonObject, after: JsonObject): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): Change[] => {
    const base = { type, name, needs_restart: false };
    if (!(name in before)) return [{ ...base, action: "added", fields: [] }];
    if (!(name in after)) return [{ ...base, action: "removed", fields: [] }];
    const fields = fieldChanges(before[name], after[name]);
    return fields.length === 0 ? [] : [{ ...base, action: "changed", fields }];
  });
}

/** Prices have no names: each is called by what it matches. */
function pricesByName(prices: Json | undefined): JsonObject {
  const named = Object.entries(objectOf(prices)).flatMap(([book, rows]) =>
    (Array.isArray(rows) ? rows : []).map((row): [string, Json] => {
      const { usd: _, factor: _f, per_request: _p, source: _s, ...match } = objectOf(row);
      return [`${book} ${Object.values(match).map(String).join(" ")}`, row];
    }),
  );
  return Object.fromEntries(named);
}

function settingChanges(before: JsonObject, after: JsonObject): Change[] {
  return fieldChanges(before, after).map((field) => ({
    action: field.before === undefined ? "added" : field.after === undefined ? "removed" : "changed",
    ...{ type: "setting", name: field.field, fields: [field], needs_restart: needsRestart(field.field) },
  }));
}

function settingsIn(config: JsonObject): JsonObject {
  const others = Object.entries(config).filter(([name]) => !(name in sections) && name !== "prices");
  return Object.fromEntries(others);
}

/** Of two documents in the shape of turnpike.yaml, whose secrets are replaced by marks. */
export function changesBetween(before: JsonObject, after: JsonObject): Change[] {
  return [
    ...Object.entries(sections).flatMap(([name, type]) =>
      entryChanges(type, objectOf(before[name]), objectOf(after[name])),
    ),
    ...entryChanges("price", pricesByName(before["prices"]), pricesByName(after["prices"])),
    ...settingChanges(settingsIn(before), settingsIn(after)),
  ];
}
