// Fields of a submit at the vendors: lengths as numbers and texts, sizes, counts and free words, in each vendor's own terms.
import { afterAll, expect, test } from "bun:test";
import type { ClientRequest } from "./clients/client.ts";
import { submitPath } from "./clients/video-b.ts";
import { openStage } from "./stage.ts";

const stage = await openStage();
afterAll(() => stage.stop());

let count = 0;
/** What the vendor was told, or the refusal. */
async function resultOf(vendor: string, { body, ...requested }: ClientRequest) {
  const prompt = `a cat in story waiting by fields${++count}`;
  const warned = body instanceof FormData ? body : { ...(body as object), prompt };
  if (warned instanceof FormData) warned.set("prompt", prompt);
  const answer = await stage.ask({ ...requested, body: warned });
  const [seen] = stage.studios.get(vendor)?.submits.get(prompt) ?? [];
  return { answer, seen };
}

/** The value at a path such as `input.size`; of a form the text of its part. */
function at(body: unknown, path: string): unknown {
  if (typeof body === "string") return new RegExp(`name="${path}"\\r\\n\\r\\n([^\\r]*)`).exec(body)?.[1];
  return path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);
}

const plain = (model: string, fields: object): ClientRequest => ({
  method: "POST",
  path: "/v1/video/generations",
  body: { model, ...fields },
});
const native = (model: string, fields: object): ClientRequest => ({
  method: "POST",
  path: "/kling/v1/videos/text2video",
  body: { model_name: model, ...fields },
});
const actions = (model: string, fields: object): ClientRequest => ({
  method: "POST",
  path: submitPath,
  body: { req_key: model, ...fields },
});
const videos = (model: string, fields: object): ClientRequest => ({
  method: "POST",
  path: "/v1/videos",
  body: { model, ...fields },
});
function videosForm(model: string, fields: object): ClientRequest {
  const body = new FormData();
  for (const [name, value] of Object.entries({ model, ...fields })) body.set(name, String(value));
  return { method: "POST", path: "/v1/videos", body };
}

const kling = "kling/kling-v2-1";
const sora = "openai/sora-2";
const wan = "wan/wan2.6-t2v";
const veo = "veo/veo-3.1-generate-preview";
const vertex = "veoVertex/veo-3.0-generate-001";

/** What is asked, where the vendor reads what, and the warnings. */
const rows: [string, ClientRequest, Record<string, unknown>, string][] = [
  ["a length as a number", plain(kling, { duration: 10 }), { duration: "10" }, ""],
  ["a length as a text", plain(kling, { duration: "10" }), { duration: "10" }, ""],
  ["a length with its unit", plain(kling, { duration: "10s" }), { duration: "10" }, ""],
  ["a length that is not made", plain(kling, { duration: 7.4 }), { duration: "5" }, "approximated;field=duration"],
  ["a length for a vendor of numbers", plain(veo, { duration: "8" }), { "parameters.durationSeconds": 8 }, ""],
  ["no length", plain(veo, { duration: null }), { "parameters.durationSeconds": undefined }, ""],
  ["a length in frames", actions("jimeng/jimeng_v30", { frames: 241 }), { frames: 241 }, ""],
  ["a length in frames elsewhere", actions(wan, { frames: 121 }), { "parameters.duration": 5 }, ""],
  ["a length as OpenAI has it", videos(wan, { seconds: "8" }), { "parameters.duration": 8 }, ""],
  ["a length in a form", videosForm(sora, { seconds: 12 }), { seconds: "12" }, ""],
  ["a size", plain(wan, { width: 1280, height: 720 }), { "parameters.size": "1280*720" }, ""],
  ["a size upright", plain(sora, { width: 720, height: 1280 }), { size: "720x1280" }, ""],
  [
    "a size as a ratio and a tier",
    plain(kling, { width: 1080, height: 1920 }),
    { aspect_ratio: "9:16", mode: "pro" },
    "",
  ],
  ["a side alone", plain(wan, { width: 1920 }), { "parameters.size": "1920*1080" }, ""],
  ["a size as OpenAI has it", videos(wan, { size: "1080x1920" }), { "parameters.size": "1080*1920" }, ""],
  ["a size that is not made", plain(sora, { width: 640, height: 640 }), {}, "approximated;field=width"],
  ["several", plain(vertex, { n: 3 }), { "parameters.sampleCount": 3 }, ""],
  ["one", plain(vertex, { n: 1 }), { "parameters.sampleCount": undefined }, ""],
  [
    "free words",
    plain(kling, { metadata: { negative_prompt: "dogs", cfg_scale: 0.4, aspect_ratio: "1:1", mode: "pro" } }),
    { negative_prompt: "dogs", cfg_scale: 0.4, aspect_ratio: "1:1", mode: "pro" },
    "",
  ],
  [
    "free words in the vendor's own places",
    plain(wan, { metadata: { parameters: { prompt_extend: false, n: 4 } } }),
    { "parameters.prompt_extend": false, "parameters.n": undefined },
    "",
  ],
  [
    "native words",
    native(kling, { negative_prompt: "dogs", cfg_scale: 1 }),
    { negative_prompt: "dogs", cfg_scale: 1 },
    "",
  ],
  ["native words elsewhere", native(wan, { negative_prompt: "dogs" }), { "input.negative_prompt": "dogs" }, ""],
  ["a seed", plain(wan, { seed: 7 }), { "parameters.seed": 7 }, ""],
  ["a seed of chance", actions(wan, { seed: -1 }), { "parameters.seed": undefined }, ""],
  [
    "a seed where there is none",
    plain(kling, { seed: 7, fps: 30 }),
    { seed: undefined },
    "dropped;field=fps, dropped;field=seed",
  ],
];

