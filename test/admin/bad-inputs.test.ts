// Bad inputs of the admin API: each error names the field and says what is accepted in its place.
import { afterAll, describe, expect, test } from "bun:test";
import { adminKey, gateway } from "../support/gateway.ts";

const running = await gateway({
  yaml: 'providers:\n  far: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [a] }\n',
});
afterAll(() => running.stop());

interface Answer {
  readonly status: number;
  readonly error: { readonly code: string; readonly param: string | null; readonly message: string };
}

async function call(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer> {
  const response = await fetch(`${running.url}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { error } = (await response.json()) as Answer;
  return { status: response.status, error };
}

describe.each([
  ["keys", "name", "name, project_id, secret"],
  ["projects", "name", "name, rules"],
  ["providers", "id", "id, config, credentials"],
  ["routes", "id", "id, config"],
  ["prices", "book", "book, config"],
  ["service-tokens", "name", "name, scopes"],
  ["users", "email", "email, role"],
])("%s", (resource, first, members) => {
  test("a body that is none, is a list, or has none of the members", async () => {
    expect((await call("POST", resource)).error).toMatchObject({ code: "invalid_json" });
    expect((await call("POST", resource, [])).error.message).toBe("The body must be a JSON object.");
    expect((await call("POST", resource, {})).error).toMatchObject({
      code: "missing_required_parameter",
      param: first,
    });
  });

  test("a member of a wrong type, an empty or a huge one, and one that does not exist", async () => {
    for (const value of [5, null, [], "", "x".repeat(100_000)]) {
      const { status, error } = await call("POST", resource, { [first]: value });
      expect([status, error.param]).toEqual([400, first]);
      expect(error.message).toContain(`Invalid '${first}': it `);
    }
    const { error } = await call("POST", resource, { "ключ 🗝": 1 });
    expect(error).toMatchObject({ code: "unknown_parameter", param: "ключ 🗝" });
    expect(error.message).toContain(`Use ${members}`);
  });

  test("an id that does not exist, a page that is none, and a filter that does not exist", async () => {
    expect(await call("GET", `${resource}/none`)).toMatchObject({ status: 404, error: { code: "object_not_found" } });
    for (const limit of ["abc", "0", "101", "-1", "1.5"])
      expect((await call("GET", `${resource}?limit=${limit}`)).error.message).toContain("from 1 to 100");
    expect((await call("GET", `${resource}?cursor=none`)).error).toMatchObject({ param: "cursor" });
    expect((await call("GET", `${resource}?none=1`)).error.message).toContain("Unknown parameter: 'none'. Use ");
  });
});

test.each(["usage?since=yesterday", "usage?until=5", "requests?since=2026-13-45", "requests?until=", "series?since=x"])(
  "a time that is none: %s",
  async (path) => {
    const { error } = await call("GET", path);
    expect(error.message).toMatch(/time such as 2026-01-31T12:00:00Z/);
  },
);

test("of two editors the second one is told to read the object again", async () => {
  const response = await fetch(`${running.url}/admin/api/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "shared" }),
  });
  const { id, version } = (await response.json()) as { id: string; version: number };
  const [one, other] = await Promise.all(
    ["one", "other"].map((name) => call("PATCH", `keys/${id}`, { name }, { "if-match": `"${version}"` })),
  );
  const refused = [one, other].filter((answer) => answer?.status === 412);
  expect(refused).toMatchObject([
    { error: { code: "version_conflict", message: expect.stringContaining("Read it again") } },
  ]);
});
