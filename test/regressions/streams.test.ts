// Classic translation bugs 45 to 55: usage and streams.
import { expect } from "bun:test";
import { at, list } from "../support/chat-stream-reader.ts";
import { says, saysOnly, wireFrames } from "../support/fixtures.ts";
import type { Scenario } from "../support/scenario.ts";
import { scenarios } from "../support/scenario.ts";
import { bug, sent } from "./support.ts";

const toClaude = { model: "claude-x" };
const toChat = { model: "gpt-x" };
const withUsage = { stream: true, stream_options: { include_usage: true } };
const claudeStream = says("anthropic-messages/text.sse");
const receivedFirst = Promise.withResolvers<void>();
const receivedOther = Promise.withResolvers<void>();

/** An error of the upstream when the client has received its first words. */
function failing(folder: string, gate: Promise<void>) {
  const frames = wireFrames(`${folder}/error-midstream.sse`);
  return { frames, gate, gateAfter: frames.length - 1 };
}

const withEmptyChunk = (): string[] => {
  const frames = wireFrames("openai-chat/text.sse");
  const empty = `data: {"id":"chatcmpl-text","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":[]}\n\n`;
  return [...frames.slice(0, 3), empty, ...frames.slice(3)];
};

const annotated: Scenario["also"] = (received) => {
  const whole = list(received.json, "choices", 0, "message", "annotations");
  const streamed = received.frames.flatMap(({ data }) => list(data, "choices", 0, "delta", "annotations"));
  const urls = [...whole, ...streamed].map((each) => at(each, "url_citation", "url"));
  expect(urls.length).toBeGreaterThan(1);
  for (const url of urls) expect(url).toMatch(/^https:\/\/vertexaisearch/);
};

scenarios("classic bugs: usage and streams", [
  bug(45, "cached tokens are a part of the prompt for chat clients", {
    call: { body: toClaude },
    upstream: { claude: says("anthropic-messages/thinking.json") },
    sees: {
      result: {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 30,
          total_tokens: 130,
          prompt_tokens_details: { cached_tokens: 60 },
        },
      },
    },
    ledger: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 30 },
  }),
  bug(45, "and beside it for messages clients", {
    call: { to: "messages", body: toChat },
    upstream: { alpha: says("openai-chat/tools.json") },
    sees: { result: { usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 30 } } },
  }),
  bug(46, "a message starts with an estimate, not with nothing", {
    call: { to: "messages", body: { ...toChat, stream: true } },
    upstream: { alpha: says("openai-chat/text.sse") },
    also: (received) => {
      expect(Number(at(received.frames[0]?.data, "message", "usage", "input_tokens"))).toBeGreaterThan(0);
      expect(received.frames.findLast(({ event }) => event === "message_delta")?.data).toMatchObject({
        usage: { input_tokens: 12, output_tokens: 5 },
      });
    },
  }),
  bug(47, "usage that is told twice is not added up", {
    call: { body: { ...toClaude, ...withUsage } },
    upstream: { claude: claudeStream },
    sees: { result: { usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } } },
  }),
  bug(48, "usage is told to who asked, in a chunk with empty choices", {
    call: { body: { ...toClaude, ...withUsage } },
    upstream: { claude: claudeStream },
    also: (received) => {
      const result = received.frames.filter(({ data }) => at(data, "usage"));
      expect(result).toHaveLength(1);
      expect(at(result[0]?.data, "choices")).toEqual([]);
    },
  }),
  bug(48, "and to nobody else", {
    call: { body: { ...toClaude, stream: true } },
    upstream: { claude: claudeStream },
    also: (received) => expect(received.text).not.toContain("prompt_tokens"),
  }),
  ...(["chat", "messages"] as const).map((to) =>
    bug(49, `a chunk without choices in the middle is no end (${to})`, {
      call: { to, body: { ...toChat, stream: true } },
      upstream: { alpha: { frames: withEmptyChunk() } },
      sees: { result: { text: "Hello there, traveller.", isEnded: true } },
    }),
  ),
  bug(50, "a failed stream of responses ends as failed, and has no event named error", {
    call: { to: "responses", body: { ...toClaude, stream: true }, onFirst: () => receivedFirst.resolve() },
    upstream: { claude: failing("anthropic-messages", receivedFirst.promise) },
    also: (received) => {
      expect(received.frames.at(-1)).toMatchObject({
        event: "response.failed",
        data: { response: { status: "failed" } },
      });
      expect(received.frames.map(({ event }) => event)).not.toContain("error");
    },
  }),
  bug(51, "an error event of the upstream is told", {
    call: { body: { ...toClaude, stream: true }, onFirst: () => receivedOther.resolve() },
    upstream: { claude: failing("anthropic-messages", receivedOther.promise) },
    sees: { result: { isEnded: false }, error: { type: expect.stringMatching(/_error$/) as unknown as string } },
    ledger: { state: "failed" },
  }),
  ...(["chat", "messages", "responses"] as const).map((to) =>
    bug(52, `who does not ask for a stream gets none, whatever its headers say (${to})`, {
      call: { to, body: toClaude, headers: { accept: "text/event-stream, */*" } },
      upstream: { claude: says("anthropic-messages/text.json") },
      sees: { headers: { "content-type": /^application\/json/ } },
      requested: { claude: [{ lacksFields: ["stream"] }] },
    }),
  ),
  bug(53, "who leaves takes the upstream along", {
    call: { body: { ...toClaude, stream: true }, leaves: "after first bytes" },
    upstream: { claude: saysOnly(4, "anthropic-messages/text.sse", { ending: "hang" }) },
    abortedWithinMs: 100,
    ledger: { state: "cancelled" },
  }),
  ...[false, true].map((stream) =>
    bug(54, `citations arrive (${stream ? "streamed" : "whole"})`, {
      call: { body: { model: "gemini-x", stream } },
      upstream: { google: says(`gemini/grounding.${stream ? "sse" : "json"}`) },
      also: annotated,
    }),
  ),
  bug(55, "what is counted is what the client sent", {
    call: { to: "count", body: { system: "Be brief.", messages: [{ role: "user", content: "Hi." }] } },
    upstream: { claude: { json: { input_tokens: 14 } } },
    also: (_received, world) =>
      expect(sent(world, "claude")).toEqual({
        model: "claude-x",
        system: "Be brief.",
        messages: [{ role: "user", content: "Hi." }],
      }),
  }),
]);
