// Stored bodies over sockets: which requests, which stages, within which bounds, without which secrets, and who may read them.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminOf, errorIn, type Json } from "../admin/setting.ts";
import { says } from "../support/fixtures.ts";
import { type GatewayOptions, gateway, type RunningGateway, spawnGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const [up, claude] = [await upstream(), await upstream()];
const key = "tp-the-key-of-the-client-1234567890";
const credential = "an-upstream-credential-of-24";
const yamlOf = (bodies: string, projects = "") => `providers:
  alpha: { kind: compatible, base_url: "${up.url}/v1", credential: "${credential}", models: [gpt-x] }
  claude: { kind: anthropic, base_url: "${claude.url}", credential: "${credential}-2", models: [claude-x] }
models: { chain: { candidates: [{ provider: alpha, model: gpt-x }, { provider: claude, model: claude-x }] } }
keys: { one: { secret: "${key}" }, other: { secret: "tp-another-key-1234", project: team } }
projects: { team: ${projects || "{}"} }
bodies: ${bodies}
`;

async function start(bodies: string, projects?: string, more: GatewayOptions = {}) {
  const running = await gateway({ yaml: yamlOf(bodies, projects), ...more });
  afterAll(() => running.stop());
  return await adminOf(running);
}
afterAll(() => Promise.all([up.stop(), claude.stop()]));

function send({ url }: RunningGateway, path: string, body: object, secret = key): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

const chat = (content: string, more: object = {}) => ({
  model: "chain",
  messages: [{ role: "user", content }],
  ...more,
});

const stored = (folder: string): number => {
  const path = join(folder, "bodies.db");
  if (!existsSync(path)) return 0;
  using database = new Database(path);
  database.run("pragma busy_timeout = 5000");
  if (database.query("select 1 from sqlite_master where name = 'requests'").get() === null) return 0;
  return Number(Object(database.query("select count(*) as n from requests").get()).n);
};

const has = (folder: string, count: number) => until(`${count} requests are stored`, () => stored(folder) === count);
const lastId = ({ dataFolder }: RunningGateway): string => ledgerRows(dataFolder).at(-1)?.id ?? "";

interface Shown extends Json {
  stage: string;
  attempt: number | null;
  provider: string | null;
  size: number;
  body: string;
}

async function bodiesOf({ ask }: Awaited<ReturnType<typeof start>>, id: string): Promise<Shown[]> {
  const { status, body } = await ask(`POST requests/${id}/bodies`);
  expect(status).toBe(200);
  return body["bodies"] as Shown[];
}

/** Everything that is in the data folder, for a search. */
const everything = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

const all = await start("{ store: all, redact_fields: [ssn], redact_patterns: ['(?:forbidden|[Gg]eheim)\\w*'] }");

describe("with all", () => {
  test("four stages are there, each attempt's too, without secrets", async () => {
    up.clear();
    claude.clear();
    const failure = { error: { message: `no, ${credential} is wrong`, type: "server_error" } };
    up.on("*", { status: 500, json: failure });
    claude.on("*", says("anthropic-messages/text.json"));
    const wanted = `${key} ${"sk-proj-"}abcdefghijklmnop1234 forbiddenfruit`;
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", description: "x" } } }];
    const response = await send(
      all.running,
      "/v1/chat/completions",
      chat(wanted, { tools, metadata: { ssn: "123-45" } }),
    );
    expect(response.status).toBe(200);
    const reply = await response.text();
    await has(all.running.dataFolder, 1);
    const bodies = await bodiesOf(all, lastId(all.running));
    expect(bodies.map(({ stage, attempt, provider }) => [stage, attempt, provider])).toEqual([
      ["request", null, null],
      ["upstream_request", 1, "alpha"],
      ["upstream_response", 1, "alpha"],
      ["upstream_request", 2, "claude"],
      ["upstream_response", 2, "claude"],
      ["response", null, null],
    ]);
    expect(JSON.parse(bodies[0]?.body ?? "")).toMatchObject({ model: "chain", metadata: { ssn: "[redacted]" } });
    expect(JSON.parse(bodies[1]?.body ?? "")).toMatchObject({ model: "gpt-x" });
    expect(JSON.parse(bodies[3]?.body ?? "")).toMatchObject({ model: "claude-x", max_tokens: expect.any(Number) });
    expect(bodies[2]?.body).toContain("[hidden] is wrong");
    expect(bodies[5]?.body).toBe(reply);
    const text = JSON.stringify(bodies);
    for (const secret of [key, credential, "sk-proj-abcdefghijklmnop1234", "forbiddenfruit", "123-45"])
      expect(text).not.toContain(secret);
  });

  test("of a stream it is what went out and what came, also when its client leaves", async () => {
    up.clear();
    up.on("*", says("openai-chat/text.sse"));
    const text = await (await send(all.running, "/v1/chat/completions", chat("hi", { stream: true }))).text();
    await has(all.running.dataFolder, 2);
    const whole = await bodiesOf(all, lastId(all.running));
    expect(whole.map(({ stage }) => stage)).toEqual(["request", "upstream_request", "upstream_response", "response"]);
    expect(whole[3]?.body).toBe(text);
    up.on("*", says("openai-chat/text.sse", { gate: new Promise(() => undefined), gateAfter: 3 }));
    const left = await send(all.running, "/v1/chat/completions", chat("hi", { stream: true }));
    const reader = left.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await has(all.running.dataFolder, 3);
    const cut = await bodiesOf(all, lastId(all.running));
    expect(cut[3]?.body).toStartWith("data: ");
    expect(cut[3]?.body).not.toContain("[DONE]");
  });

  test("an error is what the client got", async () => {
    for (const each of [up, claude]) each.on("*", { status: 400, json: { error: { message: "bad prompt" } } });
    const response = await send(all.running, "/v1/chat/completions", chat("hi"));
    const text = await response.text();
    await has(all.running.dataFolder, 4);
    const bodies = await bodiesOf(all, response.headers.get("x-request-id") ?? "");
    expect(JSON.parse(bodies.at(-1)?.body ?? "")).toEqual(JSON.parse(text));
  });

  test("reading is for those who may, and is in the audit log", async () => {
    const id = lastId(all.running);
    const reader = await all.token("requests:read", "costs:read");
    expect(errorIn(await all.ask(`POST requests/${id}/bodies`, undefined, { key: reader }))).toMatchObject({
      status: 403,
    });
    const own = await all.token("bodies:read");
    expect((await all.ask(`POST requests/${id}/bodies`, undefined, { key: own })).status).toBe(200);
    const { body } = await all.ask(`GET audit?resource=requests&object_id=${id}`);
    const actors = (body["data"] as Json[]).map(({ action, actor }) => [action, Object(actor).kind]);
    expect(actors[0]).toEqual(["bodies", "service_token"]);
    expect((await all.ask("POST audit/verify")).body).toMatchObject({ valid: true });
  });
});

test("errors only, and what a project says comes first", async () => {
  const errors = await start("{ store: errors }", "{ bodies: { store: never } }");
  const folder = errors.running.dataFolder;
  up.on("*", says("openai-chat/text.json"));
  expect((await send(errors.running, "/v1/chat/completions", chat("fine"))).status).toBe(200);
  for (const each of [up, claude]) each.on("*", { status: 500, json: { error: { message: "no" } } });
  await send(errors.running, "/v1/chat/completions", chat("of the team"), "tp-another-key-1234");
  await send(errors.running, "/v1/chat/completions", chat("wrong"));
  await has(folder, 1);
  expect((await bodiesOf(errors, lastId(errors.running)))[0]?.body).toContain("wrong");
});

test("a file that could not be opened is opened for a later request", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bodies-"));
  const inTheWay = join(folder, "bodies.db");
  mkdirSync(inTheWay);
  const { running } = await start("{ store: all }", undefined, { dataFolder: folder });
  up.on("*", says("openai-chat/text.json"));
  await send(running, "/v1/chat/completions", chat("lost"));
  await until("the failure is logged", () => running.log.some((line) => line.includes("bodies")));
  rmSync(inTheWay, { recursive: true });
  await until("a request is stored", async () => {
    expect((await send(running, "/v1/chat/completions", chat("stored"))).status).toBe(200);
    return stored(folder) > 0;
  });
});

