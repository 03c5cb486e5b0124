// Every bound and enumeration of the two shapes, with a row on each side of it.
import { beforeEach, expect, test } from "bun:test";
import { maxImages } from "../../src/dialects/images/input-images.ts";
import { imageSetting, message } from "./setting.ts";
import { dot, fars } from "./upstream-dialects.ts";

const { up, url, ask } = await imageSetting();
const picture = `data:image/png;base64,${dot}`;
const model = "openai-dall-e-9";
const spec = "dashscope-qwen-image-2.0";

beforeEach(() => {
  for (const far of fars) up.on(far.route, far.answers([url]));
  up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
});

type Bound = readonly [param: string, good: readonly object[], bad: readonly object[]];
const values = (name: string, ...list: readonly unknown[]) => list.map((value) => ({ [name]: value }));
const rowsOf = (bounds: readonly Bound[], side: 1 | 2) =>
  bounds.flatMap(([param, ...sides]) =>
    (sides[side - 1] ?? []).map((params) => ({ param, params, label: JSON.stringify(params).slice(0, 40) })),
  );

const openai: readonly Bound[] = [
  ["prompt", values("prompt", "x", "x".repeat(32_000)), values("prompt", "", "x".repeat(32_001), 1, null)],
  ["n", values("n", 1, 10, null), values("n", 0, 11, 1.5, "2", -1)],
  [
    "size",
    values("size", "auto", "1024x1024", "1024*1024", "1024X1024", "1024×1024", "16x16", "16384x2048", "2K", null),
    values("size", "1024", "big", "15x16", "16385x16", "16384x2049", "0x0", "1024x", 5),
  ],
  [
    "quality",
    values("quality", "auto", "low", "medium", "high", "xhigh", "max", "standard", "hd", null),
    values("quality", "ultra", 1, ""),
  ],
  ["style", values("style", "vivid", "natural"), values("style", "dull")],
  ["background", values("background", "transparent", "opaque", "auto"), values("background", "red")],
  ["moderation", values("moderation", "low", "auto"), values("moderation", "none")],
  ["output_format", values("output_format", "png", "jpeg", "webp", "gif", "svg"), values("output_format", "bmp")],
  ["output_compression", values("output_compression", 0, 100), values("output_compression", -1, 101, 1.5)],
  ["response_format", values("response_format", "url", "b64_json"), values("response_format", "hex")],
  ["partial_images", values("partial_images", 0, 3), values("partial_images", -1, 4)],
  ["stream", values("stream", false, null), values("stream", "yes", 1)],
  ["user", values("user", "u"), values("user", 1)],
  ["seed", values("seed", 0, 4_294_967_295), values("seed", -1, 4_294_967_296)],
  ["model", [], values("model", undefined, "", 5)],
];

test.each(rowsOf(openai, 1))("$param takes $label", async ({ params }) => {
  const { status, body } = await ask("/v1/images/generations", { model, prompt: "x", ...params });
  expect({ status, error: body["error"] }).toEqual({ status: 200, error: undefined });
});

test.each(rowsOf(openai, 2))("$param refuses $label", async ({ param, params }) => {
  const { status, body } = await ask("/v1/images/generations", { model, prompt: "x", ...params });
  expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param } });
  expect(up.requests).toHaveLength(0);
});

const parameters: readonly Bound[] = [
  ["n", values("n", 1, 10), values("n", 0, 11, 1.5, "1")],
  ["negative_prompt", values("negative_prompt", "", "dogs"), values("negative_prompt", 1)],
  ["prompt_extend", values("prompt_extend", true, false), values("prompt_extend", "true", 1)],
  ["watermark", values("watermark", true, false), values("watermark", "true")],
  ["size", values("size", "1328*1328", "1328x1328", "16*16"), values("size", "1328", "15*16", 1328)],
  ["seed", values("seed", 0, 2_147_483_647), values("seed", -1, 2_147_483_648)],
];

test.each(rowsOf(parameters, 1))("parameters.$param takes $label", async ({ params }) => {
  for (const each of [spec, model]) {
    const { status } = await ask("/v1/images/generations", message(each, [{ text: "x" }], params));
    expect(status).toBe(200);
  }
});

test.each(rowsOf(parameters, 2))("parameters.$param refuses $label", async ({ param, params }) => {
  for (const each of [spec, model]) {
    const { status, body } = await ask("/v1/images/generations", message(each, [{ text: "x" }], params));
    expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param: `parameters.${param}` } });
  }
  expect(up.requests).toHaveLength(0);
});

const content = (parts: unknown) => ({ input: { messages: [{ role: "user", content: parts }] } });

