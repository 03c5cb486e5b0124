// What becomes of each wish at each upstream: its place on the wire, and the warnings for what has none.
import { expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { imageSetting, message } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, url, ask } = await imageSetting();
const last = () => up.requests.findLast(({ method }) => method === "POST")!.json;
const answerAll = () => {
  for (const far of fars) up.on(far.route, far.answers([url]));
  up.on(
    "POST /v1beta/models/gemini-2.5-flash-image:generateContent",
    fars.find(({ bytesOnly }) => bytesOnly)!.answers([]),
  );
};

const generate = async (model: string, parameters: object, headers = {}) => {
  answerAll();
  const result = await ask("/v1/images/generations", message(model, [{ text: "a fox" }], parameters), headers);
  return { ...result, warnings: result.headers.get("x-turnpike-warnings") };
};

const lost = (field: string) => `dropped;field=parameters.${field}`;
const bent = (field: string) => `approximated;field=parameters.${field}`;

/** The scripted upstreams draw one image whatever `n` says, and where they were sent more, the reply shows it. */
const fewer = bent("n");

interface Row {
  model: string;
  parameters: object;
  /** What the upstream is told, member by member. */
  body: Record<string, unknown>;
  warnings: string | null;
}

const avoided = "a fox\n\nAvoid: dogs";

const rows: readonly Row[] = [
  // The client's own words go on to the service whose shape it is.
  {
    model: "dashscope-qwen-image-2.0",
    parameters: {
      negative_prompt: "dogs",
      prompt_extend: false,
      watermark: true,
      size: "1024x768",
      seed: 3,
      future: 1,
    },
    body: {
      parameters: {
        negative_prompt: "dogs",
        prompt_extend: false,
        watermark: true,
        size: "1024*768",
        seed: 3,
        future: 1,
      },
    },
    warnings: null,
  },
  {
    model: "dashscope-qwen-image-2.0",
    parameters: { size: "1024X768" },
    body: { parameters: { size: "1024*768" } },
    warnings: null,
  },
  {
    model: "dashscope-qwen-image-2.0",
    parameters: { size: "1024×768" },
    body: { parameters: { size: "1024*768" } },
    warnings: null,
  },
  {
    model: "wan2.6-image",
    parameters: { size: "1280*1280" },
    body: { parameters: { size: "1280*1280", n: 1 } },
    warnings: null,
  },
  {
    model: "openai-dall-e-9",
    parameters: { negative_prompt: "dogs", prompt_extend: true, watermark: true, size: "1024*768", seed: 3, n: 2 },
    body: { model: "dall-e-9", prompt: avoided, size: "1024x768", n: 2 },
    warnings: [lost("prompt_extend"), lost("watermark"), lost("seed"), bent("negative_prompt"), fewer].join(", "),
  },
  { model: "openai-dall-e-9", parameters: { watermark: false, n: 1 }, body: { prompt: "a fox", n: 1 }, warnings: null },
  { model: "gpt-image-1", parameters: { size: "1664*928" }, body: { size: "1536x1024" }, warnings: bent("size") },
  { model: "gpt-image-1", parameters: { size: "1024*1024" }, body: { size: "1024x1024" }, warnings: null },
  { model: "gpt-image-2", parameters: { size: "1000*750" }, body: { size: "1008x752" }, warnings: bent("size") },
  { model: "dall-e-3", parameters: { size: "928*1664" }, body: { size: "1024x1792" }, warnings: bent("size") },
  {
    model: "gemini-gemini-3-pro-image",
    parameters: { negative_prompt: "dogs", prompt_extend: true, watermark: true, size: "1920*1080" },
    body: {
      contents: [{ role: "user", parts: [{ text: avoided }] }],
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      },
    },
    warnings: [lost("prompt_extend"), lost("watermark"), bent("negative_prompt"), bent("size")].join(", "),
  },
  {
    model: "gemini-gemini-3-pro-image",
    parameters: { size: "1024*1024" },
    body: {
      generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "1:1", imageSize: "1K" } },
    },
    warnings: null,
  },
  {
    model: "gemini-gemini-3-pro-image",
    parameters: { size: "1536*1536" },
    body: {
      generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "1:1", imageSize: "1K" } },
    },
    warnings: bent("size"),
  },
  {
    model: "gemini-gemini-3-pro-image",
    parameters: { size: "2561*1440" },
    body: {
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "4K" },
      },
    },
    warnings: bent("size"),
  },
  {
    model: "gemini-2.5-flash-image",
    parameters: { size: "2048*2048" },
    body: { generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "1:1" } } },
    warnings: bent("size"),
  },
  {
    model: "gemini-imagen-4",
    parameters: { size: "900*1600", n: 3, seed: 1 },
    body: {
      instances: [{ prompt: "a fox" }],
      parameters: { sampleCount: 3, aspectRatio: "9:16", sampleImageSize: "2K" },
    },
    warnings: [lost("seed"), bent("size"), fewer].join(", "),
  },
  {
    model: "ark-seedream-4",
    parameters: { negative_prompt: "dogs", size: "2048*1024", watermark: true, seed: 3, prompt_extend: true },
    body: { prompt: avoided, size: "2048x1024", watermark: true, seed: 3, response_format: "url" },
    warnings: [lost("prompt_extend"), bent("negative_prompt")].join(", "),
  },
  { model: "ark-seedream-4", parameters: { size: "2K" }, body: { size: "2K", watermark: false }, warnings: null },
  {
    model: "siliconflow-kolors",
    parameters: { negative_prompt: "dogs", size: "960*1280", n: 2, seed: 3, watermark: false },
    body: { prompt: "a fox", negative_prompt: "dogs", image_size: "960x1280", batch_size: 2, seed: 3 },
    warnings: fewer,
  },
  {
    model: "minimax-image-01",
    parameters: { size: "1280*720", n: 2, prompt_extend: true, watermark: true },
    body: { width: 1280, height: 720, n: 2, prompt_optimizer: true, aigc_watermark: true, response_format: "url" },
    warnings: fewer,
  },
  {
    model: "zhipu-cogview-4",
    parameters: { size: "1000*1000", watermark: false },
    body: { size: "1024x1024", watermark_enabled: false },
    warnings: bent("size"),
  },
  {
    model: "xai-grok-image",
    parameters: { size: "1000*1500", n: 4 },
    body: { aspect_ratio: "2:3", n: 4 },
    warnings: [bent("size"), fewer].join(", "),
  },
];

