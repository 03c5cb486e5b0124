// Thinking between tags at the beginning of a text: told apart whole and streamed, wherever the chunks are cut.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openaiChat } from "../../src/dialects/index.ts";
import type { Json, JsonObject } from "../../src/lib/json.ts";
import { inlineThinking } from "../../src/providers/think-tag-parser.ts";
import { upstream } from "../support/upstream.ts";
import { ask, framesIn, providerAt, read } from "./helpers.ts";

const up = await upstream();
afterAll(() => up.stop());
afterEach(() => up.clear());

const wholeOf = (content: Json, more: JsonObject = {}, message: JsonObject = {}): JsonObject => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content, ...message }, finish_reason: "stop", ...more }],
});
const choiceOf = (body: JsonObject) => (body as { choices: { message: JsonObject; logprobs?: Json }[] }).choices[0];
const wholly = (content: string): string[] => {
  const message = choiceOf(inlineThinking.patch(wholeOf(content)))?.message;
  return [String(message?.reasoning_content ?? ""), String(message?.content ?? "")];
};

const chunk = (index: number, delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "c",
  model: "m",
  choices: [{ index, delta, finish_reason: null, ...more }],
});

/** What is left of these bodies of one stream, each looked at only where it needs to be. */
function patched(bodies: readonly JsonObject[]): JsonObject[] {
  const patch = inlineThinking.stream?.();
  return bodies.map((body) => (patch?.needs(JSON.stringify(body)) ? patch.patch(body) : body));
}

/** Thinking and text of one choice of a stream. */
function resultOf(bodies: readonly JsonObject[], index = 0): string[] {
  const deltas = bodies.flatMap((body) =>
    (body as { choices: { index: number; delta: JsonObject }[] }).choices.filter((choice) => choice.index === index),
  );
  const joined = (name: string) => deltas.map(({ delta }) => String(delta[name] ?? "")).join("");
  return [joined("reasoning_content"), joined("content")];
}

const streamed = (pieces: readonly string[]): string[] =>
  resultOf(patched([...pieces.map((content) => chunk(0, { content })), chunk(0, {}, { finish_reason: "stop" })]));

