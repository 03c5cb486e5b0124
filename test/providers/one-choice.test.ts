// Servers that give one reply whatever `n` says: each choice is asked for alone, and the client gets all of them.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openaiClient } from "../support/clients.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const single = ["ollama", "ollama-cloud", "lmstudio", "deepseek", "zhipu", "zai", "groq"];
const several = ["mistral", "vllm"];

const up = await upstream();
const rows = [...single, ...several].map(
  (kind) => `  ${kind}: { kind: ${kind}, base_url: "${up.url}/v1", credential: "none", models: [] }\n`,
);
const running = await gateway({ yaml: `providers:\n${rows.join("")}` });
const client = openaiClient(running.url, running.key);
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => up.clear());

const body = (kind: string, n: number) => ({
  model: `${kind}/m`,
  n,
  messages: [{ role: "user" as const, content: "Say hello." }],
});
const choiceCounts = () => up.requests.map(({ json }) => (json as { n?: number }).n);

describe.each(single)("%s", (kind) => {
  test("two choices, whole", async () => {
    up.on("*", says("openai-chat/text.json"));
    const { choices, usage } = await client.chat.completions.create(body(kind, 2));
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, "Hello there, traveller."],
      [1, "Hello there, traveller."],
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 24, completion_tokens: 10 });
    expect(choiceCounts()).toEqual([undefined, undefined]);
  });

  test("two choices, streamed", async () => {
    up.on("*", says("openai-chat/text.sse"));
    const { choices } = await client.chat.completions.stream(body(kind, 2)).finalChatCompletion();
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, "Hello there, traveller."],
      [1, "Hello there, traveller."],
    ]);
    expect(choiceCounts()).toEqual([undefined, undefined]);
  });
});

test("one choice goes through as it came", async () => {
  up.on("*", says("openai-chat/text.json"));
  await client.chat.completions.create({ ...body("ollama", 1), top_a: 0.5 } as never);
  expect(up.requests[0]?.json).toMatchObject({ n: 1, top_a: 0.5 });
});

test.each(several)("%s is asked once for two", async (kind) => {
  up.on("*", says("openai-chat/text.json"));
  await client.chat.completions.create(body(kind, 2));
  expect(choiceCounts()).toEqual([2]);
});
