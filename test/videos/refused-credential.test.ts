// A credential that is refused while a task runs ends it after a while; a video without bytes is none.
import { afterAll, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";
import { settledRowOf, videoReply } from "./setting.ts";

const up = await upstream();
const running = await gateway({
  videoWaitScale: 0.001,
  yaml: `providers: { up: { kind: openai, base_url: "${up.url}/v1", credential: sk-any, models: [m] } }\n`,
});
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const more = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await fetch(running.url + path, { method, headers, ...more })).json();
}

async function over(id: unknown): Promise<unknown> {
  for (const end = performance.now() + 30_000; performance.now() < end; await Bun.sleep(20)) {
    const result = await ask("GET", `/v1/videos/${id}`);
    if (["completed", "failed"].includes(String(at(result, "status")))) return result;
  }
  throw new Error("the task did not end");
}

const refused = { status: 401, json: { error: { message: "invalid key", code: "invalid_api_key" } } };
const poll = "GET /v1/videos/video_up";

test("sixteen refusals in a row end a task, fewer do not", async () => {
  up.on("POST /v1/videos", { json: videoReply() });
  const busy = { status: 500, json: { error: { message: "busy" } } };
  up.on(poll, ...Array.from({ length: 15 }, () => refused), busy, refused);
  const made = await ask("POST", "/v1/videos", { model: "m", prompt: "hi" });
  expect(await over(at(made, "id"))).toMatchObject({ status: "failed", error: { code: "upstream_auth" } });
  expect(up.requests.filter(({ method }) => method === "GET").length).toBe(15 + 1 + 16);
  expect(await settledRowOf(running.dataFolder, "m")).toMatchObject({ state: "failed", errorCode: "upstream_auth" });
}, 60_000);

test("the content of a video without bytes is a failure of the provider", async () => {
  up.clear();
  up.on("POST /v1/videos", { json: videoReply({ status: "completed", progress: 100 }) });
  up.on("*", { bytes: [], framing: "length", headers: { "content-type": "video/mp4" } });
  const made = await ask("POST", "/v1/videos", { model: "up/m", prompt: "hi" });
  const answer = await fetch(`${running.url}/v1/videos/${at(made, "id")}/content`, { headers });
  expect({ status: answer.status, code: at(await answer.json(), "error", "code") }).toEqual({
    status: 502,
    code: "upstream_failed",
  });
});
