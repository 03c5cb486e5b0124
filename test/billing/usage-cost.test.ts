// `usage.cost` for clients that ask for it: in replies and streams, with the price of the ledger; other replies stay as they are.
import { afterAll, expect, test } from "bun:test";
import { gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const usage = { prompt_tokens: 1_000, completion_tokens: 7, total_tokens: 1_007 };
const reply = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage,
};
const yaml = `providers:
  one: { kind: compatible, base_url: "${up.url}/v1", credential: "sk-one", models: [m, free] }
prices:
  cost:
    - { provider: one, model: m, usd: { input: 0.15, output: 0.6 } }
    - { provider: sandbox, model: "*", usd: { input: 1, output: 2 } }
  price: [{ model: "*", factor: 1.1 }]
`;
const running = await gateway({ yaml });
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(running.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const hello = { model: "one/m", messages: [{ role: "user", content: "hi" }] };
const include = { usage: { include: true } };
const dataOf = (text: string): unknown[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as unknown);
/** In dollars, as in the last row of the ledger. */
const lastPrice = (): number => Number(Object(ledgerRows(running.dataFolder).at(-1)).price) / 1e9;

test("a whole reply has it with all digits, and the provider does not see the request for it", async () => {
  up.on("*", { json: reply });
  const answer = await post("/v1/chat/completions", { ...hello, ...include });
  const text = await answer.text();
  // (1,000 × 0.15 + 7 × 0.6) ÷ 1,000,000 × 1.1
  expect(text).toContain('"cost":0.00016962}');
  expect(answer.headers.get("x-turnpike-cost")).toBe("0.00016962");
  expect(JSON.parse(text)).toEqual({ ...reply, usage: { ...usage, cost: 0.00016962 } });
  expect(up.requests.at(-1)?.json).not.toHaveProperty("usage");
});

test("a client that does not ask gets the bytes as they are", async () => {
  up.on("*", { json: reply });
  for (const more of [{}, { usage: { include: false } }, { usage: true }])
    expect(await (await post("/v1/chat/completions", { ...hello, ...more })).json()).toEqual(reply);
});

test("a model without a price has null, not 0", async () => {
  up.on("*", { json: reply });
  const answer = await post("/v1/chat/completions", { ...hello, ...include, model: "one/free" });
  expect(await answer.json()).toMatchObject({ usage: { cost: null } });
});

test("a stream has it in its last event with usage, which it has without stream_options", async () => {
  const chunk = { ...reply, object: "chat.completion.chunk" };
  const delta = { ...chunk, choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }], usage: undefined };
  const end = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: undefined };
  const events = [delta, end, { ...chunk, choices: [] }].map((each) => JSON.stringify(each)).concat("[DONE]");
  up.on("*", { frames: events.map((event) => `data: ${event}\n\n`) });
  const text = await (await post("/v1/chat/completions", { ...hello, ...include, stream: true })).text();
  expect(dataOf(text).at(-1)).toMatchObject({ choices: [], usage: { ...usage, cost: 0.00016962 } });
  expect(text).toEndWith("data: [DONE]\n\n");
  expect(dataOf(text)).toHaveLength(3);
  expect(up.requests.at(-1)?.json).toMatchObject({ stream_options: { include_usage: true } });
});

test.each([
  ["/v1/responses", { input: "hi" }],
  ["/v1/messages", { messages: hello.messages, max_tokens: 50 }],
  ["/v1/completions", { prompt: "hi" }],
  ["/v1/embeddings", { input: "hi", model: "sandbox/embed" }],
])("%s, whole and as a stream", async (path, body) => {
  const headers = { "anthropic-version": "2023-06-01" };
  const whole = await post(path, { model: "sandbox/chat", ...body, ...include }, headers);
  const { usage: result } = (await whole.json()) as { usage: { cost: number } };
  expect([whole.status, result.cost]).toEqual([200, lastPrice()]);
  if (path === "/v1/embeddings") return;
  const stream = await post(path, { model: "sandbox/chat", ...body, ...include, stream: true }, headers);
  const costs = [...(await stream.text()).matchAll(/"cost":([\d.]+)/g)].map(([, cost]) => Number(cost));
  expect(costs).toEqual([lastPrice()]);
});
