// What the sandbox does not act on: a warning that names the field, and a refusal in strict mode.
import { describe, expect, test } from "bun:test";
import { sandbox } from "./setting.ts";

const { world } = await sandbox();
const { url, key } = world.gateway;
const user = { messages: [{ role: "user", content: "hi" }] };
const voice = { voice: "alloy", format: "wav" };

const rows: readonly (readonly [path: string, body: object, lost: readonly string[]])[] = [
  [
    "/v1/chat/completions",
    { model: "sandbox/chat", ...user, modalities: ["text", "audio"], audio: voice },
    ["modalities"],
  ],
  [
    "/v1beta/models/sandbox/chat:generateContent",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: { responseModalities: ["AUDIO"] } },
    ["generationConfig.responseModalities"],
  ],
  [
    "/v1/video/generations",
    { model: "sandbox/video", prompt: "x", duration: 5, width: 640, height: 480, fps: 30, seed: 1 },
    ["duration", "width", "fps", "seed"],
  ],
  ["/v1/videos", { model: "sandbox/video", prompt: "x", seconds: "8", size: "1280x720" }, ["seconds", "size"]],
  [
    "/v1/images/generations",
    { model: "sandbox/image", prompt: "x", negative_prompt: "y", quality: "high", output_format: "webp" },
    ["negative_prompt", "quality", "output_format"],
  ],
  [
    "/v1/images/generations",
    {
      model: "sandbox/image",
      input: { messages: [{ role: "user", content: [{ text: "x" }] }] },
      parameters: { negative_prompt: "y" },
    },
    ["parameters.negative_prompt"],
  ],
];

const ask = (path: string, body: object, headers: object = {}) =>
  fetch(url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });

describe.each(rows)("%s %j", (path, body, lost) => {
  test("warns", async () => {
    const response = await ask(path, body);
    const warnings = response.headers.get("x-turnpike-warnings") ?? "";
    expect([response.status, warnings.split(/[,;=]\s*/)]).toEqual([200, expect.arrayContaining([...lost])]);
  });

  test("is refused in strict mode", async () => {
    const response = await ask(path, body, { "x-turnpike-strict": "true" });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { param: string } };
    expect(lost).toContain(error.param);
  });
});

test("what it does act on is no warning", async () => {
  const image = await ask("/v1/images/generations", { model: "sandbox/image", prompt: "x", size: "256x256", n: 2 });
  const video = await ask("/v1/video/generations", {
    model: "sandbox/video",
    prompt: "x",
    width: 128,
    height: 72,
    duration: 2,
  });
  for (const { headers } of [image, video]) expect(headers.get("x-turnpike-warnings")).toBeNull();
});
