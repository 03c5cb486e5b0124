// Classic translation bugs 38 to 44: limits, sampling, counts.
import { expect } from "bun:test";
import { at, list } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { scenarios } from "../support/scenario.ts";
import { bug, message, sent } from "./support.ts";

const toClaude = { model: "claude-x" };
const claude = says("anthropic-messages/text.json");

scenarios("classic bugs: limits, sampling, counts", [
  bug(38, "OpenAI's own models are bounded by max_completion_tokens", {
    call: { to: "messages", body: { model: "responder/o4-mini", max_tokens: 500 } },
    upstream: { responder: says("openai-responses/text.json") },
    also: (_received, world) => {
      const body = world.upstreams.responder.requests.find(({ path }) => path.endsWith("chat/completions"))?.json;
      expect(body).toMatchObject({ max_completion_tokens: 500 });
      expect(body).not.toHaveProperty("max_tokens");
    },
  }),
  bug(39, "without a bound the model's own maximum counts", {
    call: { body: { model: "claude/claude-sonnet-4-5" } },
    upstream: { claude },
    requested: { claude: [{ body: { max_tokens: 64_000 } }] },
  }),
  ...[false, true].map((stream) =>
    bug(40, `a stop text of white space is watched for (${stream ? "streamed" : "whole"})`, {
      call: { body: { ...toClaude, stop: ["\n\n"], stream } },
      upstream: {
        claude: stream ? spokenStream(["One", "\n", "\nTwo"]) : message([{ type: "text", text: "One\n\nTwo" }]),
      },
      sees: { result: { text: "One", stop: "stop" }, headers: { "x-turnpike-warnings": /emulated;field=stop/ } },
      requested: { claude: [{ lacksFields: ["stop_sequences"] }] },
    }),
  ),
  bug(41, "the stop text that was hit is told", {
    call: { to: "messages", body: { model: "gpt-r", stop_sequences: [", "] } },
    upstream: { responder: says("openai-responses/text.json") },
    sees: { body: { stop_reason: "stop_sequence", stop_sequence: ", " } },
  }),
  bug(42, "several choices are several choices", {
    call: { body: { ...toClaude, n: 3 } },
    upstream: {
      claude: [
        message([{ type: "text", text: "a" }]),
        message([{ type: "text", text: "b" }]),
        message([{ type: "text", text: "c" }]),
      ],
    },
    also: (received, world) => {
      const choices = list(received.json, "choices");
      expect(choices.map((choice) => at(choice, "index"))).toEqual([0, 1, 2]);
      expect(choices.map((choice) => at(choice, "message", "content")).toSorted()).toEqual(["a", "b", "c"]);
      expect(world.upstreams.claude.requests).toHaveLength(3);
      expect(at(received.json, "usage", "prompt_tokens")).toBe(27);
    },
  }),
  bug(43, "log probabilities that nobody can give are refused", {
    call: { body: { ...toClaude, logprobs: true, top_logprobs: 2 } },
    sees: { status: 400, error: { code: "unsupported_parameter", param: "logprobs" } },
    requested: {},
  }),
  bug(43, "log probabilities that somebody can give arrive", {
    call: { body: { model: "gemini-x", logprobs: true, top_logprobs: 2 } },
    upstream: { google: says("gemini/logprobs.json") },
    also: (received, world) => {
      expect(at(sent(world, "google"), "generationConfig")).toMatchObject({ responseLogprobs: true, logprobs: 2 });
      expect(list(received.json, "choices", 0, "logprobs", "content").length).toBeGreaterThan(0);
    },
  }),
  bug(44, "a seed is promised nowhere", {
    call: { body: { ...toClaude, seed: 7 } },
    upstream: { claude },
    sees: { headers: { "x-turnpike-warnings": /dropped;field=seed/ } },
    also: (received) => expect(at(received.json, "system_fingerprint") ?? null).toBeNull(),
  }),
]);

/** A Claude-like stream that speaks these pieces. */
function spokenStream(pieces: string[]) {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const start = {
    id: "msg_bug",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: [],
    stop_reason: null,
  };
  return {
    frames: [
      event("message_start", { message: { ...start, usage: { input_tokens: 9, output_tokens: 1 } } }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...pieces.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } }),
      event("message_stop", {}),
    ],
  };
}
