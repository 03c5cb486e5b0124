// Requests: the ask of a body, what each field becomes for other dialects, and the body of an ask.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { anthropicMessages, openaiChat, openaiCompletions } from "../../../src/dialects/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { renderContextOf } from "../../support/laws.ts";
import { context, parse, thrown } from "./helpers.ts";

const { request } = openaiCompletions;
const chatBody = (wire: JsonObject, model = "model-x"): JsonObject =>
  openaiChat.request.render(parse(wire), renderContextOf(openaiChat as never, { model })).call.body;
const rules = (wire: JsonObject) => parse(wire).unmappedFields.map(({ path, rule }) => `${rule} ${path}`);

const everything: JsonObject = {
  max_tokens: 5,
  temperature: 0.5,
  top_p: 0.25,
  presence_penalty: 1,
  frequency_penalty: -1,
  seed: 3,
  logit_bias: { "1": 2 },
  stop: ["a"],
  n: 2,
  best_of: 3,
  echo: true,
  suffix: "end",
  logprobs: 0,
  user: "u",
};

describe("the ask", () => {
  test("a prompt is one user turn, and this format's own bound holds", () => {
    expect(parse()).toEqual({
      operation: "chat",
      model: "m",
      stream: false,
      system: [],
      messages: [{ role: "user", blocks: [{ type: "text", text: "Say hi" }] }],
      tools: [],
      maxOutputTokens: 16,
      reasoning: { effort: "none", hint: true },
      sampling: {},
      stopSequences: [],
      choices: 1,
      completion: {},
      unmappedFields: [],
    });
  });

  test("every field", () => {
    const canonicalRequest = parse({ ...everything, stream: true, stream_options: { include_usage: true } });
    expect(canonicalRequest).toMatchObject({
      maxOutputTokens: 5,
      sampling: {
        temperature: 0.5,
        topP: 0.25,
        presencePenalty: 1,
        frequencyPenalty: -1,
        seed: 3,
        logitBias: { "1": 2 },
      },
      stopSequences: ["a"],
      choices: 2,
      logprobs: 0,
      endUser: "u",
      stream: true,
      includeUsage: true,
      completion: { echo: true, suffix: "end", bestOf: 3 },
    });
    expect(canonicalRequest.reasoning).toBeUndefined();
  });

  test("what says nothing is absent", () => {
    const empty = {
      max_tokens: null,
      stop: [],
      n: null,
      best_of: null,
      echo: null,
      suffix: "",
      logprobs: null,
      logit_bias: {},
      user: null,
    };
    expect(parse(empty)).toEqual(parse());
  });

  test("a list of one prompt is that prompt", () => {
    expect(parse({ prompt: ["Say hi"] })).toEqual(parse());
  });

  const rows: [string, Json][] = [
    ["tokens", [1, 2]],
    ["lists of tokens", [[1], [2]]],
    ["several texts", ["a", "b"]],
    ["an empty text", ""],
    ["null", null],
  ];

  test.each(rows)("%s go on to an upstream of this dialect and are refused elsewhere, by name", (_, prompt) => {
    const canonicalRequest = parse({ prompt });
    expect(request.render(canonicalRequest, context()).call.body.prompt).toEqual(prompt);
    for (const dialect of [openaiChat, anthropicMessages]) {
      const refused = thrown(() => dialect.request.render(canonicalRequest, renderContextOf(dialect as never)));
      expect(refused).toMatchObject({ kind: "unsupported_parameter", param: "prompt" });
    }
  });

  const wrong: [Json, string][] = [
    [[], "prompt"],
    [["a", 1], "prompt"],
    [[1, "a"], "prompt"],
    [[[1], "a"], "prompt"],
    [[[1], []], "prompt[1]"],
    [Array.from({ length: 2049 }, () => "a"), "prompt"],
  ];

  test.each(wrong)("a prompt %# that makes no sense is a bad value", (prompt, param) => {
    expect(thrown(() => parse({ prompt }))).toMatchObject({ kind: "invalid_value", param });
  });
});

