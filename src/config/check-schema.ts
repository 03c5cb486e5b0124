// Validates the configuration against its schema: every fault as a path and a sentence, and the document without
// invalid entries.
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { type ConfigFile, configSchema } from "./schema.ts";
import { didYouMean } from "./suggest.ts";

export type Path = readonly string[];

export interface SchemaFault {
  readonly path: Path;
  readonly problem: string;
}

/** Sections whose members are entries by name: the other entries are still checked if one is invalid. */
const sections = new Set(
  Object.entries(configSchema.properties).flatMap(([name, schema]) => ("patternProperties" in schema ? [name] : [])),
);

function pathOf(pointer: string): Path {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The names of the allowed fields at a path. */
function fieldsAt(path: Path): readonly string[] {
  const inner = (shape: Shape | undefined, part: string): Shape | undefined =>
    shape?.properties?.[part] ?? Object.values(shape?.patternProperties ?? {})[0] ?? shape?.items;
  const found = path.reduce<Shape | undefined>(inner, configSchema as TSchema as Shape);
  return Object.keys(found?.properties ?? {});
}

function faultsOf(fault: TLocalizedValidationError): SchemaFault[] {
  const path = pathOf(fault.instancePath);
  const params: Readonly<Record<string, unknown>> = { ...fault.params };
  const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  switch (fault.keyword) {
    case "additionalProperties":
      return names(params.additionalProperties).map((name) => ({
        path: [...path, name],
        problem: `unknown field${didYouMean(name, fieldsAt(path))}`,
      }));
    case "required":
      return names(params.requiredProperties).map((name) => ({ path, problem: `missing required field '${name}'` }));
    case "enum": {
      const values = names(params.allowedValues).map((value) => `'${value}'`);
      return [{ path, problem: `must be one of ${values.join(", ")}` }];
    }
    // An unknown field is reported twice: by the schema that refuses it, and by its parent, which names it.
    case "boolean":
      return [];
    default:
      return [{ path, problem: fault.message }];
  }
}

/** Removes the entry that a path is in. */
export function removeEntry(value: object, path: Path): void {
  const [first = "", second] = path;
  const section: unknown = Reflect.get(value, first);
  const inEntry = sections.has(first) && second !== undefined && typeof section === "object" && section !== null;
  Reflect.deleteProperty(inEntry ? section : value, inEntry ? second : first);
}

/**
 * Every fault of `value`, whose invalid entries are removed: the rest passes the schema. The validator reports only a
 * few faults at a time, so it is run until there are none.
 */
export function checkSchema(value: object): { config: ConfigFile; faults: readonly SchemaFault[] } {
  const validator = Compile(configSchema);
  const faults: SchemaFault[] = [];
  while (!validator.Check(value)) {
    const found = validator.Errors(value).flatMap(faultsOf);
    const atRoot = found.length === 0 || found.some(({ path }) => path.length === 0);
    faults.push(...found);
    if (atRoot) return { config: {}, faults: found.length > 0 ? faults : [{ path: [], problem: "is not valid" }] };
    for (const { path } of found) removeEntry(value, path);
  }
  return { config: value as ConfigFile, faults };
}