test.each([...rows])("$model in the shape of the specification", async ({ model, parameters, body, warnings }) => {
  const result = await generate(model, parameters);
  expect({ status: result.status, error: result.body["error"] }).toEqual({ status: 200, error: undefined });
  expect(last()).toMatchObject(body);
  expect(result.warnings).toBe(warnings);
});

test("in strict mode a wish that would be lost is refused by its field, and nobody is asked", async () => {
  const strict = { "x-turnpike-strict": "true" };
  const { status, body } = await generate("openai-dall-e-9", { seed: 3 }, strict);
  expect({ status, error: body["error"] }).toMatchObject({
    status: 400,
    error: { code: "unsupported_parameter", param: "parameters.seed" },
  });
  expect(up.requests).toHaveLength(0);
});

test("OpenAI's own shape goes on untouched, but for a separator and what its newer models refuse", async () => {
  up.on("POST /v1/images/generations", { json: { created: 1, data: [{ b64_json: dot }] } });
  const wire = {
    prompt: "a fox",
    size: "1024*1536",
    quality: "high",
    future_field: { a: 1 },
    response_format: "b64_json",
  };
  await ask("/v1/images/generations", { model: "gpt-image-1", ...wire });
  const { response_format: _, ...rest } = wire;
  expect(last()).toEqual({ model: "gpt-image-1", ...rest, size: "1024x1536" });
  await ask("/v1/images/generations", { model: "openai-dall-e-9", ...wire });
  expect(last()).toEqual({ model: "dall-e-9", ...wire, size: "1024x1536" });
});

test.each(fars.filter(({ edit }) => edit).filter(({ kind }) => !["openai", "azure", "compatible"].includes(kind)))(
  "$kind has no masks, and says so",
  async (far) => {
    const picture = { image_url: `data:image/png;base64,${dot}` };
    const { status, body } = await ask("/v1/images/edits", {
      model: nameOf(far),
      prompt: "x",
      images: [picture],
      mask: picture,
    });
    expect({ status, error: body["error"] }).toMatchObject({
      status: 400,
      error: { code: "unsupported_parameter", param: "mask.image_url" },
    });
  },
);

test("what a reply tells beyond the images comes along", async () => {
  answerAll();
  const gemini = await ask("/v1/images/generations", { model: "gemini-gemini-3-pro-image", prompt: "a fox" });
  expect(gemini.body).toMatchObject({
    data: [{ b64_json: dot, revised_prompt: "Here it is." }],
    output_format: "png",
    usage: {
      input_tokens: 9,
      output_tokens: 1120,
      total_tokens: 1129,
      input_tokens_details: { text_tokens: 9, image_tokens: 0 },
    },
  });
  const dashscope = await ask("/v1/images/generations", message("dashscope-qwen-image-2.0", [{ text: "a fox" }]));
  expect(dashscope.body).toMatchObject({ size: "1328x1328", data: [{ url }] });
  expect(at(dashscope.body, "output")).toBeUndefined();
});

test("a name that promises bytes gives bytes from any upstream", async () => {
  answerAll();
  const { body } = await ask("/v1/images/generations", { model: "gpt-image-alias", prompt: "a fox" });
  expect(body["data"]).toEqual([{ b64_json: dot }]);
  const spec = await ask("/v1/images/generations", message("gpt-image-alias", [{ text: "a fox" }]));
  expect(spec.body["data"]).toEqual([{ b64_json: dot }]);
});