describe("what other dialects are told (section 6)", () => {
  const table: [string, JsonObject, string[]][] = [
    ["echo is emulated", { echo: true }, ["ignore echo"]],
    ["echo of unknown likelihood", { echo: true, logprobs: 1 }, ["reject echo"]],
    ["no output at all", { max_tokens: 0 }, ["reject max_tokens"]],
    ["a suffix", { suffix: "end" }, ["reject suffix"]],
    ["best of one", { best_of: 1 }, ["ignore best_of"]],
    ["best of as many as are given", { best_of: 2, n: 2 }, ["ignore best_of"]],
    ["best of more", { best_of: 2 }, ["reject best_of"]],
    ["unknown", { tomorrow: 1, min_p: 0.5 }, ["warn tomorrow", "warn min_p"]],
    [
      "obfuscation",
      { stream: true, stream_options: { include_obfuscation: false } },
      ["ignore stream_options.include_obfuscation"],
    ],
  ];

  test.each(table)("%s", (_, wire, expected) => {
    expect(rules(wire)).toEqual(expected);
  });

  test("chat gets one message and the bound", () => {
    expect(chatBody({ temperature: 0, n: 2, stop: "\n", user: "u", max_tokens: 9 })).toEqual({
      model: "model-x",
      messages: [{ role: "user", content: "Say hi" }],
      max_completion_tokens: 9,
      temperature: 0,
      stop: ["\n"],
      n: 2,
      user: "u",
    });
  });

  test("log probabilities are asked of chat in its own words, and refused by who has none", () => {
    expect(chatBody({ logprobs: 2 })).toMatchObject({ logprobs: true, top_logprobs: 2 });
    const refused = thrown(() => anthropicMessages.request.render(parse({ logprobs: 2 }), context()));
    expect(refused).toMatchObject({ kind: "unsupported_parameter", param: "logprobs" });
  });

  const least: [string, string | undefined][] = [
    ["gpt-4o", undefined],
    ["llama-3.1-8b", undefined],
    ["o3-mini", "low"],
    ["gpt-5-nano", "minimal"],
    ["gpt-5.2", "none"],
    ["openai/gpt-5.2-mini", "none"],
    ["gpt-6", "low"],
    ["openai/gpt-oss-20b", "low"],
  ];

  test.each(least)("with the default bound %s thinks as little as it can: %p", (model, effort) => {
    expect(chatBody({}, model).reasoning_effort).toBe(effort as string);
    expect(chatBody({ max_tokens: 16 }, model).reasoning_effort).toBeUndefined();
  });

  test("with the default bound no model of Messages warns about thinking that nobody asked for", () => {
    for (const model of ["claude-sonnet-4-5", "claude-opus-4-8", "claude-fable-5", "claude-3-haiku"]) {
      const { call, warnings } = anthropicMessages.request.render(parse(), context({ model }));
      expect({ model, warnings }).toEqual({ model, warnings: [] });
      expect(call.body.max_tokens).toBe(16);
    }
  });
});

describe("the body", () => {
  test("of a client's ask is the client's body", () => {
    const wire: JsonObject = { model: "model-x", prompt: "p", ...everything };
    expect(request.render(parse(wire), context())).toEqual({ call: { path: "completions", body: wire }, warnings: [] });
  });

  test("leaves the bound to the upstream where the client did", () => {
    expect(request.render(parse(), context()).call.body).toEqual({ model: "model-x", prompt: "Say hi" });
  });

  test("asks for usage in a stream, unless the server refuses that", () => {
    const canonicalRequest = parse({ stream: true });
    expect(request.render(canonicalRequest, context()).call.body.stream_options).toEqual({ include_usage: true });
    const body = request.render(canonicalRequest, context({ options: { noStreamOptions: true } })).call.body;
    expect(body).toMatchObject({ stream: true });
    expect(body.stream_options).toBeUndefined();
  });

  test("cannot be made of a conversation", () => {
    const conversation: ChatRequest = openaiChat.request.parse(
      { model: "m", messages: [{ role: "user", content: "hi" }] },
      { header: () => null, params: {} },
    );
    const asChat = context({ fieldPath: (field) => openaiChat.request.fieldPath(field) });
    expect(thrown(() => request.render(conversation, asChat))).toMatchObject({
      kind: "unsupported_parameter",
      param: "messages",
    });
  });
});

describe("split", () => {
  const split = (prompt: Json): Json[] => (request.split?.({ model: "m", prompt, n: 2 }) ?? []) as Json[];

  test("a list becomes one request for each prompt", () => {
    expect(split(["a", "b"])).toEqual([
      { model: "m", prompt: "a", n: 2 },
      { model: "m", prompt: "b", n: 2 },
    ]);
    expect(split([[1, 2], [3]])).toMatchObject([{ prompt: [1, 2] }, { prompt: [3] }]);
  });

  test("one prompt stays the wire that it is", () => {
    for (const prompt of ["a", ["a"], [1, 2], [[1, 2]], null]) {
      const wire = { model: "m", prompt } as JsonObject;
      const [only, ...others] = request.split?.(wire) ?? [];
      expect(only).toBe(wire);
      expect(others).toEqual([]);
    }
  });
});
