// What its owner ends or deletes is ended and deleted at the upstream too, and answers of polls are bounded.
import { afterAll, expect, test } from "bun:test";
import { gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { videoReply } from "./setting.ts";

const up = await upstream();
const yaml = `providers:
  vidu: { kind: vidu, base_url: "${up.url}/ent/v2", credential: "canary", models: [viduq3-pro] }
  openai: { kind: openai, base_url: "${up.url}/v1", credential: "canary", models: [sora-2] }
`;
const running = await gateway({ yaml, videoWaitScale: 0.002 });
afterAll(async () => {
  await running.stop();
  await up.stop();
});

/** What is read of the various answers. */
interface Result {
  id?: string;
  status?: string;
  data?: { id: string }[];
}

const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Result }> {
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(running.url + path, init);
  return { status: answer.status, body: (await answer.json()) as Result };
}

test("a task that is deleted before the provider has answered is cancelled there, and its client is told", async () => {
  const gate = Promise.withResolvers<void>();
  const made = { task_id: "vidu-1", state: "created" };
  up.on("POST /ent/v2/text2video", { json: made, gate: gate.promise, gateAfter: 0 });
  up.on("POST /ent/v2/tasks/vidu-1/cancel", { json: {} });
  const requested = ask("POST", "/v1/videos", { model: "viduq3-pro", prompt: "x" });
  await up.seen(0);
  const id = (await ask("GET", "/v1/videos")).body.data?.[0]?.id;
  expect((await ask("DELETE", `/v1/videos/${id}`)).status).toBe(200);
  gate.resolve();
  expect(await requested).toMatchObject({ status: 502, body: { error: { code: "submit_unconfirmed" } } });
  expect((await up.seen(1)).path).toBe("/ent/v2/tasks/vidu-1/cancel");
  expect(ledgerRows(running.dataFolder)).toMatchObject([{ state: "cancelled", model: "viduq3-pro" }]);
});

test("an answer to a poll that never ends is not read to its end, and the task goes on", async () => {
  up.clear();
  up.on("POST /v1/videos", { json: videoReply() });
  const large = `{"status":"completed","filler":"${"x".repeat(17 * 1024 * 1024)}"}`;
  const poll = "GET /v1/videos/video_up";
  up.on(poll, { text: large, headers: { "content-type": "application/json" } }, { json: videoReply() });
  const { body } = await ask("POST", "/v1/videos", { model: "sora-2", prompt: "x" });
  await up.seen(2);
  expect((await ask("GET", `/v1/videos/${body.id}`)).body).toMatchObject({ status: "queued" });
  expect(running.log.join("\n")).toContain("too large");
});

test.each([
  ["does so", { json: { id: "video_up", deleted: true } }],
  ["cannot", { status: 500, json: { error: { message: "boom" } } }],
])("a finished video is deleted where it was made, whether the provider %s", async (_name, reply) => {
  up.clear();
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "completed" }) });
  up.on("DELETE /v1/videos/video_up", reply);
  const { id } = (await ask("POST", "/v1/videos", { model: "sora-2", prompt: "x" })).body;
  const isDone = async () => (await ask("GET", `/v1/videos/${id}`)).body.status === "completed";
  await until("the video is completed", isDone);
  expect(await ask("DELETE", `/v1/videos/${id}`)).toMatchObject({ status: 200, body: { deleted: true } });
  expect(up.requests.filter(({ method }) => method === "DELETE").map(({ path }) => path)).toEqual([
    "/v1/videos/video_up",
  ]);
});
