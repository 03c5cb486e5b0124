// Rules of the organization hold over all its projects and keys, those of the store too, and change without a restart.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { faultOf } from "./load.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-organization-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "turnpike.yaml");
const write = (organization: string): void => {
  writeFileSync(
    `${file}~`,
    `projects: { team: {} }
keys: { ci: { secret: secret-of-ci, project: team } }
prices: { shipped: false, cost: [{ model: "*", provider: sandbox, usd: { input: 0, output: 100000 } }] }
organizations: { default: ${organization} }
`,
  );
  renameSync(`${file}~`, file);
};

const ask = async (url: string, key: string, model = "sandbox/chat") => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "hi" }] }),
  });
  return { status: answer.status, text: await answer.text() };
};

test("rates and budgets are those of all keys together, over a restart too", async () => {
  write("{ limits: { requests_per_minute: 2 } }");
  const options = { environment: { TURNPIKE_CONFIG: file }, dataFolder: join(folder, "data") };
  const running = await gateway(options);
  const statuses = [await ask(running.url, clientKey), await ask(running.url, "secret-of-ci")];
  expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  for (const key of [clientKey, "secret-of-ci"])
    expect(await ask(running.url, key)).toMatchObject({
      ...{ status: 429, text: expect.stringContaining("Rate limit of this organization exceeded") },
    });
  write('{ refused_models: ["sandbox/embed"], budgets: [{ amount: "2.50", period: total }] }');
  // Both requests cost a dollar for each of their ten tokens of output or less.
  const over = await until("the budget counts", async () => {
    const answer = await ask(running.url, "secret-of-ci");
    return answer.text.includes("Budget of this organization exceeded") ? answer : null;
  });
  expect(over.status).toBe(429);
  expect(await ask(running.url, clientKey, "sandbox/embed")).toMatchObject({ status: 403 });
  await running.stop();
  const next = await gateway(options);
  expect(await ask(next.url, clientKey)).toMatchObject({
    ...{ status: 429, text: expect.stringContaining("Budget of this organization exceeded") },
  });
  await next.stop();
}, 120_000);

test("only the organization `default` exists, and its rules are checked", () => {
  expect(faultOf("organizations: { defalt: {} }")).toContain(
    "organizations.defalt: unknown field. Did you mean 'default'?",
  );
  expect(faultOf("organizations: { default: { allowed_addresses: [nowhere] } }")).toContain(
    "organizations.default.allowed_addresses[0]: is not an address or a range",
  );
});
