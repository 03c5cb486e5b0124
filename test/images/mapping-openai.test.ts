// What becomes of wishes in OpenAI's shape at upstreams of other shapes: their place on the wire, and warnings for the rest.
import { expect, test } from "bun:test";
import { imageSetting } from "./setting.ts";
import { fars } from "./upstream-dialects.ts";

const { up, url, ask } = await imageSetting();
const last = () => up.requests.findLast(({ method }) => method === "POST")!.json;
const answerAll = () => {
  for (const far of fars) up.on(far.route, far.answers([url]));
};

const inOpenai: readonly { model: string; params: object; body: Record<string, unknown>; warnings: string | null }[] = [
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "1024x768", n: 2, quality: "high", style: "vivid", background: "transparent", user: "u", seed: 4 },
    body: { parameters: { size: "1024*768", n: 2, seed: 4 } },
    warnings: "dropped;field=quality, dropped;field=style, dropped;field=background, approximated;field=n",
  },
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "auto", quality: "auto", background: "auto", moderation: "auto", safety_identifier: "u" },
    body: { parameters: {} },
    warnings: null,
  },
  {
    model: "qwen-image-plus",
    params: { size: "1792x1024" },
    body: { parameters: { size: "1664*928" } },
    warnings: "approximated;field=size",
  },
  {
    model: "qwen-image-plus",
    params: { size: "1000x1000" },
    body: { parameters: { size: "1328*1328" } },
    warnings: "approximated;field=size",
  },
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "4096x4096" },
    body: { parameters: { size: "2048*2048" } },
    warnings: "approximated;field=size",
  },
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "2048x2048" },
    body: { parameters: { size: "2048*2048" } },
    warnings: null,
  },
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "512x512" },
    body: { parameters: { size: "512*512" } },
    warnings: null,
  },
  {
    model: "dashscope-qwen-image-2.0",
    params: { size: "256x256" },
    body: { parameters: { size: "512*512" } },
    warnings: "approximated;field=size",
  },
  {
    model: "gemini-gemini-3-pro-image",
    params: { response_format: "url" },
    body: {},
    warnings: "approximated;field=response_format",
  },
  {
    model: "gemini-imagen-4",
    params: { response_format: "url" },
    body: {},
    warnings: "approximated;field=response_format",
  },
  {
    model: "zhipu-cogview-4",
    params: { quality: "high", aspect_ratio: "16:9" },
    body: { quality: "hd", size: "1344x768" },
    warnings: "approximated;field=aspect_ratio",
  },
  {
    model: "ark-seedream-4",
    params: { output_format: "jpeg", output_compression: 50, response_format: "b64_json", future_field: 1 },
    body: { output_format: "jpeg", response_format: "b64_json" },
    warnings: "dropped;field=future_field, dropped;field=output_compression",
  },
];

test.each([...inOpenai])("$model in OpenAI's shape", async ({ model, params, body, warnings }) => {
  answerAll();
  const result = await ask("/v1/images/generations", { model, prompt: "a fox", ...params });
  expect({ status: result.status, error: result.body["error"] }).toEqual({ status: 200, error: undefined });
  expect(last()).toMatchObject(body);
  expect(result.headers.get("x-turnpike-warnings")).toBe(warnings);
});
