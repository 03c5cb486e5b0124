// `turnpike config plan`: each difference on a line, settings that need a restart named, and no secret.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { place } from "./command.ts";

const before = `providers:
  a: { kind: compatible, base_url: "http://127.0.0.1:9/v1", credential: canary-old-credential, models: [x] }
  b: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [y] }
models: { smart: { candidates: [{ provider: a, model: x }] } }
keys: { ci: { secret: canary-key-1 } }
prices: { cost: [{ model: x, usd: { input: 1 } }] }
`;
const after = `providers:
  a: { kind: compatible, base_url: "http://127.0.0.1:8/v1", credential: canary-new-credential, models: [x] }
  c: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [y] }
models: { smart: { candidates: [{ provider: a, model: x }] } }
keys: { ci: { secret: canary-key-1 }, cd: { secret: canary-key-2 } }
projects: { team: {} }
prices: { cost: [{ model: x, usd: { input: 2 } }] }
responses: { retention_days: 3 }
limits: { max_headers: 77 }
`;

const here = place(before);
afterAll(() => here.remove());
const write = (name: string, text: string) => writeFileSync(join(here.folder, name), text);

test("without a configuration that was loaded there is nothing to compare with", async () => {
  const { code, err } = await here.run(["config", "plan"], { TURNPIKE_SECRET: "a-secret-of-the-test" });
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("Start the gateway first.") });
});

test("what would change is listed, with exit code 3; what does not, is not", async () => {
  const running = here.start();
  await running.url();
  expect(await here.run(["config", "plan"])).toEqual({ code: 0, out: "No changes.\n", err: "" });
  write("next.yaml", after);
  const { code, out, err } = await here.run(["config", "plan", "--file", "next.yaml"]);
  expect({ code, err }).toEqual({ code: 3, err: "" });
  expect(out.trimEnd().split("\n")).toEqual([
    '~ provider a: base_url "http://127.0.0.1:9/v1" -> "http://127.0.0.1:8/v1", credential changed',
    "- provider b",
    "+ provider c",
    "+ key cd",
    "+ project team",
    "~ price cost x: usd.input 1 -> 2",
    "+ setting responses.retention_days: unset -> 3 (needs a restart)",
    "+ setting limits.max_headers: unset -> 77",
    "",
    "8 changes",
  ]);
  const asJson = await here.run(["config", "plan", "--file", "next.yaml", "--json"]);
  expect(asJson.code).toBe(3);
  expect(JSON.parse(asJson.out)).toMatchObject({ changes: { length: 8 }, needs_restart: true });
  expect(out + asJson.out).not.toContain("canary");
  await running.stop();
  const snapshot = await Bun.file(join(here.folder, "data", "configuration.json")).text();
  expect(snapshot).toContain("127.0.0.1");
  expect(snapshot).not.toContain("canary");
  const other = { TURNPIKE_SECRET: "another-secret-of-the-test" };
  expect(await here.run(["config", "plan"], other)).toMatchObject({
    code: 1,
    err: expect.stringContaining("TURNPIKE_SECRET"),
  });
}, 120_000);

test("a file with faults has no plan: every fault is printed, with exit code 1", async () => {
  write("wrong.yaml", "mdels: {}\nproviders: { a: { kind: compatibl } }\n");
  const { code, out, err } = await here.run(["config", "plan", "--file", "wrong.yaml"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("wrong.yaml line 1, mdels: unknown field. Did you mean 'models'?\n");
  expect(err).toContain("Did you mean 'compatible'?\n");
  const asJson = await here.run(["config", "plan", "--file", "wrong.yaml", "--json"]);
  expect(JSON.parse(asJson.out)).toMatchObject({ faults: { length: 2 } });
});