const rows: [name: string, content: string, thinking: string, text: string][] = [
  ["thinking before the answer", "<think>\nOne.\n\nTwo.\n</think>\n\nAnswer.", "One.\n\nTwo.", "Answer."],
  ["white space before the tag", "\n <think>One.</think>Answer.", "One.", "Answer."],
  ["no thinking in it", "<think>\n\n</think>\n\nAnswer.", "", "Answer."],
  ["a thought that was cut", "<think>One. </thi", "One. </thi", ""],
  ["nothing but a thought", "<think>One.</think>\n", "One.", ""],
  ["no tag", "\nAnswer < 3.", "", "\nAnswer < 3."],
  ["a tag further on", "The tag <think>x</think> is text.", "", "The tag <think>x</think> is text."],
  ["a second thought", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
  ["something like a tag", "<thinker>no</thinker>", "", "<thinker>no</thinker>"],
  ["a beginning of a tag", " <thi", "", " <thi"],
  ["a closing tag alone", "Hm.</think>Answer.", "", "Hm.</think>Answer."],
  ["angles within", "<think>a </thin b < c</think>d", "a </thin b < c", "d"],
  ["nothing", "", "", ""],
];

describe("a text with", () => {
  test.each(rows)("%s, whole", (_, content, thinking, text) => expect(wholly(content)).toEqual([thinking, text]));

  test.each(rows)("%s, cut anywhere", (_, content, thinking, text) => {
    for (let at = 0; at <= content.length; at++) {
      expect(streamed([content.slice(0, at), content.slice(at)])).toEqual([thinking, text]);
    }
    expect(streamed([...content])).toEqual([thinking, text]);
  });

  test("anything, streamed as whole", () => {
    const words = fc.constantFrom("<think>", "</think>", "<", "</", "think", ">", "a", " ", "\n");
    fc.assert(
      fc.property(fc.array(words), (pieces) => expect(streamed(pieces)).toEqual(wholly(pieces.join("")))),
      { numRuns: 2000 },
    );
  });
});

describe("what stands beside the text", () => {
  test("thinking that the server told by itself stays, and so does a text without tags, untouched", () => {
    const withReasoning = wholeOf("Answer.", {}, { reasoning_content: "Known." });
    expect(inlineThinking.patch(withReasoning)).toBe(withReasoning);
    const both = wholeOf("<think>One. </think>Answer.", {}, { reasoning_content: "Known." });
    expect(choiceOf(inlineThinking.patch(both))?.message).toMatchObject({ reasoning_content: "One.Known." });
  });

  test("beside calls there is no empty text", () => {
    const calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const body = inlineThinking.patch(wholeOf("<think>One.</think>\n\n", {}, { tool_calls: calls }));
    expect(choiceOf(body)?.message).toMatchObject({ content: null, reasoning_content: "One.", tool_calls: calls });
  });

  test("log probabilities are those of the text alone", () => {
    const tokens = ["<think>", "One", "</think>", "Ans", "wer"].map((token) => ({ token, logprob: -1 }));
    const body = inlineThinking.patch(wholeOf("<think>One</think>Answer", { logprobs: { content: tokens } }));
    expect(choiceOf(body)?.logprobs).toEqual({ content: tokens.slice(3) });
    const silent = inlineThinking.patch(wholeOf("<think>One</think>", { logprobs: { content: tokens.slice(0, 3) } }));
    expect(choiceOf(silent)?.logprobs).toBeNull();
    const [thought] = patched([chunk(0, { content: "<think>One" }, { logprobs: { content: tokens.slice(0, 2) } })]);
    expect(thought).toMatchObject({ choices: [{ logprobs: null }] });
  });

  test.each<[string, JsonObject]>([
    ["no choices", { error: { message: "x" } }],
    ["choices that are none", { choices: [null, 1, {}, { message: null }, { message: { content: ["<think>"] } }] }],
  ])("%s: untouched", (_, body) => {
    expect(inlineThinking.patch(body)).toBe(body);
    expect(inlineThinking.stream?.().patch(body)).toBe(body);
  });
});

describe("a stream", () => {
  test("each choice has a beginning of its own, also one that begins late", () => {
    const bodies = patched([
      chunk(0, { role: "assistant", content: "" }),
      chunk(0, { content: "Answer." }),
      chunk(1, { content: "<think>One." }),
      chunk(1, { content: "</think>Two." }),
      chunk(0, { content: "<think>no" }),
      chunk(1, {}, { finish_reason: "stop" }),
    ]);
    expect(resultOf(bodies, 0)).toEqual(["", "Answer.<think>no"]);
    expect(resultOf(bodies, 1)).toEqual(["One.", "Two."]);
  });

  test("goes by unread once its text has begun", () => {
    const patch = inlineThinking.stream?.();
    expect(patch?.needs("anything")).toBe(true);
    patch?.patch(chunk(0, { content: "<think>a</think>\n" }));
    expect(patch?.needs(JSON.stringify(chunk(0, { content: "b" })))).toBe(true);
    patch?.patch(chunk(0, { content: "b" }));
    expect(patch?.needs(JSON.stringify(chunk(0, { content: "c" })))).toBe(false);
    expect(patch?.needs(JSON.stringify(chunk(1, { content: "c" })))).toBe(true);
  });

  const kinds = ["together", "groq", "lmstudio", "vllm", "llamacpp"];
  test.each(kinds)("%s is known to leave it there, over the wire and at every cut of the bytes", async (name) => {
    const bodies = [..."<think>\nOne ✓.\n</think>\n\nAnswer."].map((content) => chunk(0, { content }));
    const wire = [...bodies, chunk(0, {}, { finish_reason: "stop" })].map(
      (body) => `data: ${JSON.stringify(body)}\n\n`,
    );
    up.on("*", { frames: [...wire, "data: [DONE]\n\n"] });
    const provider = providerAt(name, up.url);
    const { answer } = read(await framesIn(await ask(provider, true)), provider.kind.origin);
    const blocks = [
      { type: "thinking" as const, text: "One ✓." },
      { type: "text" as const, text: "Answer." },
    ];
    expect(answer?.choices[0]?.blocks).toEqual(blocks);
    up.on("*", { json: wholeOf("<think>\nOne ✓.\n</think>\n\nAnswer.") });
    const whole = openaiChat.response.parse(await (await ask(provider, false)).json(), {
      origin: provider.kind.origin,
    });
    expect(whole.choices[0]?.blocks).toEqual(blocks);
  });
});