test.each([
  { body: {}, param: "input", code: "missing_required_parameter" },
  { body: { input: {} }, param: "input.messages", code: "missing_required_parameter" },
  { body: { input: "x" }, param: "input", code: "invalid_type" },
  { body: { input: { messages: [] } }, param: "input.messages", code: "invalid_value" },
  { body: { input: { messages: [{}] } }, param: "input.messages[0].content", code: "missing_required_parameter" },
  {
    body: { input: { messages: [{ role: 1, content: [{ text: "x" }] }] } },
    param: "input.messages[0].role",
    code: "invalid_type",
  },
  { body: content("x"), param: "input.messages[0].content", code: "invalid_type" },
  { body: content([]), param: "input.messages[0].content", code: "invalid_value" },
  { body: content([{ text: 1 }]), param: "input.messages[0].content[0].text", code: "invalid_type" },
  { body: content([{ text: " " }]), param: "input.messages[0].content[0].text", code: "missing_required_parameter" },
  { body: content([{ image: 1 }]), param: "input.messages[0].content[0].image", code: "invalid_type" },
  {
    body: content([{ text: "x" }, { image: "nonsense!" }]),
    param: "input.messages[0].content[1].image",
    code: "invalid_value",
  },
  {
    body: content([{ text: "x" }, { image: "data:image/png;base64,AAAA" }]),
    param: "input.messages[0].content[1].image",
    code: "invalid_value",
  },
  { body: { ...content([{ text: "x" }]), parameters: [] }, param: "parameters", code: "invalid_type" },
  { body: { prompt: "x", input: { messages: [] } }, param: "input.messages", code: "invalid_value" },
  { body: { quality: "high" }, param: "input", code: "missing_required_parameter" },
])("a message is refused: $param", async ({ body, param, code }) => {
  const { status, body: result } = await ask("/v1/images/generations", { model: spec, ...body });
  expect({ status, error: result["error"] }).toMatchObject({ status: 400, error: { param, code } });
  expect(up.requests).toHaveLength(0);
});

const images = (count: number) => Array.from({ length: count }, () => ({ image_url: picture }));
const parts = (count: number) => [...Array.from({ length: count }, () => ({ image: picture })), { text: "x" }];

test.each([
  { body: { model, prompt: "x", images: images(1) }, status: 200, param: undefined },
  { body: { model, prompt: "x", images: images(maxImages) }, status: 200, param: undefined },
  { body: { model, prompt: "x", images: images(maxImages + 1) }, status: 400, param: "images" },
  { body: { model, prompt: "x", image: picture }, status: 200, param: undefined },
  { body: { model, prompt: "x", image: [picture, picture] }, status: 200, param: undefined },
  { body: { model, prompt: "x", images: [] }, status: 400, param: "image" },
  { body: { model, prompt: "x" }, status: 400, param: "image" },
  { body: { model, prompt: "x", images: [{}] }, status: 400, param: "images[0].image_url" },
  {
    body: { model, prompt: "x", images: [{ image_url: "data:image/png;base64,AAAA" }] },
    status: 400,
    param: "images[0].image_url",
  },
  { body: { model, images: images(1) }, status: 400, param: "prompt" },
  { body: { model, prompt: "x", images: images(1), input_fidelity: "high" }, status: 200, param: undefined },
  { body: { model, prompt: "x", images: images(1), input_fidelity: "exact" }, status: 400, param: "input_fidelity" },
  { body: { model, prompt: "x", images: images(1), quality: "hd" }, status: 400, param: "quality" },
  { body: { model, prompt: "x", images: images(1), mask: {} }, status: 400, param: "mask.image_url" },
  { body: { model, prompt: "x", images: images(1), mask: { image_url: picture } }, status: 200, param: undefined },
  { body: message(spec, parts(1)), status: 200, param: undefined },
  { body: message(spec, parts(maxImages)), status: 200, param: undefined },
  { body: message(spec, parts(maxImages + 1)), status: 400, param: "input.messages[0].content" },
  { body: message(spec, parts(0)), status: 400, param: "input.messages[0].content[0].image" },
  { body: message(spec, [{ image: picture }]), status: 400, param: "input.messages[0].content[0].text" },
  { body: message(spec, parts(1), { n: 10 }), status: 200, param: undefined },
  { body: message(spec, parts(1), { n: 11 }), status: 400, param: "parameters.n" },
  { body: { model }, status: 400, param: "input" },
])("an edit is answered with $status $param", async ({ body, status, param }) => {
  const result = await ask("/v1/images/edits", body);
  const error = result.body["error"] as { param: string } | undefined;
  expect({ status: result.status, param: error?.param }).toEqual({ status, param });
});

const contents = [{ role: "user", parts: [{ text: "x" }] }];
const google = (generationConfig: unknown) => ({ contents, generationConfig });

test.each([
  {
    body: google({ responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "1K" } }),
    status: 200,
  },
  { body: google({ responseModalities: ["TEXT", "IMAGE"] }), status: 200 },
  { body: google({ responseModalities: "IMAGE" }), status: 400 },
  { body: google({ responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "wide" } }), status: 400 },
  { body: google({ responseModalities: ["IMAGE"], imageConfig: { imageSize: "3K" } }), status: 400 },
  { body: google({ responseModalities: ["IMAGE"], imageConfig: { aspectRatio: 1 } }), status: 400 },
  { body: { generationConfig: { responseModalities: ["IMAGE"] } }, status: 400 },
  { body: { contents: [], generationConfig: { responseModalities: ["IMAGE"] } }, status: 400 },
  {
    body: { contents: [{ parts: [{ text: " " }] }], generationConfig: { responseModalities: ["IMAGE"] } },
    status: 400,
  },
])("generateContent for images is answered with $status", async ({ body, status }) => {
  const result = await ask("/v1beta/models/xai-grok-image:generateContent", body);
  expect({ status: result.status, error: status === 200 ? result.body["error"] : undefined }).toEqual({
    status,
    error: undefined,
  });
});
