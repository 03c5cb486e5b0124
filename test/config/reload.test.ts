// A running gateway follows its files: what is valid counts at once, what is not leaves the last good one, and nothing that is in progress or was counted is lost.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminKey, clientKey, gateway, type RunningGateway, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-reload-"));
const provider = await upstream();
const rotated = await upstream();
afterAll(async () => {
  await Promise.all([provider.stop(), rotated.stop()]);
  rmSync(folder, { recursive: true });
});

const completion = (content: string, usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }) => ({
  json: {
    ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage },
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  },
});
provider.on("*", completion("hello"));

const base = `providers:
  a: { kind: compatible, base_url: "${provider.url}/v1", credential: credential-a-1234567890, models: [m] }
`;
let made = 0;
const fileOf = (text: string): string => {
  const file = join(folder, `${++made}.yaml`);
  writeFileSync(file, text);
  return file;
};
/** As editors do it: another file takes the name. */
const replace = (file: string, text: string): void => {
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
};

const ask = (url: string, model: string, key = clientKey, more: object = {}): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "hi" }], ...more }),
  });
const statusOf = async (...parameters: Parameters<typeof ask>): Promise<number> => {
  const answer = await ask(...parameters);
  await answer.text();
  return answer.status;
};
const settings = async (url: string): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${adminKey}` };
  const all: Record<string, unknown> = {};
  for (let after: string | null = ""; after !== null; ) {
    const place: string = after === "" ? "" : `&cursor=${after}`;
    const answer = await fetch(`${url}/admin/api/settings?limit=100${place}`, { headers });
    const page = (await answer.json()) as { data: { id: string; value: unknown }[]; next_cursor: string | null };
    for (const { id, value } of page.data) all[id] = value;
    after = page.next_cursor;
  }
  return all;
};
const metricsOf = async (url: string): Promise<string> =>
  await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })).text();
const lines = ({ log }: RunningGateway, event: string): Record<string, unknown>[] =>
  log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["event"] === event);
/** Replaces the file, and resolves when the gateway has read it. */
const applied = async (running: RunningGateway, file: string, text: string): Promise<Record<string, unknown>> => {
  const before = lines(running, "configuration_applied").length;
  replace(file, text);
  return await until("the file counts", () => lines(running, "configuration_applied")[before]);
};

test("keys, projects, routes, providers, limits and the log's level count without a restart", async () => {
  const file = fileOf(base);
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  expect(await statusOf(running.url, "smart")).toBe(404);
  const { changed } = await applied(
    running,
    file,
    `${base}  b: { kind: compatible, base_url: "${provider.url}/v1", credential: canary-of-b-1234567890, models: [n] }
