// Streamed images: OpenAI's events go through as they are, and are told for upstreams that have none.
import { expect, test } from "bun:test";
import { toFile } from "openai";
import { settledRow } from "../support/ledger.ts";
import { dotBytes, imageSetting } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, openai, url, gateway, rows } = await imageSetting();
const frame = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const common = {
  b64_json: dot,
  created_at: 1,
  size: "1024x1024",
  quality: "high",
  background: "opaque",
  output_format: "png",
};
const usage = {
  input_tokens: 7,
  output_tokens: 272,
  total_tokens: 279,
  input_tokens_details: { text_tokens: 7, image_tokens: 0 },
};
const partial = (name: string, index: number) =>
  frame(`${name}.partial_image`, { ...common, partial_image_index: index });
const completed = (name: string) => frame(`${name}.completed`, { ...common, usage, future: true });

const receive = async <Event>(stream: AsyncIterable<Event>): Promise<Event[]> => {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

test("unfinished images come as they are, and the ledger knows what the finished one cost", async () => {
  up.on("POST /v1/images/generations", {
    frames: [partial("image_generation", 0), partial("image_generation", 1), completed("image_generation")],
  });
  const before = rows(1_000).length;
  const stream = await openai.images.generate({
    model: "gpt-image-1",
    prompt: "a fox",
    stream: true,
    partial_images: 2,
  });
  const events = await receive(stream);
  expect(events.map(({ type }) => type)).toEqual([
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
  expect(events[2] as object).toEqual({ type: "image_generation.completed", ...common, usage, future: true });
  expect(up.requests[0]?.json).toMatchObject({ stream: true, partial_images: 2, model: "gpt-image-1" });
  expect(await settledRow(gateway.dataFolder, before)).toMatchObject({
    state: "completed",
    operation: "image",
    inputTokens: 7,
    outputTokens: 272,
    estimated: false,
  });
});

test("an edit by form streams too", async () => {
  up.on("POST /v1/images/edits", { frames: [partial("image_edit", 0), completed("image_edit")] });
  const image = await toFile(dotBytes, "dot.png", { type: "image/png" });
  const stream = await openai.images.edit({
    model: "gpt-image-1",
    prompt: "bluer",
    image,
    stream: true,
    partial_images: 1,
  });
  expect((await receive(stream)).map(({ type }) => type)).toEqual(["image_edit.partial_image", "image_edit.completed"]);
  expect(up.requests[0]?.text).toMatch(/name="stream"\r\n\r\ntrue\r\n/);
});

test("several finished images are one stream", async () => {
  up.on("POST /v1/images/generations", { frames: [completed("image_generation"), completed("image_generation")] });
  const before = rows(1_000).length;
  const events = await receive(await openai.images.generate({ model: "gpt-image-1", prompt: "x", n: 2, stream: true }));
  expect(events).toHaveLength(2);
  expect(await settledRow(gateway.dataFolder, before)).toMatchObject({ outputTokens: 544 });
});

test("a stream that breaks off before the image is an error", async () => {
  up.on("POST /v1/images/generations", { frames: [partial("image_generation", 0)] });
  const broken = openai.images.generate({ model: "gpt-image-1", prompt: "x", stream: true }).then(receive);
  expect(await broken.catch((thrown: Error) => thrown.constructor.name)).toBe("APIError");
});

test("an error before the first image is an answer of its own", async () => {
  const error = { type: "image_generation_user_error", code: "moderation_blocked", message: "No." };
  up.on("POST /v1/images/generations", { frames: [frame("error", { error })] });
  const refused = openai.images.generate({ model: "gpt-image-1", prompt: "x", stream: true });
  expect(await refused.catch((thrown: object) => thrown)).toMatchObject({
    status: 400,
    code: "content_policy_violation",
  });
});

test.each(fars.filter(({ kind }) => !["openai", "azure", "compatible"].includes(kind)))(
  "$kind $model: every image is an event of its own, the cost stands in the last",
  async (far) => {
    up.on(far.route, far.answers([url, url]));
    const before = rows(1_000).length;
    const request = { model: nameOf(far), prompt: "a fox", n: 2, stream: true, partial_images: 3 } as const;
    const events = await receive(await openai.images.generate(request));
    expect(events).toMatchObject([
      { type: "image_generation.completed", b64_json: dot, output_format: "png", size: expect.any(String) },
      { type: "image_generation.completed", b64_json: dot },
    ]);
    if (far.model === "gemini-3-pro-image") expect(events[1]).toMatchObject({ usage: { output_tokens: 2240 } });
    expect(await settledRow(gateway.dataFolder, before)).toMatchObject({ state: "completed", stream: true });
  },
);

test("edits are told as edits", async () => {
  const far = fars.find(({ kind }) => kind === "ark")!;
  up.on(far.route, far.answers([url]));
  const image = await toFile(dotBytes, "dot.png", { type: "image/png" });
  const events = await receive(await openai.images.edit({ model: nameOf(far), prompt: "x", image, stream: true }));
  expect(events).toMatchObject([{ type: "image_edit.completed", b64_json: dot }]);
});
