// How replies end and what they are called, where an upstream leaves that out.
import { expect } from "bun:test";
import { at, text } from "../support/chat-stream-reader.ts";
import { wireFrames } from "../support/fixtures.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import type { Reply } from "../support/upstream.ts";

const unfinished: Scenario[] = (["chat", "completions"] as const).map((to) => ({
  name: `a stream of ${to} that ends after its finish reason gets its end`,
  call: { to, body: { stream: true } },
  upstream: {
    alpha: { frames: wireFrames(`openai-${to}/text.sse`).filter((frame) => !frame.includes("[DONE]")) },
  },
  also: (received) => expect(received.text).toEndWith("data: [DONE]\n\n"),
}));

const cut: Scenario = {
  name: "a stream that ends before its finish reason gets an error and no end",
  call: { body: { stream: true } },
  upstream: { alpha: { frames: wireFrames("openai-chat/text.sse").slice(0, 2) } },
  sees: { error: { type: "upstream_error" }, lacks: ["[DONE]"] },
};

const choices = [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const counting: Reply = {
  frames: [`data: ${JSON.stringify({ id: "c", model: "m", choices, usage })}\n\n`, "data: [DONE]\n\n"],
};
const counted: Scenario[] = [false, true].map((include_usage) => ({
  name: `usage on a chunk with choices is shown to those who asked for it: ${include_usage}`,
  call: { body: { stream: true, ...(include_usage ? { stream_options: { include_usage } } : {}) } },
  upstream: { alpha: counting },
  ledger: { inputTokens: 3, outputTokens: 1 },
  also: (received) => expect(received.text.includes("prompt_tokens")).toBe(include_usage),
}));

const parts = { content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 };
const nameless: Scenario[] = [false, true].map((stream) => ({
  name: `a reply that names no model has the name of the one that was asked (stream ${stream})`,
  call: { body: { model: "google/gemini-y", stream } },
  upstream: {
    google: stream
      ? { frames: [`data: ${JSON.stringify({ candidates: [parts] })}\n\n`] }
      : { json: { candidates: [parts] } },
  },
  also: (received) => {
    const reply = stream ? received.frames[0]?.data : received.json;
    expect([text(reply, "model"), at(reply, "id") === ""]).toEqual(["gemini-y", false]);
  },
}));

scenarios("endings and names", [...unfinished, cut, ...counted, ...nameless]);