models: { smart: { candidates: [{ provider: b, model: n }] } }
projects: { team: { allowed_models: [smart] } }
keys: { ci: { secret: canary-of-ci-1234567890, project: team } }
limits: { max_prompt_chars: 1000 }
log_level: debug
time_zone: Asia/Tokyo
`,
  );
  expect(String(changed).split(", ").sort()).toEqual(
    ["provider b", "route smart", "project team", "key ci", "setting limits.max_prompt_chars"]
      .concat("setting log_level", "setting time_zone")
      .sort(),
  );
  expect(await statusOf(running.url, "smart")).toBe(200);
  expect(await statusOf(running.url, "smart", "canary-of-ci-1234567890")).toBe(200);
  expect(await statusOf(running.url, "a/m", "canary-of-ci-1234567890")).toBe(403);
  expect(lines(running, "exchange_completed").length).toBeGreaterThan(0);
  const all = await settings(running.url);
  expect(all).toMatchObject({ "limits.max_prompt_chars": 1000, log_level: "debug", time_zone: "Asia/Tokyo" });
  expect(all).toMatchObject({ "configuration.state": "applied", "configuration.faults": null });
  await applied(running, file, base);
  expect(await statusOf(running.url, "smart")).toBe(404);
  expect(await statusOf(running.url, "a/m", "canary-of-ci-1234567890")).toBe(401);
  expect(running.log.filter((line) => line.includes("canary"))).toEqual([]);
  await running.stop();
}, 120_000);

test("a file with faults leaves the last good one; each fault is logged once, and shown until it is repaired", async () => {
  const file = fileOf(base);
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  replace(file, `${base}mdels: {}\nkeys: { ci: { secret: short } }\n`);
  await until("the file is refused", () => lines(running, "configuration_refused").length >= 2);
  expect(await statusOf(running.url, "a/m")).toBe(200);
  const all = await settings(running.url);
  expect(all["configuration.state"]).toBe("refused");
  expect(String(all["configuration.faults"])).toContain("line 3, mdels: unknown field. Did you mean 'models'?");
  expect(await metricsOf(running.url)).toContain("turnpike_configuration_faults 2");
  replace(file, `${base}mdels: {}\n`);
  await until("it is read again", async () =>
    (await metricsOf(running.url)).includes("turnpike_configuration_faults 1"),
  );
  expect(lines(running, "configuration_refused")).toHaveLength(2);
  rmSync(file);
  await until("the missing file is a fault", async () =>
    String((await settings(running.url))["configuration.faults"]).includes("does not exist"),
  );
  expect(await statusOf(running.url, "a/m")).toBe(200);
  await applied(running, file, base);
  expect(await settings(running.url)).toMatchObject({ "configuration.state": "applied" });
  expect(await metricsOf(running.url)).toContain("turnpike_configuration_faults 0");
  await running.stop();
}, 120_000);

test("what cannot change at run time keeps its value, and is named", async () => {
  const file = fileOf(base);
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  await applied(
    running,
    file,
    `${base}responses: { retention_days: 3 }\nlimits: { max_body_bytes: 5000000, max_headers: 77 }\n`,
  );
  expect(lines(running, "needs_restart").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["responses.retention_days", "limits.max_body_bytes"]),
  );
  expect(await settings(running.url)).toMatchObject({
    ...{ "responses.retention_days": null, "limits.max_body_bytes": 33_554_432, "limits.max_headers": 77 },
    "configuration.needs_restart": expect.stringContaining("responses.retention_days"),
  });
  await running.stop();
}, 120_000);

test("a link that is swapped, as in a ConfigMap, is followed", async () => {
  const mount = join(folder, "mount");
  for (const [version, text] of [
    ["1", base],
    ["2", `${base}models: { smart: { candidates: [{ provider: a, model: m }] } }\n`],
  ] as const) {
    mkdirSync(join(mount, version), { recursive: true });
    writeFileSync(join(mount, version, "turnpike.yaml"), text);
  }
  symlinkSync("1", join(mount, "..data"));
  symlinkSync("..data/turnpike.yaml", join(mount, "turnpike.yaml"));
  const running = await gateway({ environment: { TURNPIKE_CONFIG: join(mount, "turnpike.yaml") } });
  symlinkSync("2", join(mount, "..next"));
  renameSync(join(mount, "..next"), join(mount, "..data"));
  await until("the new folder counts", async () => (await statusOf(running.url, "smart")) === 200);
  await running.stop();
}, 120_000);

test("a reload refills no rate and forgets no spend", async () => {
  const file = fileOf("");
  const yaml = (note: string): string => `${base}
prices: { cost: [{ model: m, provider: a, usd: { input: 0, output: 100000 } }] }
keys:
  rated: { secret: rated-key-123, limits: { requests_per_minute: 2 } }
  paid: { secret: paid-key-1234, budgets: [{ amount: "1.50", period: day }] }
${note}`;
  writeFileSync(file, yaml(""));
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  expect([
    await statusOf(running.url, "a/m", "rated-key-123"),
    await statusOf(running.url, "a/m", "rated-key-123"),
  ]).toEqual([200, 200]);
  // 10 tokens of output: a dollar.
  expect(await statusOf(running.url, "a/m", "paid-key-1234")).toBe(200);
  await applied(running, file, yaml("limits: { max_headers: 77 }\n"));
  expect(await statusOf(running.url, "a/m", "rated-key-123")).toBe(429);
  const refused = await ask(running.url, "a/m", "paid-key-1234");
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("$0.5 is left")]);
  // Half a day away: the day of the budget is another one, and has the same dollar in it.
  const zone = new Date().getUTCHours() < 12 ? "Pacific/Honolulu" : "Etc/GMT+12";
  await applied(running, file, yaml(`time_zone: ${zone}\n`));
  const usage = await fetch(`${running.url}/v1/usage`, { headers: { authorization: "Bearer paid-key-1234" } });
  expect(await usage.text()).toContain('"1000000000"');
  expect(await statusOf(running.url, "a/m", "paid-key-1234")).toBe(429);
  await running.stop();
}, 120_000);

test("a credential whose file is rotated is used at once, also while turnpike.yaml has faults", async () => {
  const secret = join(folder, "credential");
  writeFileSync(secret, "old-credential-1234567890\n");
  let accepted = "old-credential-1234567890";
  rotated.on("*", async (line) => {
    const sent = line.request.headers.get("authorization");
    const isAccepted = sent === `Bearer ${accepted}`;
    await line.play(
      isAccepted ? completion("hello") : { status: 401, json: { error: { message: `bad key ${sent}` } } },
    );
  });
  const file = fileOf(`providers:
  r: { kind: compatible, base_url: "${rotated.url}/v1", credential: "\${ROTATED_KEY}", models: [m] }
