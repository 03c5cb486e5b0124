// Request schemas accept several spellings of a name. The document shows one of each, so that generated clients have
// one.

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Removes members whose camelCase name is also present. */
function withoutTwins(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.filter(([name]) => camelCase(name) === name || properties[camelCase(name)] === undefined),
  );
}

/** Removes values that differ from an earlier one only in case. */
function withoutCases(values: readonly unknown[]): unknown[] {
  const known = new Set<unknown>();
  return values.filter((value) => {
    const folded = typeof value === "string" ? value.toLowerCase() : value;
    if (known.has(folded)) return false;
    known.add(folded);
    return true;
  });
}

/** The schema with one spelling of each field name and enumeration value. */
export function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === "enum" && Array.isArray(value)) return [name, withoutCases(value)];
      if (name === "properties" && typeof value === "object" && value !== null)
        return [
          name,
          Object.fromEntries(Object.entries(withoutTwins(value)).map(([key, inner]) => [key, simplify(inner)])),
        ];
      return [name, simplify(value)];
    }),
  );
}
