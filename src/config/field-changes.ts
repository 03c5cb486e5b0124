// The fields in which two documents differ, by dotted paths. Secrets differ by their marks, which are not shown.
import { isDeepStrictEqual } from "node:util";
import { isObject, type Json } from "../lib/json.ts";
import { withoutMarks } from "./hide-secrets.ts";

/** Before and after; absent where the field is not there. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Every value that is not an object, by its dotted path. */
function leavesOf(value: Json | undefined, path: string): Map<string, Json> {
  if (value === undefined) return new Map();
  if (!isObject(value)) return new Map([[path, value]]);
  const inner = Object.entries(value).flatMap(([name, member]) => [
    ...leavesOf(member, path === "" ? name : `${path}.${name}`),
  ]);
  return new Map(inner);
}

const member = (name: "before" | "after", value: Json | undefined) =>
  value === undefined ? {} : { [name]: withoutMarks(value) };

/** The fields in which two values differ. */
export function fieldChanges(before: Json | undefined, after: Json | undefined): FieldChange[] {
  const [old, now] = [leavesOf(before, ""), leavesOf(after, "")];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !isDeepStrictEqual(old.get(field), now.get(field)))
    .map((field) => ({ field, ...member("before", old.get(field)), ...member("after", now.get(field)) }));
}