`);
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file, ROTATED_KEY_FILE: secret } });
  expect(await statusOf(running.url, "r/m")).toBe(200);
  replace(file, "mdels: {}\n");
  await until("the file is refused", () => lines(running, "configuration_refused").length > 0);
  accepted = "new-credential-1234567890";
  expect(await statusOf(running.url, "r/m")).toBe(502);
  replace(secret, "new-credential-1234567890\n");
  await until("the new credential is sent", async () => (await statusOf(running.url, "r/m")) === 200);
  expect(running.log.filter((line) => /(?:old|new)-credential/.test(line))).toEqual([]);
  await running.stop();
}, 120_000);

test("the admin key and the first key are replaced with their files; the secret of the installation is not", async () => {
  const files = { TURNPIKE_ADMIN_KEY_FILE: join(folder, "admin"), TURNPIKE_KEY_FILE: join(folder, "first") };
  const secret = join(folder, "secret");
  writeFileSync(files.TURNPIKE_ADMIN_KEY_FILE, adminKey);
  writeFileSync(files.TURNPIKE_KEY_FILE, clientKey);
  writeFileSync(secret, "canary-of-the-installation-1");
  const unset = { TURNPIKE_ADMIN_KEY: undefined, TURNPIKE_KEY: undefined };
  const environment = { TURNPIKE_CONFIG: fileOf(base), ...unset, ...files, TURNPIKE_SECRET_FILE: secret };
  const running = await gateway({ environment });
  expect(await statusOf(running.url, "a/m")).toBe(200);
  replace(files.TURNPIKE_KEY_FILE, "canary-new-first-key");
  replace(files.TURNPIKE_ADMIN_KEY_FILE, "canary-new-admin-key");
  replace(secret, "canary-of-the-installation-2");
  await until("the new key counts", async () => (await statusOf(running.url, "a/m", "canary-new-first-key")) === 200);
  expect(await statusOf(running.url, "a/m")).toBe(401);
  const usage = (key: string) =>
    fetch(`${running.url}/admin/api/keys`, { headers: { authorization: `Bearer ${key}` } });
  await until("the new admin key counts", async () => (await usage("canary-new-admin-key")).status === 200);
  expect((await usage(adminKey)).status).toBe(401);
  await until("it is named", () => lines(running, "needs_restart").length > 0);
  expect(lines(running, "needs_restart").map(({ name }) => name)).toEqual(["TURNPIKE_SECRET"]);
  expect(running.log.filter((line) => line.includes("canary"))).toEqual([]);
  await running.stop();
}, 120_000);

test("64 requests at a time while the file is replaced 20 times and SIGHUP is sent: none fails", async () => {
  const file = fileOf(base);
  const child = await spawnGateway({ environment: { TURNPIKE_CONFIG: file } });
  let isOver = false;
  const statuses = new Map<number, number>();
  const client = async (at: number): Promise<void> => {
    while (!isOver) {
      const status = await statusOf(child.url, "a/m", clientKey, { stream: false, user: `client ${at}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const clients = Array.from({ length: 64 }, (_, at) => client(at));
  for (let round = 1; round <= 20; round++) {
    replace(
      file,
      `${base}limits: { max_headers: ${60 + round} }\nmodels: { r${round}: { candidates: [{ provider: a, model: m }] } }\n`,
    );
    child.process.kill("SIGHUP");
    await until("it is applied", () =>
      lines(child, "configuration_applied").some(({ changed }) => String(changed).includes(`route r${round}`)),
    );
  }
  isOver = true;
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual([200]);
  expect(await statusOf(child.url, "r20")).toBe(200);
  expect(await child.kill("SIGTERM")).toBe(0);
  await child.stop();
}, 180_000);
