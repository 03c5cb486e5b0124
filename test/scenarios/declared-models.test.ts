// Rows of an operator's own for text models, seen from both ends: what the upstream is sent, and what the client is warned of.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const rows = [
  { models: ["small"], max_output_tokens: 100, reasoning: "none" },
  { models: ["strict"], like: "o3" },
];
const provider = (kind: string, path: string, models: readonly string[]) =>
  JSON.stringify({ kind, base_url: `${up.url}${path}`, credential: "canary", models, model_capabilities: rows });
const running = await gateway({
  yaml: `providers:\n  near: ${provider("openai", "/v1", ["strict"])}\n  far: ${provider("anthropic", "", ["small", "large"])}\n`,
});
beforeEach(() => up.clear());
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const message = {
  ...{ id: "m", type: "message", role: "assistant", model: "small", stop_reason: "end_turn" },
  content: [{ type: "text", text: "hi" }],
  usage: { input_tokens: 1, output_tokens: 1 },
};

async function ask(body: object) {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...body }),
  });
  await response.text();
  const sent = up.requests.at(-1);
  return { warnings: response.headers.get("x-turnpike-warnings"), body: sent?.json as object };
}

test("the bound on output and reasoning that is not there", async () => {
  up.on("*", { json: message });
  const requested = { max_completion_tokens: 900, reasoning_effort: "high" };
  const large = await ask({ model: "large", ...requested });
  expect(large.body).toMatchObject({ max_tokens: 900, output_config: { effort: "high" } });
  expect(large.warnings).toBeNull();
  const small = await ask({ model: "small", ...requested });
  expect(small.body).toMatchObject({ max_tokens: 100 });
  expect(small.body).not.toHaveProperty("output_config");
  expect(small.warnings).toContain("approximated;field=max_completion_tokens");
  expect(small.warnings).toContain("dropped;field=reasoning_effort");
});

test("the dialect that a model is best asked in", async () => {
  up.on("*", { status: 400, json: { error: { message: "no", type: "invalid_request_error" } } });
  const response = await fetch(`${running.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": running.key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify({
      ...{ model: "strict", max_tokens: 9, messages: [{ role: "user", content: "hi" }] },
      tools: [{ name: "f", input_schema: { type: "object" } }],
    }),
  });
  await response.text();
  expect(up.requests[0]?.path).toBe("/v1/responses");
});
