// A stream that its budget does not pay for any longer ends in the words of each format, and the official clients take it for a whole reply.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { anthropicClient, geminiClient, openaiClient } from "../support/clients.ts";
import { wireFrames } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { type Body, callers } from "./callers.ts";

/** A recorded stream of each format, and the piece of it that is repeated for as long as someone listens. */
const recordings = {
  "chats, text": ["openai-chat/text.sse", " there", "chats"],
  "chats, reasoning": ["openai-chat/reasoning.sse", " clock.", "chats"],
  "messages, text": ["anthropic-messages/text.sse", " there", "claude"],
  "messages, thinking": ["anthropic-messages/thinking.sse", "Need two", "claude"],
  "gemini, text": ["gemini/text.sse", ", wor", "gemini"],
  "gemini, thinking": ["gemini/thinking.sse", "Two and two", "gemini"],
  "responses, text": ["openai-responses/text.sse", " there", "gpt-5"],
} as const;
type Recording = (typeof recordings)[keyof typeof recordings];

const bodies = (model: string): Record<"chat" | "messages" | "responses" | "gemini", Body> => ({
  chat: { model, messages: [{ role: "user", content: "hi" }], max_tokens: 2_000 },
  messages: { model, messages: [{ role: "user", content: "hi" }], max_tokens: 2_000 },
  responses: { model, input: "hi", max_output_tokens: 2_000 },
  gemini: {
    ...{ model, contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    generationConfig: { maxOutputTokens: 2_000 },
  },
});
const ends = {
  chat: "length",
  messages: "max_tokens",
  responses: "incomplete max_output_tokens",
  gemini: "MAX_TOKENS",
};

/** Other clients of this model are answered over another format. */
const clientsOf = ([path]: Recording): (keyof typeof ends)[] =>
  path.startsWith("openai-responses/") ? ["responses"] : ["chat", "messages", "responses", "gemini"];

const cases = Object.entries(recordings).flatMap(([name, recording]) =>
  clientsOf(recording).map(
    (client, index) =>
      [`${client} client, ${name}`, client, recording, `${name.replace(/\W+/g, "-")}-${index}`] as const,
  ),
);
/** From the start on in one piece that the budget does not pay for. */
const inOnePiece = cases.map(
  ([name, client, recording, key]) => [`${name}, at once`, client, recording, `once-${key}`] as const,
);

const far = await upstream();
const running = await gateway({
  yaml: `
providers:
  chats: { kind: compatible, base_url: "${far.url}/v1", models: [chats] }
  claude: { kind: anthropic, base_url: "${far.url}", credential: x, models: [claude] }
  gemini: { kind: gemini, base_url: "${far.url}", credential: x, models: [gemini] }
  openai: { kind: openai, base_url: "${far.url}/v1", credential: x, models: [gpt-5] }
prices:
  shipped: false
  cost: [{ model: "*", usd: { input: 0, output: 15 } }]
keys:
${[...cases, ...inOnePiece].map(([, , , key]) => `  ${key}: { secret: tp-${key}-secret, budgets: [{ amount: "0.1", period: month }] }`).join("\n")}
`,
});
afterAll(async () => {
  await running.stop();
  await far.stop();
});
beforeEach(() => far.clear());

const dollars = 1_000_000_000n;
const words = "wörd ".repeat(200);

/** The recording with its piece five hundred times as long. */
function endless([path, piece]: Recording): string[] {
  const frames = wireFrames(path);
  const at = frames.findIndex((frame) => frame.includes(`"${piece}`) || frame.includes(`${piece}"`));
  const repeated = frames[at];
  if (repeated === undefined) throw new Error(`${path} does not have the piece ${piece}`);
  return frames.toSpliced(at, 1, ...Array.from({ length: 500 }, () => repeated.replace(piece, words)));
}

test.each([...cases, ...inOnePiece])("%s", async (name, client, recording, key) => {
  const frames = endless(recording);
  const isWhole = name.endsWith("at once");
  far.on(
    "*",
    isWhole ? { frames: [frames.slice(0, 100).join(""), ...frames.slice(100)], gapMs: 20 } : { frames, gapMs: 10 },
  );
  const { url } = running;
  const secret = `tp-${key}-secret`;
  const sdks = {
    ...{
      openai: openaiClient(url, secret),
      anthropic: anthropicClient(url, secret),
      google: geminiClient(url, secret),
    },
  };
  const reply = await callers[client](sdks as never, bodies(recording[2])[client], true);
  expect({ stop: reply.stop, isLong: reply.text.length + reply.thinking.length > (isWhole ? 0 : 5_000) }).toEqual({
    stop: ends[client],
    isLong: true,
  });
  const [row] = await until("the stream is settled", () => {
    const rows = readRequests(running.dataFolder, { limit: 5, keyId: `file:${key}` });
    return rows.every(({ state }) => state !== "open") && rows;
  });
  expect(row?.state).toBe("completed");
  expect(row?.priceNanoDollars ?? 0n).toBeLessThanOrEqual(dollars / 10n);
  expect(row?.priceNanoDollars ?? 0n).toBeGreaterThan(dollars / (isWhole ? 50n : 20n));
});
