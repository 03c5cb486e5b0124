// Refusals and failures: content under one code, and replies of status 200 that are none.
import { expect, test } from "bun:test";
import type { Reply } from "../support/upstream.ts";
import { imageSetting } from "./setting.ts";
import { fars, nameOf } from "./upstream-dialects.ts";

const { up, ask } = await imageSetting();

const blocked = (promptFeedback: object): Reply => ({ json: { promptFeedback } });
const ended = (finishReason: string, parts: object[] = []): Reply => ({
  json: { candidates: [{ content: { parts }, finishReason, finishMessage: "Why." }] },
});
const gemini = "gemini-gemini-3-pro-image";
const content = { status: 400, code: "content_policy_violation", type: "invalid_request_error" };
const nonsense = { status: 502, code: "upstream_protocol_error", type: "upstream_error" };
const failed = { status: 502, code: "upstream_failed", type: "upstream_error" };
const limited = { status: 429, code: "upstream_rate_limited", type: "rate_limit_error" };
const credentials = { status: 502, code: "upstream_credentials", type: "upstream_error" };

test.each([
  { model: gemini, reply: blocked({ blockReason: "SAFETY" }), expected: content },
  { model: gemini, reply: blocked({ blockReason: "OTHER" }), expected: content },
  { model: gemini, reply: ended("IMAGE_SAFETY"), expected: content },
  { model: gemini, reply: ended("PROHIBITED_CONTENT"), expected: content },
  { model: gemini, reply: ended("IMAGE_RECITATION"), expected: content },
  { model: gemini, reply: ended("NO_IMAGE"), expected: nonsense },
  { model: gemini, reply: ended("MAX_TOKENS"), expected: nonsense },
  { model: gemini, reply: ended("STOP", [{ text: "I cannot draw." }]), expected: nonsense },
  { model: gemini, reply: { json: {} }, expected: nonsense },
  { model: "gemini-imagen-4", reply: { json: { predictions: [] } }, expected: content },
  {
    model: "gemini-imagen-4",
    reply: { json: { predictions: [{ raiFilteredReason: "Filtered." }] } },
    expected: content,
  },
  {
    model: "openai-dall-e-9",
    reply: { status: 400, json: { error: { code: "moderation_blocked", message: "No.", type: "user_error" } } },
    expected: content,
  },
  {
    model: "openai-dall-e-9",
    reply: { status: 400, json: { error: { code: "content_policy_violation", message: "No." } } },
    expected: content,
  },
  {
    model: "openai-dall-e-9",
    reply: { status: 400, json: { error: { code: "bad_size", message: "No.", param: "size" } } },
    expected: { status: 400, code: "bad_size", param: "size" },
  },
  { model: "openai-dall-e-9", reply: { json: { created: 1, data: [] } }, expected: nonsense },
  { model: "openai-dall-e-9", reply: { json: { created: 1, data: [{ url: "" }] } }, expected: nonsense },
  {
    model: "dashscope-qwen-image-2.0",
    reply: {
      status: 400,
      json: { code: "DataInspectionFailed", message: "Input data may contain inappropriate content." },
    },
    expected: content,
  },
  {
    model: "dashscope-qwen-image-2.0",
    reply: { status: 400, json: { code: "Arrearage", message: "Overdue." } },
    expected: credentials,
  },
  {
    model: "dashscope-qwen-image-2.0",
    reply: { status: 429, json: { code: "Throttling.RateQuota", message: "Slow." } },
    expected: limited,
  },
  {
    model: "dashscope-qwen-image-2.0",
    reply: { status: 400, json: { code: "InvalidParameter", message: "size" } },
    expected: { status: 400, code: "InvalidParameter" },
  },
  { model: "dashscope-qwen-image-2.0", reply: { json: { output: { choices: [] }, usage: {} } }, expected: nonsense },
  { model: "dashscope-qwen-image-2.0", reply: { json: { code: "InternalError", message: "Oh." } }, expected: failed },
  {
    model: "ark-seedream-4",
    reply: { status: 400, json: { error: { code: "InputTextSensitiveContentDetected", message: "No." } } },
    expected: content,
  },
  {
    model: "ark-seedream-4",
    reply: { json: { data: [{ error: { code: "OutputImageSensitiveContentDetected", message: "No." } }] } },
    expected: content,
  },
  {
    model: "minimax-image-01",
    reply: { json: { base_resp: { status_code: 1026, status_msg: "sensitive" } } },
    expected: content,
  },
  {
    model: "minimax-image-01",
    reply: { json: { base_resp: { status_code: 1002, status_msg: "slow" } } },
    expected: limited,
  },
  {
    model: "minimax-image-01",
    reply: { json: { base_resp: { status_code: 1008, status_msg: "no balance" } } },
    expected: credentials,
  },
  { model: "minimax-image-01", reply: { json: { data: {}, base_resp: { status_code: 0 } } }, expected: nonsense },
  {
    model: "zhipu-cogview-4",
    reply: { status: 400, json: { error: { code: "1301", message: "No." } } },
    expected: content,
  },
])("$model: $expected.status $expected.code", async ({ model, reply, expected }) => {
  const far = fars.find((each) => nameOf(each) === model)!;
  up.on(far.route, reply as Reply);
  const { status, body } = await ask("/v1/images/generations", { model, prompt: "a fox" });
  expect({ status, ...(body["error"] as object) }).toMatchObject({ ...expected });
});

test("what somebody else's file is, is refused by its field", async () => {
  for (const model of [gemini, "dashscope-qwen-image-2.0", "ark-seedream-4"]) {
    const { status, body } = await ask("/v1/images/edits", { model, prompt: "x", images: [{ file_id: "file-1" }] });
    expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param: "images[0].file_id" } });
  }
  expect(up.requests).toHaveLength(0);
});
