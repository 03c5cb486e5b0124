// The OpenAPI document as the pages read it: operations, and the fields of their schemas.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly [bound: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: Record<string, unknown> }>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** An operation with the place that it has in the document. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Spec {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const rowsOf = ({ paths }: Spec): readonly Row[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export function resolve(spec: Spec, schema: Schema | undefined): Schema {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? (schema ?? {}) : (spec.components.schemas[name] ?? {});
}

export function typeOf(spec: Spec, given: Schema | undefined): string {
  const schema = resolve(spec, given);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => typeOf(spec, each)))].join(" | ");
  if (schema.type === "array") return `${typeOf(spec, schema.items)}[]`;
  if (schema.format === "binary") return "file";
  return typeof schema.type === "string" ? schema.type : (schema.type?.join(" | ") ?? "any");
}

const bounds: readonly (readonly [string, (value: unknown) => string])[] = [
  ["minimum", (value) => `≥ ${value}`],
  ["maximum", (value) => `≤ ${value}`],
  ["maxLength", (value) => `≤ ${value} characters`],
  ["maxItems", (value) => `≤ ${value} items`],
  ["default", (value) => `default ${JSON.stringify(value)}`],
];

export function boundsOf(schema: Schema): string {
  const parts = [schema, ...(schema.anyOf ?? [])];
  const found = (name: string) => parts.map((part) => part[name]).find((value) => value !== undefined);
  return bounds.flatMap(([name, text]) => (found(name) === undefined ? [] : [text(found(name))])).join(", ");
}

export interface FieldRow {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** A schema that refers to itself would have no end. */
const maxDepth = 8;

/** The object below a field: itself, its items, or the one shape of several that has fields. */
function below(spec: Spec, schema: Schema): readonly [suffix: string, Schema] | null {
  if (schema.properties !== undefined) return ["", schema];
  if (schema.items !== undefined) {
    const inner = below(spec, resolve(spec, schema.items));
    return inner === null ? null : [`[]${inner[0]}`, inner[1]];
  }
  for (const each of schema.anyOf ?? []) {
    const inner = below(spec, resolve(spec, each));
    if (inner !== null) return inner;
  }
  return null;
}

/** Every field below a schema with its dotted path. */
export function fieldsOf(spec: Spec, given: Schema, prefix = "", depth = 0): readonly FieldRow[] {
  const schema = resolve(spec, given);
  if (depth > maxDepth) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = resolve(spec, field);
    const [suffix, object] = below(spec, inner) ?? ["", {}];
    const row = { name: prefix + name, schema: inner, isRequired: schema.required?.includes(name) ?? false };
    return [row, ...fieldsOf(spec, object, `${prefix}${name}${suffix}.`, depth + 1)];
  });
}

/** The shapes of a content type: one, or each of several. */
export function shapesOf(spec: Spec, given: Schema): readonly Schema[] {
  const schema = resolve(spec, given);
  return schema.properties ? [schema] : (schema.anyOf ?? [schema]);
}

/** A value that the schema allows, for a response that has no example. */
export function exampleOf(spec: Spec, given: Schema | undefined, depth = 0): unknown {
  const schema = resolve(spec, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return exampleOf(spec, schema.anyOf[0], depth);
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "array") return depth > maxDepth ? [] : [exampleOf(spec, schema.items, depth + 1)];
  if (schema.properties !== undefined && depth <= maxDepth) {
    const shown = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name) ?? true);
    return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(spec, field, depth + 1)]));
  }
  const values: Readonly<Record<string, unknown>> = { string: "…", number: 0, integer: 0, boolean: true, object: {} };
  return type === undefined ? null : (values[type] ?? null);
}

/** The first example of the request body, with its content type. */
export function bodyExample({
  requestBody,
}: Operation): { readonly type: string; readonly body: Record<string, unknown> } | null {
  for (const [type, { example }] of Object.entries(requestBody?.content ?? {}))
    if (example !== undefined) return { type, body: example };
  return null;
}

/** What a parameter is filled with at first; an optional one is left empty. */
export function parameterExample({ in: place, example, required, schema }: Parameter): string {
  if (required !== true) return "";
  if (place === "header") return "2023-06-01";
  return String(example ?? schema.enum?.[0] ?? schema.const ?? schema.default ?? "");
}

export type Values = Readonly<Record<string, string>>;

export const exampleValues = ({ parameters }: Operation): Values =>
  Object.fromEntries(parameters.map((each) => [each.name, parameterExample(each)]));

/** The path and query of a request with these values. */
export function targetOf({ path, operation }: Row, values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] || name));
  const query = operation.parameters.filter((each) => each.in === "query" && values[each.name]);
  const text = query.map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? "")}`).join("&");
  return text === "" ? filled : `${filled}?${text}`;
}

/** Whether it is asked with an admin key: operations below /admin, and the metrics. */
export const isAdmin = ({ path }: Row): boolean => path.startsWith("/admin/") || path === "/metrics";
