// `turnpike keys` and `turnpike projects`: everything that can be changed of a key, beside a running gateway that follows.
import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { askSandbox, place } from "./command.ts";

const here = place(`projects:
  filed: { refused_models: [sandbox/embed], key_defaults: { allowed_operations: [chat] } }
`);
const environment = { TURNPIKE_KEY: "tp-default-key" };
const gateway = here.start(environment);
const url = await gateway.url();
afterAll(async () => {
  await gateway.stop();
  here.remove();
});

const turnpike = (...words: string[]) => here.run(words, environment);
const keys = (...words: string[]) => turnpike("keys", ...words);
const statusOf = async (key: string, model?: string) => (await askSandbox(url, key, "hi", model)).status;
const becomes = (status: number, key: string, model?: string) =>
  until(`the key is answered with ${status}`, async () => (await statusOf(key, model)) === status);

async function created(...words: string[]): Promise<string> {
  const { out, err, code } = await keys("create", ...words, "--json");
  expect([code, err]).toEqual([0, ""]);
  return (JSON.parse(out) as { key: string }).key;
}

async function listed(name: string): Promise<Record<string, unknown>> {
  const all = JSON.parse((await keys("list", "--json")).out) as Record<string, unknown>[];
  return all.find((key) => key["name"] === name) ?? {};
}

describe("keys", () => {
  test("a batch has a name and a secret for each, and every one works", async () => {
    const { out } = await keys("create", "--name", "robot", "--count", "3", "--json");
    const batch = JSON.parse(out) as { name: string; key: string }[];
    expect(batch.map(({ name }) => name)).toEqual(["robot-1", "robot-2", "robot-3"]);
    expect(new Set(batch.map(({ key }) => key)).size).toBe(3);
    for (const { key } of batch) expect(await statusOf(key)).toBe(200);
  });

  test("a key can belong to a project of the file, and inherits its defaults", async () => {
    const key = await created("--name", "of-file", "--project", "filed");
    expect(await listed("of-file")).toMatchObject({ project: "file:filed", rules: { allowed_operations: ["chat"] } });
    expect([await statusOf(key), await statusOf(key, "sandbox/embed")]).toEqual([200, 403]);
    await created("--name", "moved");
    const { out } = await keys("update", "moved", "--project", "file:filed", "--json");
    expect(JSON.parse(out)).toMatchObject({ name: "moved", project: "file:filed", source: "store" });
    expect((await keys("create", "--name", "nowhere", "--project", "filled")).err).toContain("No project has the name");
  });

  test("every change prints the key as JSON", async () => {
    await created("--name", "printed");
    const changes = [["disable"], ["enable"], ["update", "--metadata", "a=b"], ["revoke"]];
    const states: unknown[] = [];
    for (const [verb = "", ...more] of changes) {
      const { out, code } = await keys(verb, "printed", ...more, "--json");
      expect(code).toBe(0);
      states.push((JSON.parse(out) as { state: string }).state);
    }
    expect(states).toEqual(["disabled", "live", "live", "revoked"]);
    await turnpike("projects", "create", "brief", "--json");
    const changed = await turnpike("projects", "update", "brief", "--rename", "short", "--json");
    expect(JSON.parse(changed.out)).toMatchObject({ name: "short", removed: false });
    expect(JSON.parse((await turnpike("projects", "remove", "short", "--json")).out)).toMatchObject({ removed: true });
  });

  test("a given secret and a given hash are accepted as they were elsewhere", async () => {
    await created("--name", "given", "--secret", "sk-of-before-1234");
    const hash = new Bun.CryptoHasher("sha256").update("sk-of-before-5678").digest("hex");
    expect((await keys("create", "--name", "hashed", "--secret", `sha256:${hash}`)).out).not.toContain(hash);
    expect(await Promise.all([statusOf("sk-of-before-1234"), statusOf("sk-of-before-5678")])).toEqual([200, 200]);
    expect((await keys("create", "--name", "twice", "--secret", "sk-of-before-1234")).err).toContain("secret");
  });

  test("rules hold as soon as they are set, and go when they are removed", async () => {
    const key = await created("--name", "narrow", "--allow-operation", "embed", "--budget", "25/month");
    expect(await statusOf(key)).toBe(403);
    expect(await listed("narrow")).toMatchObject({
      rules: { allowed_operations: ["embed"], budgets: [{ amount: "25", period: "month" }] },
    });
    await keys("update", "narrow", "--no-rules", "--metadata", "owner=ann");
    await becomes(200, key);
    expect(await listed("narrow")).toMatchObject({ rules: null, metadata: { owner: "ann" } });
    await keys("update", "narrow", "--refuse-model", "sandbox/*", "--rename", "narrower");
    await becomes(403, key);
    expect(await listed("narrower")).toMatchObject({ state: "live" });
  });

  test("a disabled key says so, and works again", async () => {
    const key = await created("--name", "paused");
    await keys("disable", "paused");
    await becomes(401, key);
    expect(await (await askSandbox(url, key, "hi")).text()).toContain("disabled");
    await keys("enable", "paused");
    await becomes(200, key);
  });

  test("a rotated key keeps its id; the old secret works for as long as was given, or not at all", async () => {
    const old = await created("--name", "turned");
    const { id } = await listed("turned");
    const rotate = async (...words: string[]): Promise<string> =>
      (JSON.parse((await keys("rotate", "turned", ...words, "--json")).out) as { key: string }).key;
    const next = await rotate("--grace-hours", "1");
    await becomes(200, next);
    expect(await statusOf(old)).toBe(200);
    const last = await rotate();
    await becomes(401, next);
    expect([await statusOf(last), await statusOf(old)]).toEqual([200, 401]);
    expect((await listed("turned"))["id"]).toBe(id);
  });

  test("`revoke --now` ends what the key is doing, also after it was revoked without it", async () => {
    const key = await created("--name", "sudden");
    const stream = (): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          ...{ model: "sandbox/chat", stream: true },
          messages: [{ role: "user", content: "[sandbox pace=60000] one two three" }],
        }),
      });
    const answer = await stream();
    expect(answer.status).toBe(200);
    const { id } = await listed("sudden");
    expect((await keys("revoke", "sudden")).out).toContain("is revoked.\n");
    expect((await keys("revoke", String(id), "--now")).out).toContain("ends the key's requests");
    expect(await answer.text()).toContain("The API key was revoked.");
  });

  test.each([
    [["create"], "Missing --name"],
    [["create", "--name", "a b"], "name"],
    [["create", "--name", "a".repeat(65)], "name"],
    [["create", "--name", "x", "--count", "0"], "--count"],
    [["create", "--name", "x", "--count", "1001"], "--count"],
    [["create", "--name", "x", "--secret", "short"], "secret"],
    [["create", "--name", "x", "--secret", "sha256:12"], "64"],
    [["create", "--name", "x", "--budget", "25"], "--budget"],
    [["create", "--name", "x", "--budget", "25/year"], "budgets.0.period"],
    [["create", "--name", "x", "--budget", "1e3/day"], "budgets.0.amount"],
    [["create", "--name", "x", "--budget", "1/day", "--budget", "2/day"], "budgets"],
    [["create", "--name", "x", "--allow-operation", "chats"], "allowed_operations.0"],
    [["create", "--name", "x", "--allow-address", "10.0.0.0/99"], "allowed_addresses.0"],
    [["create", "--name", "x", "--requests-per-minute", "many"], "--requests-per-minute"],
    [["create", "--name", "x", "--rules", "{"], "--rules is not valid JSON"],
    [["create", "--name", "x", "--rules", '{"alowed_models":[]}'], "alowed_models"],
    [["create", "--name", "x", "--project", "none"], "No project"],
    [["update", "default"], "Nothing to change"],
    [["update", "none", "--no-rules"], "No active key"],
    [["rotate", "default", "--grace-hours", "-1"], "--grace-hours"],
    [["disable"], "Missing key"],
  ])("%j is refused with a reason", async (words, reason) => {
    const { code, out, err } = await keys(...words);
    expect([code === 0, out, err]).toEqual([false, "", expect.stringContaining(reason)]);
  });

  test("and none of these has made a key", async () => {
    expect(await listed("x")).toEqual({});
  });
});

