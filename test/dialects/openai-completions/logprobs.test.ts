// Log probabilities: the lists of this format, and what becomes of those of a chat reply.
import { describe, expect, test } from "bun:test";
import type { TokenLogprob } from "../../../src/canonical/chat.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiChat, openaiCompletions } from "../../../src/dialects/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { lawReadContext, readAll } from "../../support/laws.ts";
import { choicesOf, parseFixture, readFixture, writing, written } from "./helpers.ts";

const { response } = openaiCompletions;

describe("log probabilities", () => {
  const lists = {
    tokens: [" a", " 😀"],
    token_logprobs: [-0.25, -1.5],
    top_logprobs: [
      { " a": -0.25, " the": -2 },
      { " 😀": -1.5, ".": -1.75 },
    ],
    text_offset: [0, 2],
  };

  test("come back as they were, whole and streamed", () => {
    const whole = parseFixture("logprobs.json");
    expect(response.render(whole, writing({ logprobs: 2 })).choices).toMatchObject([
      { text: " a 😀", logprobs: lists },
    ]);
    const result = written(readFixture("logprobs.sse"), { logprobs: 2 }).flatMap((each) =>
      choicesOf([each]).flatMap(({ logprobs }) => logprobs ?? []),
    );
    expect(result.flatMap(({ tokens }) => tokens)).toEqual(lists.tokens);
    expect(result.flatMap(({ text_offset }) => text_offset)).toEqual(lists.text_offset);
  });

  test("of a chat reply are told in this format", () => {
    const tokens: TokenLogprob[] = [
      { token: "Hel", logprob: -0.1, top: [{ token: "Hel", logprob: -0.1 }] },
      { token: "lo", logprob: -0.2, top: [] },
    ];
    const content = tokens.map(({ token, logprob, top }) => ({
      token,
      logprob,
      bytes: null,
      top_logprobs: top.map((each) => ({ ...each, bytes: null })),
    }));
    const chunk = (delta: JsonObject, more: JsonObject) => ({
      data: JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, ...more }] }),
    });
    const frames = [
      chunk({ role: "assistant", content: "" }, { logprobs: null }),
      chunk({ content: "Hel" }, { logprobs: { content: content.slice(0, 1), refusal: null } }),
      chunk({ content: "lo" }, { logprobs: { content: content.slice(1), refusal: null } }),
      chunk({}, { finish_reason: "stop", logprobs: null }),
      { data: "[DONE]" },
    ];
    const streamed = collectEvents(readAll(openaiChat, frames));
    const message = { role: "assistant", content: "Hello" };
    const whole = openaiChat.response.parse(
      { id: "c", model: "m", choices: [{ index: 0, message, logprobs: { content }, finish_reason: "stop" }] },
      lawReadContext,
    );
    expect(streamed).toEqual(whole);
    expect(whole.choices[0]?.blocks).toEqual([{ type: "text", text: "Hello", logprobs: tokens }]);
    expect(response.render(whole, writing({ logprobs: 1 })).choices).toMatchObject([
      {
        logprobs: {
          tokens: ["Hel", "lo"],
          token_logprobs: [-0.1, -0.2],
          top_logprobs: [{ Hel: -0.1 }, {}],
          text_offset: [0, 3],
        },
      },
    ]);
  });

  test("of a token that is half a character are not lost", () => {
    const half = { token: "\\xf0", logprob: -1, bytes: [240], top_logprobs: [] };
    const chunk = { choices: [{ index: 0, delta: { content: "" }, logprobs: { content: [half] } }] };
    const events = readAll(openaiChat, [{ data: JSON.stringify(chunk) }, { data: "[DONE]" }]);
    expect(firstStreamViolation(events)).toBeNull();
    expect(events).toContainEqual(expect.objectContaining({ type: "text", text: "", logprobs: expect.any(Array) }));
  });
});
