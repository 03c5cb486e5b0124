// Addresses of media in requests: schemes that no provider should open, and addresses of private networks for providers inside them.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { checkAddresses } from "../../src/gateway/attempts/media-addresses.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { at } from "../support/chat-stream-reader.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const running = await gateway({
  environment: { TURNPIKE_FETCH_ALLOW: "10.9.9.9" },
  yaml: `providers:
  chats: { kind: compatible, base_url: "${up.url}/v1", credential: c, models: [m] }
  openai: { kind: openai, base_url: "${up.url}/v1", credential: c, models: [o] }
  claude: { kind: anthropic, base_url: "${up.url}", credential: c, models: [c] }
  films: { kind: dashscope, base_url: "${up.url}", credential: c, models: [wan2.5-t2v-preview] }
  google: { kind: gemini, base_url: "${up.url}", credential: c, models: [g] }
`,
});
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => {
  up.clear();
  up.on("*", { status: 400, json: { error: { message: "reached" } } });
});

async function ask(path: string, body: object) {
  const headers = {
    authorization: `Bearer ${running.key}`,
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  const answer = await fetch(running.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, code: at(await answer.json(), "error", "code"), requested: up.requests.length };
}

const user = (content: object[]) => ({ messages: [{ role: "user", content }] });
type Make = (model: string, url: string) => [path: string, body: object];
const text = { type: "text", text: "hi" };
const carriers: [string, Make][] = [
  [
    "chat image",
    (model, url) => ["/v1/chat/completions", { model, ...user([text, { type: "image_url", image_url: { url } }]) }],
  ],
  [
    "messages image",
    (model, url) => [
      "/v1/messages",
      { model, max_tokens: 9, ...user([text, { type: "image", source: { type: "url", url } }]) },
    ],
  ],
  [
    "messages document",
    (model, url) => [
      "/v1/messages",
      { model, max_tokens: 9, ...user([text, { type: "document", source: { type: "url", url } }]) },
    ],
  ],
  [
    "responses image",
    (model, url) => [
      "/v1/responses",
      { model, input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] },
    ],
  ],
  [
    "responses file",
    (model, url) => [
      "/v1/responses",
      { model, input: [{ role: "user", content: [{ type: "input_file", file_url: url }] }] },
    ],
  ],
  ["image edit", (model, url) => ["/v1/images/edits", { model, prompt: "hi", images: [{ image_url: url }] }]],
  ["moderation", (model, url) => ["/v1/moderations", { model, input: [{ type: "image_url", image_url: { url } }] }]],
  ["video", (model, url) => ["/v1/video/generations", { model, prompt: "hi", image: url }]],
];
const models = ["m", "o", "c", "g"];

describe.each(carriers)("%s", (name, make) => {
  test.each(["file:///etc/passwd", "s3://bucket/key", "ftp://a.example/x", "FILE:///etc/passwd"])(
    "%s goes to nobody",
    async (url) => {
      for (const model of models) {
        const result = await ask(...make(model, url));
        expect({ model, ...result }).toMatchObject({ requested: 0 });
        expect(result.status === 400 || result.status === 404).toBe(true);
      }
    },
  );

  test.each(["http://169.254.169.254/latest", "http://127.0.0.1/x", "http://10.1.2.3/x.png", "http://[::1]/x"])(
    "%s goes to no provider of a private network",
    async (url) => {
      for (const model of models)
        expect({ model, ...(await ask(...make(model, url))) }).toMatchObject({ requested: 0 });
    },
  );

  test("what the operator allows, or is public, goes on", async () => {
    if (/edit|moderation|video|document|file/.test(name)) return;
    for (const url of ["http://10.9.9.9/x.png", "https://93.184.216.34/x.png", "data:image/png;base64,iVBORw0KGgo="])
      expect(
        await ask(...make(name.startsWith("messages") ? "c" : name.startsWith("chat") ? "m" : "o", url)),
      ).toMatchObject({
        requested: expect.any(Number),
        status: 400,
      });
    expect(up.requests.length).toBeGreaterThan(2);
  });
});

describe("an address among the fields that only one provider of videos has", () => {
  const submit = (url: string, more: object = {}) =>
    ask("/v1/video/generations", {
      model: "wan2.5-t2v-preview",
      prompt: "hi",
      metadata: { input: { audio_url: url }, ...more },
    });

  test.each(["file:///etc/passwd", "s3://bucket/key", "http://169.254.169.254/latest", "http://10.1.2.3/x.mp3"])(
    "%s goes to nobody",
    async (url) => expect(await submit(url)).toMatchObject({ status: 400, code: "invalid_value", requested: 0 }),
  );

  test("what is public goes on, and what is not sent does not matter", async () => {
    expect(await submit("https://93.184.216.34/x.mp3", { label: "s3://bucket/key" })).toMatchObject({ requested: 1 });
    expect(up.requests[0]?.json).toMatchObject({ input: { audio_url: "https://93.184.216.34/x.mp3" } });
  });
});

test("storage of a provider's own, and private addresses for a public provider, are its own affair", async () => {
  const provider = {
    dispatch: { form: "http", baseUrl: "https://93.184.216.34/v1" },
    kind: { mediaSchemes: ["gs:"] },
  } as unknown as Provider;
  const fetching = { fetchAllow: [], dns: () => Promise.reject(new Error("no look-up")) };
  const check = (url: string, of = provider) => checkAddresses([{ url, path: "p" }], of, fetching);
  await check("gs://bucket/x");
  await check("http://10.0.0.1/x");
  await expect(check("s3://bucket/x")).rejects.toMatchObject({ kind: "invalid_value", param: "p" });
  const inside = { dispatch: { form: "http", baseUrl: "http://gpu.test/v1" }, kind: {} } as unknown as Provider;
  const dns = (name: string) => Promise.resolve(name === "gpu.test" ? ["10.0.0.2"] : ["10.0.0.9"]);
  await expect(
    checkAddresses([{ url: "http://a.test/", path: "p" }], inside, { ...fetching, dns }),
  ).rejects.toMatchObject({
    kind: "invalid_value",
  });
});