test("a sample of all or of none, and a bound on each body and on all together", async () => {
  const none = await start(
    "{ store: sample, sample_percent: 0 }",
    "{ bodies: { store: sample, sample_percent: 100 } }",
  );
  up.on("*", says("openai-chat/text.json"));
  await send(none.running, "/v1/chat/completions", chat("x"));
  await send(none.running, "/v1/chat/completions", chat("x"), "tp-another-key-1234");
  await has(none.running.dataFolder, 1);
  const small = await start("{ store: all, max_kib: 64, max_total_mib: 1 }");
  const noise = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
  const last = `the last ${"y".repeat(100_000)}`;
  for (let at = 0; at < 40; at++) await send(small.running, "/v1/chat/completions", chat(at === 39 ? last : noise()));
  const newest = lastId(small.running);
  const bodies = await until("the last is stored", async () => {
    const found = await bodiesOf(small, newest);
    return found.length > 0 && found;
  });
  expect([bodies[0]?.body.length, (bodies[0]?.size ?? 0) > 100_000]).toEqual([64 * 1024, true]);
  expect(bodies[0]?.body).toContain("the last");
  using database = new Database(join(small.running.dataFolder, "bodies.db"));
  const { n, sum } = database.query("select count(*) as n, sum(bytes) as sum from requests").get() as {
    n: number;
    sum: number;
  };
  expect([n < 40, sum < 2 * 1024 * 1024]).toEqual([true, true]);
});

