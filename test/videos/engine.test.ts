// The life of a task against an upstream that misbehaves: nothing is submitted twice, nothing is given up too soon, everything ends once.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gateway as startGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import type { Script } from "../support/upstream.ts";
import { settledRowOf, videoReply, videoSetting, yamlOf } from "./setting.ts";

const { gateway, up, second, ask, until, settled } = await videoSetting();
const poll = "GET /v1/videos/video_up";
const submit = "POST /v1/videos";
let count = 0;

/** Asks under a model name that no other test has. */
async function create(model: string, prompt = "a cat") {
  return await ask("POST", "/v1/videos", { model, prompt });
}

/** A task at the first upstream, polled as the script says. */
async function running(...polls: Script[]): Promise<string> {
  up.on(submit, { json: videoReply() });
  up.on(poll, ...polls);
  const { status, body } = await create(`first/sora-${++count}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return String(body["id"]);
}

const over = (id: string) => until(`/v1/videos/${id}`, ({ status }) => status === "completed" || status === "failed");
const row = () => settled(`first/sora-${count}`);
const submits = (requests: readonly { method: string }[]) => requests.filter(({ method }) => method === "POST").length;

/** Changes what is kept of a task beside the gateway, as time would. */
function age(id: string, member: string): void {
  using database = new Database(join(gateway.dataFolder, "turnpike.db"));
  database.run("pragma busy_timeout = 2000");
  database.run(`update tasks set candidate = json_set(candidate, '$.${member}', 0) where id = ?`, [id]);
}

describe("a submit", () => {
  test.each([
    ["a reset connection", (line) => line.reset()],
    ["a server that falls over", { status: 500, json: { error: { message: "boom" } } }],
    ["an answer that makes no sense", { text: "<html>hello</html>" }],
    ["silence", { ending: "hang", json: videoReply(), cutAt: [1], gate: new Promise(() => undefined) }],
  ] satisfies [string, Script][])(
    "that %s may have swallowed is not repeated, and the client is told not to",
    async (_name, script) => {
      up.on(submit, script);
      second.on(submit, { json: videoReply() });
      const before = ledgerRows(gateway.dataFolder).length;
      const { status, headers, body } = await create("chain");
      expect({ status: status >= 500, body }).toMatchObject({
        status: true,
        body: { error: { code: "submit_unconfirmed" } },
      });
      expect(headers.get("x-should-retry")).toBe("false");
      expect([submits(up.requests), submits(second.requests)]).toEqual([1, 0]);
      expect(ledgerRows(gateway.dataFolder).slice(before)).toMatchObject([
        { state: "failed", errorCode: "submit_unconfirmed", attempts: 1 },
      ]);
      expect((await ask("GET", "/v1/videos?limit=1")).body["data"]).toEqual([]);
    },
  );

  test.each([
    [
      "limits its rate",
      "chain",
      { status: 429, json: { error: { message: "slow down", code: "rate_limit_exceeded" } } },
    ],
    ["is overloaded", "chain-busy", { status: 503, json: { error: { message: "busy" } } }],
    [
      "refuses our credential",
      "chain-barred",
      { status: 401, json: { error: { message: "bad key sk-canary-first" } } },
    ],
  ] satisfies [string, string, Script][])("to somebody who %s goes to the next one", async (_name, route, script) => {
    up.on(submit, script);
    second.on(submit, { json: videoReply() });
    second.on(poll, { json: videoReply({ status: "completed" }) });
    const { status, headers, body } = await create(route);
    expect({ status, provider: headers.get("x-turnpike-provider") }).toEqual({ status: 200, provider: "second" });
    expect(headers.get("x-turnpike-attempts")).toBe("2");
    await over(String(body["id"]));
    await ask("DELETE", `/v1/videos/${body["id"]}`);
  });

  test("to where nobody listens goes on, too", async () => {
    second.on(submit, { json: videoReply() });
    second.on(poll, { json: videoReply({ status: "completed" }) });
    const { headers, body } = await create("lucky");
    expect(headers.get("x-turnpike-provider")).toBe("second");
    await over(String(body["id"]));
    expect(await settled("lucky")).toMatchObject({ state: "completed", provider: "second", attempts: 2 });
    await ask("DELETE", `/v1/videos/${body["id"]}`);
  });

  test("that is refused says why, and leaves no task", async () => {
    const error = {
      message: "Not this. Ask sk-canary-first",
      type: "invalid_request_error",
      code: "moderation_blocked",
      param: "prompt",
    };
    up.on(submit, { status: 400, json: { error } });
    const { status, body } = await create("first/refused");
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { code: "moderation_blocked", param: "prompt" } },
    });
    expect(JSON.stringify(body)).not.toContain("canary");
    expect(await settled("first/refused")).toMatchObject({ state: "rejected", httpStatus: 400 });
    expect((await ask("GET", "/v1/videos")).body["data"]).toEqual([]);
  });

  test("of an unknown model, or of one that makes no videos, is refused before anything is written", async () => {
    const before = ledgerRows(gateway.dataFolder).length;
    expect(await create("nothing")).toMatchObject({ status: 404, body: { error: { code: "model_not_found" } } });
    expect((await ask("POST", "/v1/video/generations", { model: "sora-2", prompt: "x", n: 2 })).body).toMatchObject({
      error: { code: "unsupported_parameter", param: "n" },
    });
    expect(ledgerRows(gateway.dataFolder).length).toBe(before + 1);
  });

  test("whose client leaves is finished all the same", async () => {
    const gate = Promise.withResolvers<void>();
    up.on(submit, { json: videoReply(), gate: gate.promise, gateAfter: 0 });
    up.on(poll, { json: videoReply({ status: "completed" }) });
    const leaving = new AbortController();
    const requested = fetch(`${gateway.url}/v1/videos`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "first/left", prompt: "x" }),
      signal: leaving.signal,
    }).catch(() => null);
    await up.seen(0);
    leaving.abort();
    expect(await requested).toBeNull();
    gate.resolve();
    expect(await settled("first/left")).toMatchObject({ state: "completed" });
    const { data } = (await ask("GET", "/v1/videos")).body as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    await ask("DELETE", `/v1/videos/${data[0]?.id}`);
  });
});

describe("a task", () => {
  test("goes on through everything that a poll may meet", async () => {
    const id = await running(
      { status: 500, json: { error: { message: "boom" } } },
      { text: "no json" },
      { status: 429, headers: { "retry-after-ms": "10" }, json: { error: { message: "slow down" } } },
      { ending: "reset", json: videoReply(), cutAt: [1] },
      { status: 401, json: { error: { message: "who are you" } } },
      { json: videoReply({ status: "daydreaming" }) },
      { status: 404, json: { error: { message: "not yet" } } },
      { json: videoReply({ status: "in_progress", progress: 50 }) },
      { json: videoReply({ status: "queued" }) },
      { json: videoReply({ status: "completed", progress: 100 }) },
    );
    expect(await over(id)).toMatchObject({ status: "completed", progress: 100 });
    expect(await row()).toMatchObject({ state: "completed", videoMs: 4_000 });
    expect(gateway.log.join("\n")).toContain("daydreaming");
    expect(submits(up.requests)).toBe(1);
  });

  test("that the upstream gives up has expired", async () => {
    const id = await running({ json: videoReply({ status: "expired" }) });
    expect(await over(id)).toMatchObject({ status: "failed", error: { code: "expired" } });
    expect(await row()).toMatchObject({ state: "failed", errorCode: "expired", videoMs: 0 });
  });

  test("that the upstream has forgotten is lost, when it is old enough to be known", async () => {
    const id = await running({ status: 404, json: { error: { message: "what?" } } });
    const isOver = until(`/v1/videos/${id}`, ({ status }) => {
      age(id, "acceptedAtMs");
      return status === "failed";
    });
    expect(await isOver).toMatchObject({ error: { code: "task_lost" } });
    expect(await row()).toMatchObject({ state: "failed", errorCode: "task_lost" });
  });

  test("that takes too long has expired", async () => {
    const id = await running({ json: videoReply({ status: "in_progress" }) });
    const isOver = until(`/v1/videos/${id}`, ({ status }) => {
      age(id, "deadlineMs");
      return status === "failed";
    });
    expect(await isOver).toMatchObject({ error: { code: "task_timeout" } });
  });

  test("is asked for although the clock was put back", async () => {
    const id = await running({ json: videoReply({ status: "in_progress" }) });
    await up.seen(2);
    using database = new Database(join(gateway.dataFolder, "turnpike.db"));
    database.run("pragma busy_timeout = 2000");
    const later = Date.now() + 24 * 60 * 60_000;
    const putOff = "update tasks set next_poll_at_ms = ? where id = ? and lease_owner is null";
    while (database.run(putOff, [later, id]).changes === 0) await Bun.sleep(1);
    up.on(poll, { json: videoReply({ status: "completed" }) });
    expect(await over(id)).toMatchObject({ status: "completed" });
  });

  test("without a video has failed", async () => {
    const id = await running({ json: videoReply({ status: "failed", error: null }) });
    expect(await over(id)).toMatchObject({ status: "failed", error: { code: "generation_failed" } });
  });

  test("that is deleted while it runs is settled once, and found no more", async () => {
    const id = await running({ json: videoReply({ status: "in_progress" }) });
    const before = up.requests.length;
    expect((await ask("DELETE", `/v1/videos/${id}`)).body).toMatchObject({ deleted: true });
    expect((await ask("DELETE", `/v1/videos/${id}`)).status).toBe(404);
    expect(await row()).toMatchObject({ state: "cancelled", errorCode: "cancelled" });
    await Bun.sleep(150);
    expect(up.requests.length - before).toBeLessThanOrEqual(1);
  });
});

test("a task outlives its provider and its process", async () => {
  up.on(submit, { json: videoReply() });
  up.on(poll, { json: videoReply({ status: "in_progress", progress: 10 }) });
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-videos-"));
  const yaml = yamlOf(up, second);
  const without = yaml.replace(/ {2}first:.*\n/, "").replace(/ {2}chain:.*\n/, "");
  const start = (text: string) => startGateway({ yaml: text, dataFolder, videoWaitScale: 0.02 });
  const headers = { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" };
  const statusAt = async (url: string, id: string) => {
    const answer = await fetch(`${url}/v1/videos/${id}`, { headers });
    return ((await answer.json()) as { status: string }).status;
  };
  const one = await start(yaml);
  const body = JSON.stringify({ model: "sora-2", prompt: "x" });
  const made = await fetch(`${one.url}/v1/videos`, { method: "POST", headers, body });
  const { id } = (await made.json()) as { id: string };
  await up.seen(2);
  await one.stop();

  const two = await start(without);
  const polls = up.requests.length;
  await Bun.sleep(150);
  expect(await statusAt(two.url, id)).toBe("in_progress");
  expect(up.requests.length).toBe(polls);
  await two.stop();

  up.on(poll, { json: videoReply({ status: "completed" }) });
  const three = await start(yaml);
  expect(await settledRowOf(dataFolder, "sora-2")).toMatchObject({ state: "completed" });
  expect(await statusAt(three.url, id)).toBe("completed");
  await three.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});
