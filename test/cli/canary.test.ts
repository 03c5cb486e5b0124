// Credentials of providers and keys of clients are shown nowhere: not by commands, the admin API, metrics or the log, in no file, and not where the process crashes.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { adminKey, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const secrets = {
  credential: "sk-canary-upstream-3f9a1c77",
  second: "sk-canary-second-88d1e0aa",
  stored: "sk-canary-stored-51be22f0",
  fileKey: "tp-canary-client-key-77aa31",
  adminKey,
};

const far = await upstream();
const folder = mkdtempSync(join(tmpdir(), "turnpike-test-canary-"));
const yaml = `
providers:
  far: { kind: openai, base_url: "${far.url}/v1", credential: ${secrets.credential}, models: [big] }
  other: { kind: compatible, base_url: "${far.url}/v1", credential: "\${CANARY_CREDENTIAL}", models: [small] }
prices:
  shipped: false
  cost: [{ model: "*", usd: { input: 1, output: 2 } }]
keys:
  shop: { secret: ${secrets.fileKey}, limits: { requests_per_minute: 100 }, budgets: [{ amount: "1", period: day }] }
`;
const file = join(folder, "turnpike.yaml");
writeFileSync(file, yaml);
const environment = {
  ...{ TURNPIKE_CONFIG: file, CANARY_CREDENTIAL: secrets.second, LOG_LEVEL: "debug" },
  ...{ TURNPIKE_DATA: join(folder, "data"), TURNPIKE_ADMIN_KEY: adminKey, HOST: "127.0.0.1" },
};
const running = await spawnGateway({ yaml, dataFolder: environment.TURNPIKE_DATA, environment });
afterAll(async () => {
  await running.stop();
  await far.stop();
  rmSync(folder, { recursive: true, force: true });
});

const shown: (readonly [where: string, text: string])[] = [];

async function ask(call: string, key: string, body?: object): Promise<string> {
  const [method = "GET", path = "/"] = call.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": call };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(running.url + path, init);
  const text = await response.text();
  shown.push([call, `${text} ${JSON.stringify([...response.headers])}`]);
  return text;
}

async function command(...words: string[]): Promise<void> {
  const main = join(import.meta.dir, "..", "..", "src", "main.ts");
  const child = Bun.spawn([process.execPath, main, ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...environment, PORT: new URL(running.url).port },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  expect(`${out}${error}`.length).toBeGreaterThan(0);
  shown.push([words.join(" "), `${out}${error}`]);
}

const refusalOf = (key: string) => ({ error: { message: `Incorrect API key provided: ${key}.`, code: key } });
const chat = (model: string) => ({ model, messages: [{ role: "user", content: "hi" }] });

test("no secret is shown, logged or written", async () => {
  const provider = {
    id: "kept",
    config: { kind: "compatible", base_url: `${far.url}/v1`, models: ["tiny"] },
    credentials: [{ name: "main", credential: secrets.stored }],
  };
  expect(await ask("POST /admin/api/providers", adminKey, provider)).toContain('"kept"');
  const created = JSON.parse(await ask("POST /admin/api/keys", adminKey, { name: "made" })) as { secret: string };
  // The one place where a new key is shown.
  shown.pop();
  const all = { ...secrets, created: created.secret };
  // Providers that repeat the credential that they were shown, in refusals, failures and replies.
  for (const [model, credential] of [
    ["big", secrets.credential],
    ["small", secrets.second],
    ["tiny", secrets.stored],
  ] as const)
    for (const status of [400, 401, 429, 500]) {
      far.on("*", { status, json: refusalOf(credential) });
      await ask("POST /v1/chat/completions", created.secret, chat(model));
      await ask("POST /v1/messages", secrets.fileKey, { ...chat(model), max_tokens: 5 });
      await ask("POST /v1/responses", secrets.fileKey, { model, input: "hi" });
    }
  const sent = new Set(far.requests.map(({ headers }) => headers.get("authorization")));
  expect(sent).toEqual(new Set([secrets.credential, secrets.second, secrets.stored].map((each) => `Bearer ${each}`)));
  await ask("POST /v1/chat/completions", "tp-canary-unknown-key", chat("big"));
  const resources = [
    "keys",
    "projects",
    "providers",
    "models",
    "routes",
    "prices",
    "usage",
    "requests",
    "tasks",
    "audit",
  ];
  for (const name of [...resources, "service-tokens", "settings"]) await ask(`GET /admin/api/${name}`, adminKey);
  for (const path of ["/metrics", "/openapi.json", "/v1/usage", "/v1/models", "/readyz"])
    await ask(`GET ${path}`, adminKey);
  const [row] = await until("the requests are settled", () => {
    const rows = readRequests(environment.TURNPIKE_DATA, { limit: 100 });
    return rows.length > 10 && rows;
  });
  await ask(`GET /admin/api/requests/${row?.id}`, adminKey);
  await command("requests", "show", String(row?.id));
  await command("requests", "feed", "--limit", "50", "--json");
  await command("config", "print");
  await command("config", "check");
  await command("doctor");
  await command("keys", "list", "--json");
  await command("providers", "list", "--json");
  await command("usage", "--json");
  await command("reconcile");
  await command("connect", "openai-python");
  const [logged, printed] = [running.log.length, running.lines.length];
  expect([logged > 0, printed > 0]).toEqual([true, true]);
  // Where it dies of an exception of its own, or is killed, nothing more is written.
  await running.kill("SIGABRT");
  const texts = [
    ...shown,
    ["the log", running.log.join("\n")] as const,
    ["the banner", running.lines.join("\n")] as const,
  ];
  const files = readdirSync(environment.TURNPIKE_DATA, { recursive: true, encoding: "utf8" })
    .map((name) => join(environment.TURNPIKE_DATA, name))
    .filter((path) => existsSync(path) && statSync(path).isFile());
  expect(files.some((path) => path.endsWith("usage.db"))).toBe(true);
  for (const path of files) texts.push([path, readFileSync(path).toString("latin1")]);
  const found = texts.flatMap(([where, text]) =>
    Object.entries(all).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${where}`] : [])),
  );
  expect(found).toEqual([]);
});