describe("projects", () => {
  test("rules of a project hold for its keys, and new keys inherit its defaults", async () => {
    const defaults = JSON.stringify({ key_defaults: { allowed_operations: ["embed"] } });
    expect((await turnpike("projects", "create", "team", "--rules", defaults)).code).toBe(0);
    const inheriting = await created("--name", "inherits", "--project", "team");
    const own = await created("--name", "own", "--project", "team", "--allow-operation", "chat");
    expect([await statusOf(inheriting), await statusOf(own)]).toEqual([403, 200]);
    await turnpike("projects", "update", "team", "--refuse-model", "sandbox/*");
    await becomes(403, own);
    await keys("update", "own", "--project", "default");
    await becomes(200, own);
  });

  test("a project with keys stays; one without is removed, and its name is free", async () => {
    await turnpike("projects", "create", "short");
    await created("--name", "holder", "--project", "short");
    expect((await turnpike("projects", "remove", "short")).err).toContain("has keys");
    await keys("revoke", "holder");
    expect((await turnpike("projects", "remove", "short")).code).toBe(0);
    expect((await turnpike("projects", "create", "short")).code).toBe(0);
    expect((await turnpike("projects", "create", "short")).err).toContain("already exists");
    expect((await turnpike("projects", "remove", "default")).err).toContain("cannot be removed");
    const rows = JSON.parse((await turnpike("projects", "list", "--json")).out) as { name: string }[];
    expect(rows.map(({ name }) => name)).toContain("short");
  });
});
