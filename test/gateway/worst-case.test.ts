// What a request reserves: cache writes of every kind, and media of conversations, at what they may cost.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const far = await upstream();
const yaml = `
providers:
  messages: { kind: anthropic, base_url: "${far.url}", credential: x, models: [claude-a, claude-b, claude-c] }
  google: { kind: gemini, base_url: "${far.url}", credential: x, models: [gemini-2.5-flash-image] }
  chats: { kind: compatible, base_url: "${far.url}/v1", models: [audio-chat] }
prices:
  shipped: false
  cost:
    - { model: claude-a, usd: { input: 1, cache_write: 1.25, cache_write_1h: 2, output: 0 } }
    - { model: claude-b, usd: { input: 1, cache_write: 1.25, output: 0 } }
    - { model: claude-c, usd: { input: 1, output: 0 } }
    - { model: "gemini-*", usd: { input: 1, audio_input: 30, image_input: 20, output: 1, image_output: 100, audio_output: 200 } }
    - { model: audio-chat, usd: { input: 1, audio_input: 30, output: 1, audio_output: 200 } }
keys:
  paying: { secret: tp-paying-secret, budgets: [{ amount: "100", period: month }] }
  free: { secret: tp-free-secret }
`;
const running = await gateway({ yaml });
afterAll(async () => {
  await running.stop();
  await far.stop();
});
beforeEach(() => far.clear());

const json = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
const send = (path: string, body: object, key = "paying") =>
  fetch(running.url + path, {
    method: "POST",
    headers: { ...json, authorization: `Bearer tp-${key}-secret` },
    body: JSON.stringify(body),
  });

async function rowOf(answer: Promise<Response>) {
  const response = await answer;
  expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""]);
  await response.text();
  const [row] = readRequests(running.dataFolder, { limit: 1 });
  return { reserved: row?.reservedNanoDollars ?? -1n, price: row?.priceNanoDollars ?? -1n };
}

const message = {
  json: {
    ...{
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      stop_reason: "end_turn",
      stop_sequence: null,
    },
    ...{ content: [{ type: "text", text: "ok" }], usage: { input_tokens: 10, output_tokens: 1 } },
  },
};
const hour = { type: "ephemeral", ttl: "1h" };
const short = { type: "ephemeral" };
const words = "many words ".repeat(50);
const text = (cache?: object) => ({
  type: "text",
  text: words,
  ...(cache === undefined ? {} : { cache_control: cache }),
});
const messagesWith = (more: object, model = "claude-a", cache?: object) => ({
  ...{ model, max_tokens: 10, messages: [{ role: "user", content: [text(cache)] }] },
  ...more,
});
const tool = (cache: object) => ({
  tools: [{ type: "web_search_20250305", name: "web_search", cache_control: cache }],
});

test("writes to a cache are reserved at their price, wherever the marker is", async () => {
  far.on("*", message);
  const reservedFor = async (body: object) => (await rowOf(send("/v1/messages", body))).reserved;
  const plain = await reservedFor(messagesWith({}));
  expect(plain).toBeGreaterThan(0n);
  expect(await reservedFor(messagesWith({ cache_control: short }))).toBe((plain * 125n) / 100n);
  expect(await reservedFor(messagesWith({}, "claude-a", short))).toBe((plain * 125n) / 100n);
  expect(await reservedFor(messagesWith({ cache_control: hour }))).toBe(plain * 2n);
  expect(await reservedFor(messagesWith({ cache_control: short }, "claude-a", hour))).toBe(plain * 2n);
  // Without a price for writes they count as input.
  expect(await reservedFor(messagesWith({ cache_control: hour }, "claude-c"))).toBe(plain);
});

test("a cache of one hour needs a price of its own where shorter ones have one, for keys with a budget", async () => {
  far.on("*", message);
  for (const body of [messagesWith({ cache_control: hour }, "claude-b"), messagesWith({}, "claude-b", hour)]) {
    const refused = await send("/v1/messages", body);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("'cache_control' has no price"),
    ]);
    expect((await send("/v1/messages", body, "free")).status).toBe(200);
  }
  expect((await send("/v1/messages", messagesWith(tool(hour), "claude-b"))).status).toBe(400);
  expect((await send("/v1/messages", messagesWith({ cache_control: short }, "claude-b"))).status).toBe(200);
});

test("a marker for the whole request is sent on", async () => {
  far.on("*", message);
  await (await send("/v1/messages", messagesWith({ cache_control: hour }), "free")).text();
  expect(far.requests.at(-1)?.json).toMatchObject({ cache_control: hour });
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const kinds = { image: "IMAGE", audio: "AUDIO" } as const;

const geminiReply = (input: Record<string, number>, output: Record<string, number>) => {
  const details = (counts: Record<string, number>) =>
    Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }));
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((left, right) => left + right, 0);
  return {
    json: {
      candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: sum(input), candidatesTokenCount: sum(output) },
        totalTokenCount: sum(input) + sum(output),
        ...{ promptTokensDetails: details(input), candidatesTokensDetails: details(output) },
      },
    },
  };
};

const recording = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([0x24, 0x3e, 0, 0]),
  Buffer.from("WAVEfmt "),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]),
  Buffer.from("data"),
  Buffer.from([0, 0x3e, 0, 0]),
  Buffer.alloc(0x3e00),
]).toString("base64");

test.each([
  ["an image", { inlineData: { mimeType: "image/png", data: png } }, { TEXT: 5, [kinds.image]: 258 }],
  ["a recording", { inlineData: { mimeType: "audio/wav", data: recording } }, { TEXT: 5, [kinds.audio]: 25 }],
  [
    "an address",
    { fileData: { mimeType: "image/png", fileUri: "https://images.example/a.png" } },
    { [kinds.image]: 1_290 },
  ],
] as const)("%s of a conversation is reserved at the price of its kind", async (_name, part, input) => {
  far.on("*", geminiReply(input, { TEXT: 2 }));
  const contents = [{ role: "user", parts: [{ text: "What is it?" }, part] }];
  const body = { contents, generationConfig: { maxOutputTokens: 10 } };
  const { reserved, price } = await rowOf(send("/v1beta/models/gemini-2.5-flash-image:generateContent", body));
  expect(price).toBeGreaterThan(700_000n);
  expect(reserved).toBeGreaterThanOrEqual(price);
});

test("images and speech of a reply are reserved at the price of their kind", async () => {
  far.on("*", geminiReply({ TEXT: 5 }, { IMAGE: 1_290 }));
  const contents = [{ role: "user", parts: [{ text: "Draw a cat." }] }];
  const generationConfig = { maxOutputTokens: 1_300, responseModalities: ["TEXT", "IMAGE"] };
  const google = await rowOf(
    send("/v1beta/models/gemini-2.5-flash-image:generateContent", { contents, generationConfig }),
  );
  expect(google.price).toBeGreaterThanOrEqual(129_000_000n);
  expect(google.reserved).toBeGreaterThanOrEqual(google.price);

  const completion = { prompt_tokens: 5, completion_tokens: 900, total_tokens: 905 };
  const usage = { ...completion, completion_tokens_details: { audio_tokens: 890 } };
  const choices = [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }];
  far.on("*", { json: { id: "c", object: "chat.completion", created: 1, model: "audio-chat", choices, usage } });
  const spoken = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" }, max_tokens: 900 };
  const messages = [{ role: "user", content: "Say hi." }];
  const chat = await rowOf(send("/v1/chat/completions", { model: "audio-chat", messages, ...spoken }));
  expect(chat.price).toBeGreaterThan(178_000_000n);
  expect(chat.reserved).toBeGreaterThanOrEqual(chat.price);
});
