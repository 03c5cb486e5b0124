// A vendor of videos that repeats the credential it was shown: in refusals, failed tasks, content errors, polls that fail, and so in webhooks, the store, the log.
import { afterAll, expect, test } from "bun:test";
import { filesBelow } from "../support/files.ts";
import { gateway } from "../support/gateway.ts";
import { type Line, type Script, upstream } from "../support/upstream.ts";
import { videoReply } from "./setting.ts";

/** One that is hidden in whatever is said, and one so short that ordinary replies may hold it. */
const credentials = { strong: "q7/canary-4f9a2b71c03d", short: "canary-ab" };
const canary = /canary-/;
const up = await upstream();
const receiver = await upstream();
const running = await gateway({
  videoWaitScale: 0.02,
  environment: { TURNPIKE_FETCH_ALLOW: new URL(receiver.url).host },
  yaml: `providers:
  strong: { kind: openai, base_url: "${up.url}/v1", credential: "${credentials.strong}", models: [m] }
  short: { kind: openai, base_url: "${up.url}/v1", credential: "${credentials.short}", models: [m] }
`,
});
afterAll(async () => {
  await running.stop();
  await up.stop();
  await receiver.stop();
});

const shown: string[] = [];
const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(running.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  shown.push(`${method} ${path} ${answer.status} ${text} ${JSON.stringify([...answer.headers])}`);
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
}

const keyOf = ({ request }: Line): string => request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
const says =
  (bodyOf: (message: string) => object, status = 200): Script =>
  (line) =>
    line.play({ status, json: bodyOf(`The key ${keyOf(line)} is over its quota.`) });
const refusal = (message: string) => ({ error: { message, code: message } });

/** Waits until the webhook of the task has come. */
async function resultOf(index: number): Promise<string> {
  return (await receiver.seen(index)).text;
}

const formats = [
  ["/v1/videos", "/v1/videos/"],
  ["/v1/video/generations", "/v1/video/generations/"],
  ["/videoA/v1/videos/text2video", "/videoA/v1/videos/text2video/"],
] as const;

const names = Object.keys(credentials).flatMap((name) => formats.map(([post, get]) => [name, post, get] as const));

test.each(names)("a failed task at %s, asked on %s", async (name, post, get) => {
  receiver.clear();
  receiver.on("*", { text: "thanks" });
  up.clear();
  up.on("POST /v1/videos", { json: videoReply() });
  up.on(
    "GET /v1/videos/video_up",
    says(refusal, 401),
    says(refusal, 500),
    says((message) => videoReply({ status: "failed", error: { code: "x", message } })),
  );
  const task = { model: `${name}/m`, prompt: "hi", callback_url: `${receiver.url}/hook` };
  const made = await ask("POST", post, task);
  const id = String(made.task_id ?? made.id ?? (made.data as { task_id?: string } | undefined)?.task_id);
  const webhook = await resultOf(0);
  shown.push(webhook);
  expect(webhook).toContain("video.failed");
  expect(webhook).toContain("is over its quota");
  await ask("GET", get + id);
  await ask("GET", "/v1/videos");
});

test.each(Object.keys(credentials))("refusals and content errors at %s", async (name) => {
  up.clear();
  for (const status of [400, 401, 500]) {
    up.on("POST /v1/videos", says(refusal, status));
    await ask("POST", "/v1/videos", { model: `${name}/m`, prompt: "hi" });
  }
  up.on("POST /v1/videos", { json: videoReply({ status: "completed", progress: 100 }) });
  const { id } = await ask("POST", "/v1/videos", { model: `${name}/m`, prompt: "hi" });
  for (const status of [400, 403, 404, 422, 500, 503]) {
    up.on("*", says(refusal, status));
    const before = up.requests.length;
    await ask("GET", `/v1/videos/${id}/content`);
    expect(up.requests.length).toBe(before + 1);
    await ask("POST", `/v1/videos/${id}/remix`, { prompt: "again" });
  }
  await ask("DELETE", `/v1/videos/${id}`);
});

test("nothing of it was shown, logged or stored", () => {
  expect(shown.length).toBeGreaterThan(40);
  expect(shown.filter((text) => canary.test(text))).toEqual([]);
  expect(running.log.filter((line) => canary.test(line))).toEqual([]);
  for (const { name, text } of filesBelow(running.dataFolder))
    expect({ name, found: canary.test(text) }).toEqual({ name, found: false });
});
