// The matrix of permissions answers for every resource, verb and member, and what it does not have is denied.
import { describe, expect, test } from "bun:test";
import type { TObject } from "typebox";
import { bodyOf } from "../../src/admin/admin.ts";
import { permissions, requireVerb, requireWritable, visible } from "../../src/admin/permissions.ts";
import { type Resource, verbsOf } from "../../src/admin/resource.ts";
import { adminResources, type ResourceDependencies } from "../../src/admin/resources/index.ts";
import { type Role, roles } from "../../src/admin/roles.ts";
import { entrySchemas } from "../../src/config/schema.ts";

const resources = adminResources({ schemas: entrySchemas } as Partial<ResourceDependencies> as ResourceDependencies);
const principal = (role: Role) => ({ kind: "service_token" as const, id: "x", name: "x", roles: [role] });
const as = (...held: Role[]) => ({ ...principal("operator"), roles: held });
const membersOf = (schema: TObject | undefined) => Object.keys(schema?.properties ?? {});

const answers = ({ object, create, actions = {} }: Resource) => [
  ...membersOf(object),
  ...Object.keys(create?.once ?? {}),
  ...Object.values(actions).flatMap(({ reply }) => membersOf(reply)),
];

test("has the resources that exist, and no other", () => {
  expect(Object.keys(permissions).sort()).toEqual(resources.map(({ name }) => name).sort());
});

describe.each(resources.map((resource) => [resource.name, resource] as const))("%s", (name, resource) => {
  const matrix = permissions[name];

  test("every verb has its roles, and no other verb has", () => {
    expect(Object.keys(matrix?.verbs ?? {}).sort()).toEqual([...verbsOf(resource), ...(resource.files ?? [])].sort());
    for (const verb of verbsOf(resource)) {
      const allowed = roles.filter((role) => {
        try {
          requireVerb(principal(role), name, verb);
          return true;
        } catch {
          return false;
        }
      });
      expect({ verb, allowed: [...allowed].sort() }).toEqual({
        verb,
        allowed: [...(matrix?.verbs[verb] ?? [])].sort(),
      });
      expect(allowed).toContain("operator");
    }
  });

  test("every member of an answer is seen by somebody, and no other member is", () => {
    const listed = [matrix?.fields, matrix?.restrictedFields?.fields].flatMap((text) => text?.split(/\s+/) ?? []);
    expect([...new Set(listed)].sort()).toEqual([...new Set(answers(resource))].sort());
    expect(listed.length).toBe(new Set(listed).size);
  });

  test("every member of a body may be set by the operator, and by those who may use the verb", () => {
    for (const verb of verbsOf(resource)) {
      const body = Object.fromEntries(membersOf(bodyOf(resource, verb)).map((member) => [member, null]));
      for (const role of matrix?.verbs[verb] ?? [])
        expect(() => requireWritable(principal(role), name, body)).not.toThrow();
    }
    expect(() => requireWritable(principal("operator"), name, { unlisted: 1 })).toThrow("unlisted");
  });
});

test("what is not in the matrix is denied", () => {
  expect(() => requireVerb(as("operator"), "service-tokens", "explode")).toThrow();
  expect(() => requireVerb(as("operator"), "nothing", "list")).toThrow();
  expect(() => requireVerb(as(), "audit", "list")).toThrow();
  expect(visible(as("operator"), "audit", { id: "1", unlisted: "x" })).toEqual({ id: "1" });
  expect(visible(as("operator"), "nothing", { id: "1" })).toEqual({});
});

test("a scope that only reads may change nothing", () => {
  for (const { name } of resources)
    for (const [verb, allowed] of Object.entries(permissions[name]?.verbs ?? {}))
      if (["create", "update", "delete", "cancel", "revoke"].includes(verb))
        expect(allowed.filter((role) => role.endsWith(":read"))).toEqual([]);
});
