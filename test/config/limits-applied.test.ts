// Limits on what one request may cost a provider, and on what a provider may send: the file sets them, and their errors come.
import { afterAll, expect, test } from "bun:test";
import { configuration, startUpstreams } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";

const upstreams = await startUpstreams();
const limits = `limits:
  max_attempts_per_request: 1
  max_calls_per_request: 4
  max_emulated_choices: 2
  max_event_bytes: 4096
  max_reply_bytes: 8192
`;
const running = await gateway({ yaml: limits + configuration(upstreams) });
afterAll(async () => {
  await running.stop();
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

const hello = [{ role: "user", content: "hi" }];

async function ask(body: object, path = "/v1/chat/completions"): Promise<{ status: number; text: string }> {
  const response = await fetch(running.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: hello, ...body }),
  });
  return { status: response.status, text: await response.text() };
}

test("after the last attempt no other candidate is asked", async () => {
  upstreams.alpha.on("*", says("openai-chat/error-500.json"));
  expect((await ask({ model: "chain" })).status).toBe(502);
  expect(upstreams.beta.requests).toHaveLength(0);
});

test("choices that would be made call by call", async () => {
  const { status, text } = await ask({ model: "claude-x", n: 3 });
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ code: "unsupported_parameter", param: "n" });
});

test("prompts that would be sent call by call", async () => {
  const prompt = ["a", "b", "c", "d", "e"];
  const { status, text } = await ask({ model: "claude-x", prompt, max_tokens: 5 }, "/v1/completions");
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ code: "invalid_value", param: "prompt" });
});

const long = (chars: number) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-x",
  choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(chars) }, finish_reason: "stop" }],
});

test.each([
  [4_000, 200],
  [9_000, 502],
])("a response with %d characters is %d", async (chars, expected) => {
  upstreams.alpha.on("*", { json: long(chars) });
  const { status, text } = await ask({ model: "gpt-x" });
  expect(status).toBe(expected);
  if (expected !== 200) expect(JSON.parse(text).error.code).toBe("upstream_protocol_error");
});

test.each([
  [2_000, false],
  [6_000, true],
])("an event with %d characters", async (chars, isRefused) => {
  const delta = { role: "assistant", content: "x".repeat(chars) };
  const chunk = { ...long(0), object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: "stop" }] };
  upstreams.alpha.on("*", { frames: [`data: ${JSON.stringify(chunk)}\n\n`, "data: [DONE]\n\n"] });
  const { text } = await ask({ model: "gpt-x", stream: true });
  expect(text.includes("upstream_protocol_error")).toBe(isRefused);
  expect(text.includes("[DONE]")).toBe(!isRefused);
});
