// Each limit with an error gives that error: set low in the file, passed by one request.
import { afterAll, describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { fieldOf, limitRows } from "../../src/config/limits.ts";
import { dotBytes } from "../images/setting.ts";
import { gateway } from "../support/gateway.ts";
import { type Reply, upstream } from "../support/upstream.ts";
import { videoReply } from "../videos/setting.ts";

const up = await upstream();
const image = `${up.url}/dot.png`;
const hanging: Reply = { ending: "hang", json: {}, cutAt: [1], gate: new Promise(() => undefined) };

const running = await gateway({
  yaml: `
providers:
  openai: { kind: openai, base_url: "${up.url}/v1", credential: c, models: [sora-2, gpt-x] }
  google: { kind: gemini, base_url: "${up.url}", credential: c, models: [gemini-3-pro-image] }
  vertex: { kind: vertex, base_url: "${up.url}", credential: c, project: p, location: us-central1, models: [] }
fetch: { allow: ["${new URL(up.url).host}"] }
limits:
  max_headers: 16
  max_json_depth: 8
  max_json_values: 3000
  max_json_containers: 1000
  max_json_members: 1000
  max_json_object_members: 100
  max_json_strings: 1000
  max_json_number_chars: 32
  max_form_parts: 8
  max_form_text_bytes: 2048
  max_form_header_bytes: 512
  max_prompt_chars: 1000
  max_background_responses: 1
  image_fetch_bytes: 4096
  image_fetch_total_bytes: 6000
  image_fetch_ms: 100
  max_task_reply_bytes: 4096
  max_inline_video_bytes: 4096
  video_submit_ms: 1000
  shutdown_ms: 0
  max_conversation_items: 10
`,
});
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const bearer = { authorization: `Bearer ${running.key}` };

async function send(path: string, init: RequestInit): Promise<{ status: number; code: unknown; param: unknown }> {
  const answer = await fetch(running.url + path, {
    method: "POST",
    ...init,
    headers: { ...bearer, ...(init.headers as Record<string, string>) },
  });
  const { error } = (await answer.json()) as { error?: { code: unknown; param: unknown } };
  return { status: answer.status, code: error?.code, param: error?.param };
}

const json = (path: string, body: object | string, headers: Record<string, string> = {}) =>
  send(path, {
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const chat = (more: string, headers?: Record<string, string>) =>
  json(
    "/v1/chat/completions",
    `{"model":"sandbox/chat","messages":[{"role":"user","content":"hi"}],"metadata":{"x":${more}}}`,
    headers,
  );
const listOf = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`;
const objectOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;

function form(parts: string): Promise<{ status: number; code: unknown; param: unknown }> {
  return send("/v1/audio/transcriptions", {
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: `${parts}--b--\r\n`,
  });
}
const part = (name: string, value: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const edit = (count: number) =>
  json("/v1/images/edits", {
    model: "google/gemini-3-pro-image",
    prompt: "x",
    images: Array.from({ length: count }, () => ({ image_url: image })),
  });
const padded = (bytes: number) => ({
  bytes: [Buffer.concat([dotBytes, Buffer.alloc(bytes)])],
  headers: { "content-type": "image/png" },
});

const imageTask = (more: object = {}) => json("/v1/videos", { model: "openai/sora-2", prompt: "a cat", ...more });
const invalidJson = { status: 400, code: "invalid_json" };

/** What passes each limit, and the error that its row names. */
const cases: Record<string, [pass: () => Promise<unknown>, expected: object]> = {
  maxHeaders: [
    () => chat("1", Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-more-${index}`, "1"]))),
    { status: 431, code: "too_many_headers" },
  ],
  maxJsonDepth: [() => chat("[".repeat(8) + "]".repeat(8)), invalidJson],
  maxJsonValues: [() => chat(listOf(3_100, "1")), invalidJson],
  maxJsonContainers: [() => chat(listOf(1_100, "[]")), invalidJson],
  maxJsonMembers: [() => chat(listOf(20, objectOf(60))), invalidJson],
  maxJsonObjectMembers: [() => chat(objectOf(110)), invalidJson],
  maxJsonStrings: [() => chat(listOf(1_100, '"a"')), invalidJson],
  maxJsonNumberChars: [() => chat(`1.${"1".repeat(40)}`), invalidJson],
  maxFormParts: [
    () => form(Array.from({ length: 9 }, (_, index) => part(`f${index}`, "1")).join("")),
    { status: 400, code: "invalid_value" },
  ],
  maxFormTextBytes: [() => form(part("prompt", "x".repeat(2_100))), { status: 413, code: "request_too_large" }],
  maxFormHeaderBytes: [
    () => form(part("prompt", "x", `\r\nX-More: ${"x".repeat(600)}`)),
    { status: 400, code: "invalid_value" },
  ],
  maxPromptChars: [
    () => json("/v1/images/generations", { model: "sandbox/image", prompt: "x".repeat(1_001) }),
    { status: 400, code: "invalid_value", param: "prompt" },
  ],
  maxBackgroundResponses: [
    async () => {
      up.on("POST /v1/chat/completions", hanging);
      up.on("POST /v1/responses", hanging);
      const body = { model: "openai/gpt-x", input: "hi", background: true };
      expect(await json("/v1/responses", body)).toMatchObject({ status: 200 });
      return json("/v1/responses", body);
    },
    { status: 503, code: "overloaded" },
  ],
  maxConversationItems: [
    async () => {
      const input = Array.from({ length: 8 }, () => ({ role: "user", content: "hi" }));
      const first = await fetch(`${running.url}/v1/responses`, {
        method: "POST",
        headers: { ...bearer, "content-type": "application/json" },
        body: JSON.stringify({ model: "sandbox/chat", input }),
      });
      const { id } = (await first.json()) as { id: string };
      const next = { model: "sandbox/chat", previous_response_id: id };
      expect(await json("/v1/responses", { ...next, input: "hi" })).toMatchObject({ status: 200 });
      return json("/v1/responses", { ...next, input: [...input.slice(0, 2)] });
    },
    { status: 400, code: "invalid_value", param: "previous_response_id" },
  ],
  imageFetchBytes: [
    () => {
      up.on("GET /dot.png", padded(5_000));
      return edit(1);
    },
    { status: 400, code: "invalid_value", param: "images[0].image_url" },
  ],
  imageFetchTotalBytes: [
    () => {
      up.on("GET /dot.png", padded(3_900));
      return edit(2);
    },
    { status: 400, code: "invalid_value", param: expect.stringMatching(/^images\[[01]\]\.image_url$/) },
  ],
  imageFetchMs: [
    () => {
      up.on("GET /dot.png", hanging);
      return edit(1);
    },
    { status: 400, code: "invalid_value", param: "images[0].image_url" },
  ],
  maxTaskReplyBytes: [
    () => {
      up.on("POST /v1/videos", { json: videoReply({ more: "x".repeat(5_000) }) });
      return imageTask();
    },
    // The provider may have accepted the task.
    { status: 502, code: "submit_unconfirmed" },
  ],
  maxInlineVideoBytes: [
    () => {
      const path = "/v1/projects/p/locations/us-central1/publishers/google/models/veo-3.1-generate-001";
      up.on(`POST ${path}:predictLongRunning`, { json: { name: "operations/1", more: "x".repeat(5_000) } });
      return json("/v1/videos", { model: "vertex/veo-3.1-generate-001", prompt: "a cat" });
    },
    { status: 502, code: "submit_unconfirmed" },
  ],
  videoSubmitMs: [
    () => {
      up.on("POST /v1/videos", hanging);
      return imageTask();
    },
    { status: 504, code: "submit_unconfirmed" },
  ],
};

test.each(Object.entries(cases))("%s", async (_name, [pass, expected]) => {
  up.clear();
  expect(await pass()).toMatchObject(expected);
});

describe("every limit with an error", () => {
  const root = new URL("..", import.meta.url).pathname;
  const texts = [...new Glob("**/*.test.ts").scanSync(root)].filter((path) => !path.startsWith("architecture/"));
  const tested = Promise.all(texts.map((path) => Bun.file(root + path).text())).then((all) => all.join("\n"));

  test.each(limitRows.filter(({ error }) => error !== null).map(({ name }) => name))(
    "%s is passed by a test",
    async (name) => {
      expect((await tested).split(new RegExp(`\\b(?:${name}|${fieldOf(name)})\\b`)).length).toBeGreaterThan(1);
    },
  );
});
