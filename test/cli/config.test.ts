// `turnpike config`: every fault at once, what is in effect without a secret, and a schema that editors can use.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Compile } from "typebox/schema";
import { parse } from "yaml";
import { withoutSecrets } from "../../src/config/hide-secrets.ts";
import { place } from "./command.ts";

const repository = join(import.meta.dir, "..", "..");

test("check reports every fault with its line and a suggestion, and exits with 1", async () => {
  const here = place(`providers:
  a: { kind: compatibl, base_url: "http://127.0.0.1:9/v1" }
models:
  smart: { candidates: [{ provider: b, model: x }] }
mdels: {}
`);
  const { code, out, err } = await here.run(["config", "check"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("turnpike.yaml line 5, mdels: unknown field. Did you mean 'models'?\n");
  expect(err).toContain("unknown provider kind 'compatibl'. Did you mean 'compatible'?\n");
  expect(err).toContain("unknown provider 'b'");
  expect(err).toEndWith("\n3 faults\n");
  const asJson = await here.run(["config", "check", "--json"]);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.out)).toMatchObject({ valid: false, faults: { length: 3 } });
  here.remove();
});

test("check of a good file prints its warnings and exits with 0; a named file that is missing is a fault", async () => {
  const here = place(`providers: { a: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [x] } }
models: { smart: { candidates: [{ provider: a, model: y }] } }
`);
  const { code, out } = await here.run(["config", "check"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^warning: models\.smart.*\n.*turnpike\.yaml is valid\.\n$/);
  expect(await here.run(["config", "check"], { TURNPIKE_CONFIG: "missing.yaml" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("does not exist"),
  });
  expect(await here.run(["config", "check"], { PORT: "eighty" })).toMatchObject({ code: 1 });
  here.remove();
});

test("print shows what is in effect, and no secret", async () => {
  const here = place(`providers:
  a:
    kind: compatible
    base_url: "http://127.0.0.1:9/v1?key=canary-in-a-query"
    credential: "\${A_KEY}"
    headers: { x-team: "canary-in-a-header" }
    proxy: "http://user:canary-password@proxy.example:3128"
keys: { ci: { secret: "canary-of-a-client" } }
videos:
  results:
    bucket: { name: b, endpoint: "http://127.0.0.1:9", access_key_id: canary-id, secret_access_key: canary-secret }
limits: { max_headers: 77 }
`);
  const environment = {
    A_KEY: "canary-of-a-variable",
    OPENAI_API_KEY: "canary-of-openai",
    DATABASE_URL: "postgres://user:canary-database@db.example/x",
    TURNPIKE_SECRET: "canary-of-the-installation",
    TURNPIKE_KEY: "canary-first-key",
  };
  const { code, out, err } = await here.run(["config", "print"], environment);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toContain("canary");
  const shown = parse(out);
  expect(shown.environment).toMatchObject({
    HOST: "127.0.0.1",
    TURNPIKE_SECRET: "***",
    DATABASE_URL: "postgres://user:***@db.example/x",
  });
  expect(shown.providers.a).toMatchObject({ kind: "compatible", credential: "***", headers: { "x-team": "***" } });
  expect(shown.providers.openai).toMatchObject({ kind: "openai", source: "environment" });
  expect(shown.keys).toEqual({ ci: { secret: "***" } });
  expect(shown.limits).toMatchObject({ max_headers: 77, max_concurrent_requests: 16_384 });
  expect(JSON.parse((await here.run(["config", "print", "--json"], environment)).out)).toEqual(shown);
  here.remove();
});

test("a secret variable's value is hidden wherever it is; other texts stay", () => {
  const environment = { MY_KEY: "a-long-value", PLAIN: "another-value", SHORT_KEY: "abc" };
  const value = { note: "uses a-long-value here", plain: "another-value", short: "abc", max_tokens: "7" };
  expect(withoutSecrets(value, environment)).toEqual({ ...value, note: "uses *** here" });
});

test("the schema is the one in the repository; it accepts the examples and finds what is wrong", async () => {
  const here = place();
  const { out } = await here.run(["config", "schema"]);
  here.remove();
  const schema = JSON.parse(out);
  expect(schema).toEqual(JSON.parse(readFileSync(join(repository, "docs/turnpike.schema.json"), "utf8")));
  const validator = Compile(schema);
  const example = readFileSync(join(repository, "examples/turnpike.yaml"), "utf8");
  expect(example).toStartWith("# yaml-language-server: $schema=../docs/turnpike.schema.json\n");
  expect(validator.Check(parse(example))).toBe(true);
  expect(validator.Check({ providers: { a: { kind: "compatible", modls: [] } } })).toBe(false);
  expect(validator.Check({ limits: { max_headers: "many" } })).toBe(false);
  expect(validator.Check({ mdels: {} })).toBe(false);
});
