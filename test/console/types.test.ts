// The types that the pages declare for objects of the admin API: what the OpenAPI document says is served has them.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { document } from "../../src/http/openapi/document.ts";
import { adminRows, rows } from "../http/rows.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** Each type with the place of its schema: a list's path, or a method with its path and the members below. */
const places: Readonly<Record<string, readonly [method: string, path: string, ...members: string[]]>> = {
  RequestRow: ["get", "requests", "data", "[]"],
  Attempt: ["get", "requests", "data", "[]", "attempt_list", "[]"],
  Decision: ["get", "requests", "data", "[]", "decisions", "[]"],
  Key: ["get", "keys", "data", "[]"],
  UsageRow: ["get", "usage", "data", "[]"],
  SeriesRow: ["get", "series", "data", "[]"],
  AttentionItem: ["get", "attention", "data", "[]"],
  BudgetRow: ["get", "budgets", "data", "[]"],
  Provider: ["get", "providers", "data", "[]"],
  Model: ["get", "models", "data", "[]"],
  Project: ["get", "projects", "data", "[]"],
  Setting: ["get", "settings", "data", "[]"],
  Client: ["get", "clients", "data", "[]"],
  ServiceToken: ["get", "service-tokens", "data", "[]"],
  User: ["get", "users", "data", "[]"],
  OpenSession: ["get", "sessions", "data", "[]"],
  AuditEntry: ["get", "audit", "data", "[]"],
  Task: ["get", "tasks/{id}"],
  Poll: ["get", "tasks/{id}", "polls", "[]"],
  PriceList: ["post", "prices/effective"],
};

const literal = (value: unknown): string => JSON.stringify(value);

/** A schema as a type of TypeScript. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => `(${typeOf(each)})`).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => `(${typeOf({ ...schema, type })})`).join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type !== "object")
    return (
      { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" }[
        String(schema.type)
      ] ?? "any"
    );
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(
    ([name, each]) => `${literal(name)}${required.includes(name) ? "" : "?"}: ${typeOf(each)};`,
  );
  if (members.length > 0) return `{ ${members.join(" ")} }`;
  const rest = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  return `Record<string, ${typeof rest === "object" ? typeOf(rest) : "any"}>`;
}

function below(schema: Schema | undefined, member: string): Schema | undefined {
  const object = [schema, ...(schema?.anyOf ?? [])].find((each) => each?.properties ?? each?.items);
  return member === "[]" ? object?.items : object?.properties?.[member];
}

type Operations = Readonly<
  Record<string, { readonly responses: Record<string, { content: Record<string, { schema: Schema }> }> }>
>;

test("what the admin API serves can be assigned to the types that the pages declare", async () => {
  const { paths } = document([...rows, ...adminRows], "") as { paths: Readonly<Record<string, unknown>> };
  const lines = Object.entries(places).map(([name, [method, path, ...members]]) => {
    const operation = (paths[`/admin/api/${path}`] as Operations | undefined)?.[method];
    const schema = members.reduce(below, operation?.responses["200"]?.content["application/json"]?.schema);
    expect({ name, isThere: schema !== undefined }).toEqual({ name, isThere: true });
    return `export const ${name}: (served: ${typeOf(schema ?? {})}) => types.${name} = (served) => served;`;
  });
  const repository = join(import.meta.dir, "..", "..");
  const folder = mkdtempSync(join(repository, "node_modules", ".types-"));
  try {
    const file = join(folder, "check.ts");
    writeFileSync(file, `import type * as types from "../../console/src/data/types.ts";\n${lines.join("\n")}\n`);
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--module", "esnext"];
    const tsc = join(repository, "node_modules", ".bin", "tsc");
    const command = [tsc, "--ignoreConfig", ...flags, "--moduleResolution", "bundler", "--target", "esnext", file];
    const child = Bun.spawn(command, { cwd: repository, stdout: "pipe", stderr: "pipe" });
    const out = await child.stdout.text();
    expect([await child.exited, out]).toEqual([0, ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
