// Everything that is held about an end user is exported and deleted, by command and over the admin API, on every instance; sums stay.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminOf, type Json } from "../admin/setting.ts";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { filesBelow } from "../support/files.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { videoReply } from "../videos/setting.ts";

const up = await upstream();
up.on("POST /v1/videos", { json: videoReply() });
up.on("GET /v1/videos/video_up", { json: videoReply({ status: "in_progress" }) });
afterAll(() => up.stop());
const yaml = `providers:\n  openai: { kind: openai, base_url: "${up.url}/v1", credential: "canary", models: [sora-2] }
prices: { cost: [{ provider: sandbox, model: "*", usd: { input: 1, output: 1 } }] }
bodies: { store: all }
`;
const ann = "ann-of-the-example-4711";
const word = "what-ann-said-in-private";

function post({ url, key }: RunningGateway, path: string, user: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-turnpike-user": user };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Two requests with a stored response and a video of an end user, one request of another. */
async function live(running: RunningGateway, user = ann): Promise<void> {
  const messages = [{ role: "user", content: word }];
  for (const each of [user, "bob"])
    expect((await post(running, "/v1/chat/completions", each, { model: "sandbox/chat", messages })).status).toBe(200);
  const response = await post(running, "/v1/responses", user, { model: "sandbox/chat", input: word });
  expect(response.status).toBe(200);
  expect((await post(running, "/v1/videos", user, { model: "sora-2", prompt: word })).status).toBe(200);
  const isStored = () => {
    using database = new Database(join(running.dataFolder, "bodies.db"));
    database.run("pragma busy_timeout = 5000");
    const there = database.query("select 1 from sqlite_master where name = 'bodies'").get() !== null;
    return there && Number(Object(database.query("select count(*) as n from requests").get()).n) >= 3;
  };
  await until("bodies are stored", isStored);
}

const sumsOf = (folder: string) => {
  using database = new Database(join(folder, "ledger.db"));
  database.run("pragma busy_timeout = 5000");
  return database
    .query(
      "select count(*) as n, sum(price) as price, sum(input_tokens) as tokens from requests where state = 'completed'",
    )
    .get();
};

const namesIn = (folder: string): unknown[] => {
  using database = new Database(join(folder, "ledger.db"));
  database.run("pragma busy_timeout = 5000");
  return database.query("select distinct end_user from requests order by 1").values().flat();
};

/** Files of the data folder that have a text in them, as they are read by a program that opens them. */
function filesWith(folder: string, text: string): string[] {
  for (const name of ["ledger.db", "usage.db", "bodies.db", "turnpike.db"]) {
    using database = new Database(join(folder, name));
    database.run("pragma busy_timeout = 5000");
    database.run("pragma wal_checkpoint(truncate)");
  }
  return filesBelow(folder).flatMap((file) => (file.text.includes(text) ? [file.name] : []));
}

function cli(folder: string, ...words: string[]): string {
  const main = join(import.meta.dir, "../../src/main.ts");
  const env = { PATH: process.env["PATH"], TURNPIKE_DATA: folder };
  const { stdout, stderr, exitCode } = Bun.spawnSync({ cmd: [process.execPath, main, ...words], env });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  return stdout.toString();
}

describe("beside a running gateway", async () => {
  const running = await gateway({ yaml });
  afterAll(() => running.stop());
  const { ask } = await adminOf(running);
  const { dataFolder } = running;
  await live(running);

  test("the command exports rows, bodies, responses and videos, and nothing of others", () => {
    const lines = cli(dataFolder, "end-users", "export", ann)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
    const types = lines.map(({ type }) => String(type));
    expect([...new Set(types)].sort()).toEqual(["body", "request", "response", "video"]);
    expect(types.filter((type) => type === "request").length).toBe(3);
    expect(lines.filter(({ type }) => type === "request").every(({ endUser }) => endUser === ann)).toBe(true);
    expect(JSON.stringify(lines.filter(({ type }) => type !== "request"))).toContain(word);
    expect(cli(dataFolder, "end-users", "export", "nobody-of-this-name")).toBe("");
  });

  test("the admin API exports the same", async () => {
    const { body } = await ask("POST end-users/export", { end_user: ann });
    const types = (body["data"] as Json[]).map(({ type }) => String(type));
    expect([[...new Set(types)].sort(), body["has_more"]]).toEqual([["body", "request", "response", "video"], false]);
  });

  test("the command deletes: content is gone, sums are the same, and doing it again changes nothing", async () => {
    const before = sumsOf(dataFolder);
    const usage = (await ask("GET usage?group_by=end_user")).body["data"] as Json[];
    expect(cli(dataFolder, "end-users", "delete", ann)).toContain("Deleted 1 stored responses and 1 videos.");
    await until("the ledger has a marker", () => !namesIn(dataFolder).includes(ann));
    expect(namesIn(dataFolder)).toEqual(["bob", expect.stringMatching(/^deleted_/)]);
    expect(sumsOf(dataFolder)).toEqual(before);
    const after = (await ask("GET usage?group_by=end_user")).body["data"] as Json[];
    const plain = (rows: Json[]) => rows.map(({ end_user: _, ...rest }) => JSON.stringify(rest)).sort();
    expect(plain(after)).toEqual(plain(usage));
    expect(JSON.stringify(after)).not.toContain(ann);
    expect(cli(dataFolder, "end-users", "export", ann)).toBe("");
    expect(cli(dataFolder, "end-users", "delete", ann)).toContain("Deleted 0 stored responses and 0 videos.");
    const { body } = await ask("GET audit?resource=end-users");
    const entries = (body["data"] as Json[]).map(({ action, actor }) => [action, Object(actor).kind]);
    expect(entries).toContainEqual(["delete", "command_line"]);
    expect(entries).toContainEqual(["export", "admin_key"]);
    expect((await ask("POST audit/verify")).body).toMatchObject({ valid: true });
    expect(cli(dataFolder, "reconcile")).toContain("no difference");
    // The ledger accepts rows as before, although another thread has written it.
    const messages = [{ role: "user", content: word }];
    const again = await post(running, "/v1/chat/completions", "bob", { model: "sandbox/chat", messages });
    expect(again.status).toBe(200);
  });
});

test("without a gateway the command does all of it", async () => {
  const first = await gateway({ yaml, dataFolder: mkdtempSync(join(tmpdir(), "turnpike-end-users-")) });
  await live(first);
  await first.stop();
  expect(filesWith(first.dataFolder, ann)).toContain("ledger.db");
  cli(first.dataFolder, "end-users", "delete", ann);
  expect(filesWith(first.dataFolder, ann)).toEqual([]);
  expect(namesIn(first.dataFolder)).toEqual(["bob", expect.stringMatching(/^deleted_/)]);
  rmSync(first.dataFolder, { recursive: true });
});

describe.skipIf(serverUrl === undefined)("on PostgreSQL", () => {
  test("what one instance deletes is deleted by the other", async () => {
    const database = await freshDatabase();
    const environment = { DATABASE_URL: database.url, TURNPIKE_SECRET: "a-secret-that-is-shared" };
    const [one, other] = [await gateway({ yaml, environment }), await gateway({ yaml, environment })];
    await live(one);
    await live(other);
    const { body } = await (await adminOf(one)).ask("POST end-users/erase", { end_user: ann });
    expect(body).toMatchObject({ responses: 2, videos: 2 });
    const names = ["bob", body["marker"]];
    expect(namesIn(one.dataFolder)).toEqual(names);
    await until("the other has followed", () => !namesIn(other.dataFolder).includes(ann));
    expect(namesIn(other.dataFolder)).toEqual(names);
    using bodies = new Database(join(other.dataFolder, "bodies.db"));
    expect(bodies.query("select distinct end_user from requests").values().flat()).toEqual(["bob"]);
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });
});
