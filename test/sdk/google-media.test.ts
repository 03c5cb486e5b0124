// Google's images and videos as its SDK asks for them: generated on Vertex AI's paths, polled and downloaded on both.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenerateVideosOperation } from "@google/genai";
import { geminiClient, vertexClient } from "../support/clients.ts";
import { gateway } from "../support/gateway.ts";

const running = await gateway({ videoWaitScale: 0.02 });
const folder = mkdtempSync(join(tmpdir(), "google-media-"));
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

const { url, key } = running;
const clients = { vertex: vertexClient(url, key), gemini: geminiClient(url, key) };
const headers = { "x-goog-api-key": key, "content-type": "application/json" };
const prompt = "a red fox [sandbox run=20]";
const video = "sandbox/video";

const post = (path: string, body: unknown) =>
  fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });

async function finished(client: keyof typeof clients, name: string): Promise<GenerateVideosOperation> {
  let operation = new GenerateVideosOperation();
  operation.name = name;
  for (const end = performance.now() + 20_000; performance.now() < end && !operation.done; await Bun.sleep(20))
    operation = await clients[client].operations.getVideosOperation({ operation });
  expect(operation.done).toBe(true);
  return operation;
}

test("the SDK generates images", async () => {
  const config = { numberOfImages: 2, aspectRatio: "16:9", outputMimeType: "image/png" };
  const { generatedImages } = await clients.vertex.models.generateImages({
    model: "sandbox/image",
    prompt: "a fox",
    config,
  });
  expect(generatedImages?.length).toBe(2);
  for (const { image } of generatedImages ?? []) {
    expect(image?.mimeType).toBe("image/png");
    expect(Buffer.from(image?.imageBytes ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
  }
});

test.each(["/v1beta", "/v1"])("images are generated under %s, whatever the parameters' absence", async (prefix) => {
  const response = await post(`${prefix}/models/sandbox/image:predict`, { instances: [{ prompt: "a fox" }] });
  expect(response.status).toBe(200);
  const { predictions } = (await response.json()) as { predictions: object[] };
  expect(predictions).toMatchObject([{ mimeType: "image/png", bytesBase64Encoded: expect.stringMatching(/^iVBOR/) }]);
});

test.each([
  [{ instances: [] }, "instances"],
  [{ instances: [{ content: "text to embed" }] }, "instances[0].prompt"],
  [{ instances: [{ prompt: "x" }], parameters: { sampleCount: 0 } }, "parameters.sampleCount"],
])("a request for images that cannot be read is 400: %j", async (body, param) => {
  const response = await post("/v1beta/models/sandbox/image:predict", body);
  const { error } = (await response.json()) as { error: { param?: string; status: string } };
  expect([response.status, error.status, error.param]).toEqual([400, "INVALID_ARGUMENT", param]);
});

test("the SDK generates, polls and downloads a video", async () => {
  const started = await clients.vertex.models.generateVideos({ model: video, prompt, config: { numberOfVideos: 1 } });
  expect(started.name).toMatch(/\/operations\/operation_\w+$/);
  const ended = await finished("gemini", started.name ?? "");
  const [generated] = ended.response?.generatedVideos ?? [];
  expect(generated?.video?.uri).toMatch(/\/v1beta\/files\/[a-z0-9]+:download\?alt=media$/);
  const downloadPath = join(folder, "video.mp4");
  await clients.gemini.files.download({ file: generated as object, downloadPath });
  const direct = await fetch(String(generated?.video?.uri), { headers });
  const bytes = Buffer.from(await direct.arrayBuffer());
  expect(bytes.toString("latin1", 4, 8)).toBe("ftyp");
  expect(readFileSync(downloadPath).equals(bytes)).toBe(true);
  const short = String(generated?.video?.uri)
    .replace(/^.*\/(files\/)/, "$1")
    .replace(/:.*/, "");
  await clients.gemini.files.download({ file: short, downloadPath });
  expect(readFileSync(downloadPath).equals(bytes)).toBe(true);
  expect((await fetch(String(generated?.video?.uri))).status).toBe(401);
});

test("on Vertex AI's paths the same operation is polled by its name in the body", async () => {
  const operation = await clients.vertex.models.generateVideos({ model: video, prompt });
  const { name = "" } = operation;
  const polled = await clients.vertex.operations.getVideosOperation({
    operation: Object.assign(new GenerateVideosOperation(), {
      name: `publishers/sandbox/${name.slice(name.indexOf("models/"))}`,
    }),
  });
  expect(polled.name).toBe(name);
  await finished("gemini", name);
});

test.each(["/v1beta", "/v1"])("a video is started and polled under %s", async (prefix) => {
  const response = await post(`${prefix}/models/${video}:predictLongRunning`, {
    instances: [{ prompt }],
    parameters: { aspectRatio: "16:9", durationSeconds: 4 },
  });
  expect(response.status).toBe(200);
  const { name } = (await response.json()) as { name: string };
  expect(name).toStartWith(`models/${video}/operations/`);
  expect((await fetch(`${url}${prefix}/${name}`, { headers })).status).toBe(200);
  expect((await fetch(`${url}${prefix}/models/other/operations/operation_aaaaaaaaaaaa`, { headers })).status).toBe(404);
});

test("a video that fails is an operation with an error", async () => {
  const { name = "" } = await clients.vertex.models.generateVideos({
    model: video,
    prompt: "a fox [sandbox run=20 fail=50]",
  });
  const failed = await finished("gemini", name);
  expect(failed.error).toMatchObject({ code: 13, message: expect.stringMatching(/\S/) });
});

test.each([
  [{ instances: [{}] }, "prompt"],
  [{ instances: [{ prompt: "x", video: { uri: "files/x" } }] }, "instances[0].video"],
  [{ instances: [{ prompt: "x", image: { bytesBase64Encoded: "AAAA" } }] }, "instances[0].image.bytesBase64Encoded"],
  [{ instances: [{ prompt: "x" }], parameters: { storageUri: "gs://mine" } }, "parameters.storageUri"],
])("a request for a video that cannot be answered is 400: %j", async (body, param) => {
  const response = await post(`/v1beta/models/${video}:predictLongRunning`, body);
  const { error } = (await response.json()) as { error: { param?: string } };
  expect([response.status, error.param]).toEqual([400, param]);
});

test.each(["sandbox/chat", "sandbox%2Fchat", "models/sandbox/chat"])(
  "a model's name may hold a slash: %s",
  async (model) => {
    const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
    for (const prefix of ["/v1beta", "/v1"])
      for (const verb of ["generateContent", "streamGenerateContent", "countTokens"])
        expect((await post(`${prefix}/models/${model}:${verb}`, body)).status).toBe(200);
  },
);