test.each([
  ["bodies", "{ store: all, retention_days: 0 }", ""],
  ["responses", "{ store: all }", "responses: { retention_days: 0 }\n"],
])("with a retention of 0 for %s no content is written, and what was there is gone", async (_name, bodies, more) => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bodies-"));
  const first = await gateway({ yaml: yamlOf("{ store: all }"), dataFolder: folder });
  up.on("*", says("openai-chat/text.json"));
  const word = "unmistakable-word";
  await send(first, "/v1/chat/completions", chat(word));
  await has(first.dataFolder, 1);
  await first.stop();
  expect(existsSync(join(folder, "bodies.db"))).toBe(true);
  const next = await gateway({ yaml: yamlOf(bodies) + more, dataFolder: folder });
  await send(next, "/v1/chat/completions", chat(word));
  await next.stop();
  expect(existsSync(join(folder, "bodies.db"))).toBe(false);
  expect(everything(folder)).not.toContain(word);
  rmSync(folder, { recursive: true });
});

test("what was written before a kill is whole, and nothing else is there", async () => {
  const child = await spawnGateway({ yaml: yamlOf("{ store: all }") });
  up.on("*", says("openai-chat/text.json"));
  for (let at = 0; at < 5; at++) await send(child, "/v1/chat/completions", chat("hi"));
  await until("one is stored", () => stored(child.dataFolder) > 0);
  for (let at = 0; at < 5; at++) void send(child, "/v1/chat/completions", chat("hi")).catch(() => undefined);
  await child.kill();
  using database = new Database(join(child.dataFolder, "bodies.db"));
  const torn = database
    .query("select r.id from requests r where (select count(*) from bodies b where b.id = r.id) <> 4")
    .all();
  expect([torn, Object(database.query("pragma integrity_check").get()).integrity_check]).toEqual([[], "ok"]);
  const cli = Bun.spawnSync({
    cmd: [
      process.execPath,
      join(import.meta.dir, "../../src/main.ts"),
      "requests",
      "show",
      ledgerRows(child.dataFolder)[0]?.id ?? "",
      "--bodies",
    ],
    env: { PATH: process.env["PATH"], TURNPIKE_DATA: child.dataFolder },
  });
  expect(cli.stdout.toString()).toContain("upstream_request 1 (alpha)");
  using store = new Database(join(child.dataFolder, "turnpike.db"));
  expect(store.query("select action, resource, actor_kind from audit").all()).toEqual([
    { action: "bodies", resource: "requests", actor_kind: "command_line" },
  ]);
  await child.stop();
});
