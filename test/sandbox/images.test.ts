// The sandbox's pictures, opened by a decoder that is not ours: sizes, colours, prompts, and every way to ask for them.
import { afterAll, expect, test } from "bun:test";
import { Modality } from "@google/genai";
import { toFile } from "openai";
import { PNG } from "pngjs";
import { geminiClient, openaiClient } from "../support/clients.ts";
import { gateway } from "../support/gateway.ts";

const running = await gateway({ yaml: "providers: {}\n" });
afterAll(() => running.stop());
const openai = openaiClient(running.url, running.key);
const google = geminiClient(running.url, running.key);
const model = "sandbox/image";

const opened = (base64: string | undefined) => PNG.sync.read(Buffer.from(base64 ?? "", "base64"));
const colours = ({ data }: PNG): number => new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4)).size;
const dark = ({ data }: PNG): number => data.filter((value, index) => index % 4 === 0 && value < 128).length;

test.each([
  ["256x256", 256, 256],
  ["1024x1792", 1024, 1792],
  ["1001*333", 1001, 333],
  ["16x16", 16, 16],
  ["auto", 1024, 1024],
])("%s is %d by %d pixels in two colours", async (size, width, height) => {
  const { data, size: result } = await openai.images.generate({ model, prompt: "A fox", size });
  const png = opened(data?.[0]?.b64_json);
  expect([png.width, png.height, colours(png)]).toEqual([width, height, 2]);
  expect(result).toBe(`${width}x${height}`);
});

test("the largest picture is drawn too", async () => {
  const { data } = await openai.images.generate({ model, prompt: "A fox", size: "16384x2048" });
  expect(opened(data?.[0]?.b64_json).width).toBe(16_384);
});

test("the prompt is written on it: other words are other dots, more words are more", async () => {
  const draw = async (prompt: string) => opened((await openai.images.generate({ model, prompt })).data?.[0]?.b64_json);
  const [short, long, again] = [await draw("A fox"), await draw("A fox in the snow 狐"), await draw("A fox")];
  expect(dark(long)).toBeGreaterThan(dark(short));
  expect(Buffer.compare(short.data, again.data)).toBe(0);
});

test("the first letter stands where it should, dot by dot", async () => {
  const { data } = await openai.images.generate({ model, prompt: "A fox", size: "64x64" });
  const png = opened(data?.[0]?.b64_json);
  const isDark = (x: number, y: number) => (png.data[(y * png.width + x) * 4] ?? 255) < 128;
  const rows = [2, 3, 4, 5, 6].map((y) => [1, 2, 3, 4, 5].map((x) => (isDark(x, y) ? "#" : ".")).join(""));
  expect(rows).toEqual(["..##.", ".#...", "..#..", "...#.", ".##.."]);
});

test("several pictures differ, and are counted", async () => {
  const { data } = await openai.images.generate({ model, prompt: "A fox", n: 3, size: "64x64" });
  expect(new Set(data?.map(({ b64_json }) => b64_json)).size).toBe(3);
});

test("an edit is as large as what was given, unless a size is asked for", async () => {
  const given = (await openai.images.generate({ model, prompt: "A", size: "320x200" })).data?.[0]?.b64_json ?? "";
  const image = () => toFile(Buffer.from(given, "base64"), "a.png", { type: "image/png" });
  const edited = await openai.images.edit({ model, prompt: "B", image: await image() });
  const resized = await openai.images.edit({ model, prompt: "B", image: await image(), size: "64x32" });
  expect(
    [opened(edited.data?.[0]?.b64_json), opened(resized.data?.[0]?.b64_json)].map(({ width, height }) => [
      width,
      height,
    ]),
  ).toEqual([
    [320, 200],
    [64, 32],
  ]);
});

test("nobody can fetch from the sandbox: bytes come also where an address was asked for", async () => {
  const { data } = await openai.images.generate({ model, prompt: "A", response_format: "url" });
  expect(data?.[0]).toMatchObject({ b64_json: expect.any(String) });
  expect(data?.[0]?.url).toBeUndefined();
});

test("a stream has as many unfinished pictures as were asked for", async () => {
  const events = [];
  for await (const event of await openai.images.generate({ model, prompt: "A", stream: true, partial_images: 2 }))
    events.push(event);
  expect(events.map(({ type }) => type.split(".")[1])).toEqual(["partial_image", "partial_image", "completed"]);
  expect(opened(events[2]?.b64_json).width).toBe(1024);
  expect(events[2]).toMatchObject({ usage: { input_tokens: 1 }, size: "1024x1024", output_format: "png" });
});

test("the shape of the specification and Google's words give pictures too", async () => {
  const answer = await fetch(`${running.url}/v1/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      input: { messages: [{ role: "user", content: [{ text: "A fox" }] }] },
      parameters: { size: "1328*1328" },
    }),
  });
  const result = (await answer.json()) as { data: { b64_json: string }[] };
  expect(opened(result.data[0]?.b64_json).width).toBe(1328);
  const config = { responseModalities: [Modality.IMAGE], imageConfig: { aspectRatio: "16:9", imageSize: "1K" } };
  const drawn = await google.models.generateContent({ model, contents: "A fox", config });
  expect(opened(drawn.data).width / opened(drawn.data).height).toBeCloseTo(16 / 9, 1);
  const chunks = [];
  for await (const chunk of await google.models.generateContentStream({ model, contents: "A fox", config }))
    chunks.push(chunk);
  expect(opened(chunks[0]?.data).height).toBe(768);
});

test("directives work here as elsewhere, and are not drawn", async () => {
  const failed = openai.images.generate({ model, prompt: "A fox [sandbox error=503]" });
  expect(await failed.catch(({ status }: { status: number }) => status)).toBe(503);
  const plain = await openai.images.generate({ model, prompt: "A fox" });
  const directed = await openai.images.generate({ model, prompt: "A fox [sandbox delay=1]" });
  expect(directed.data).toEqual(plain.data);
});