test.each(rows)("%s", async (_what, requested, expected, warnings) => {
  const model =
    (requested.body instanceof FormData ? requested.body.get("model") : undefined) ??
    Object.values(requested.body as object)[0];
  const { answer, seen } = await resultOf(String(model).split("/")[0] ?? "", requested);
  expect(answer).toMatchObject({ status: 200 });
  const body = seen?.json ?? seen?.text;
  expect(Object.fromEntries(Object.keys(expected).map((path) => [path, at(body, path)]))).toEqual(expected);
  const warned = answer.headers.get("x-turnpike-warnings") ?? "";
  expect(warned.split(", ").sort().join(", ")).toBe(warnings);
});

const refused: [string, ClientRequest, string, string][] = [
  ["a length in prose", plain(kling, { duration: "long" }), "invalid_value", "duration"],
  ["no length at all", plain(kling, { duration: 0 }), "invalid_value", "duration"],
  ["a length as a list", plain(kling, { duration: [5] }), "invalid_type", "duration"],
  ["a side as a text", plain(kling, { width: "720" }), "invalid_type", "width"],
  ["a side of nothing", plain(kling, { height: 0 }), "invalid_value", "height"],
  ["a half pixel", plain(kling, { width: 1.5 }), "invalid_type", "width"],
  ["none", plain(kling, { n: 0 }), "invalid_value", "n"],
  ["several where one is made", plain(kling, { n: 2 }), "unsupported_parameter", "n"],
  ["more than are made", plain(vertex, { n: 5 }), "unsupported_parameter", "n"],
  ["words in place of metadata", plain(kling, { metadata: "x" }), "invalid_type", "metadata"],
  ["a size in prose", videos(sora, { size: "big" }), "invalid_value", "size"],
  ["seconds in prose", videosForm(sora, { seconds: "many" }), "invalid_value", "seconds"],
  ["a count in prose, in a form", videosForm(sora, { n: "two" }), "invalid_type", "n"],
  ["half frames", actions("jimeng/jimeng_v30", { frames: 12.5 }), "invalid_type", "frames"],
  ["a native word out of bounds", native(kling, { cfg_scale: 1.5 }), "invalid_value", "cfg_scale"],
];

test.each(refused)("%s is refused", async (_what, requested, code, param) => {
  const { answer } = await resultOf("", requested);
  expect(answer).toMatchObject({ status: 400, body: { error: { code, param, type: "invalid_request_error" } } });
});
