// From a client's body to an ask: every field, tools of every kind, extras with their rules.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { baseAsk, fn, parse, thrown } from "./helpers.ts";

const fields: readonly (readonly [string, JsonObject, Partial<ChatRequest>])[] = [
  ["nothing more", {}, {}],
  [
    "sampling",
    { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, seed: 7, logit_bias: { "1": 2 } },
    {
      sampling: { temperature: 0, topP: 0.5, presencePenalty: 1, frequencyPenalty: -1, seed: 7, logitBias: { "1": 2 } },
    },
  ],
  ["one stop", { stop: "END" }, { stopSequences: ["END"] }],
  ["stops", { stop: ["a", "b"] }, { stopSequences: ["a", "b"] }],
  ["choices", { n: 3 }, { choices: 3 }],
  ["the older bound", { max_tokens: 5 }, { maxOutputTokens: 5 }],
  ["both bounds: the newer wins", { max_tokens: 5, max_completion_tokens: 9 }, { maxOutputTokens: 9 }],
  ["log probabilities", { logprobs: true, top_logprobs: 4 }, { logprobs: 4 }],
  ["log probabilities without alternatives", { logprobs: true }, { logprobs: 0 }],
  ["effort", { reasoning_effort: "xhigh" }, { reasoning: { effort: "xhigh" } }],
  ["verbosity", { verbosity: "low" }, { verbosity: "low" }],
  ["tier", { service_tier: "flex" }, { tier: "flex" }],
  ["tier auto is no wish", { service_tier: "auto" }, {}],
  ["user", { user: "u" }, { endUser: "u" }],
  ["safety_identifier before user", { user: "u", safety_identifier: "s" }, { endUser: "s" }],
  ["stream", { stream: true }, { stream: true }],
  [
    "stream with usage",
    { stream: true, stream_options: { include_usage: true } },
    { stream: true, includeUsage: true },
  ],
  ["text", { response_format: { type: "text" } }, { format: { type: "text" } }],
  ["JSON", { response_format: { type: "json_object" } }, { format: { type: "json" } }],
  [
    "a schema",
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" }, strict: false } } },
    { format: { type: "schema", name: "a", schema: { type: "object" }, strict: false } },
  ],
  ["nulls and nothings", { stop: null, tools: [], tool_choice: null, n: null, logit_bias: {}, stream: null }, {}],
  ["a choice among no tools", { tool_choice: "required", tools: [] }, {}],
];

const choices: readonly (readonly [JsonObject["x"], ChatRequest["toolChoice"]])[] = [
  ["auto", { type: "auto" }],
  ["none", { type: "none" }],
  ["required", { type: "required" }],
  [{ type: "auto" }, { type: "auto" }],
  [
    { type: "function", function: { name: "f" } },
    { type: "tool", name: "f" },
  ],
  [
    { type: "function", name: "f" },
    { type: "tool", name: "f" },
  ],
  [
    { type: "custom", custom: { name: "f" } },
    { type: "tool", name: "f" },
  ],
  [
    { type: "allowed_tools", allowed_tools: { mode: "required", tools: [fn] } },
    { type: "allowed", names: ["f"], required: true },
  ],
];

describe("the fields of a body", () => {
  test.each(fields.map((row) => [...row] as const))("%s", (_name, wire, ask) => {
    const parsed = parse(wire);
    expect(parsed).toStrictEqual({ ...baseAsk, ...ask });
  });

  test.each(choices.map((row) => [...row] as const))("tool choice %j", (wire, choice) => {
    expect(parse({ tools: [fn], tool_choice: wire }).toolChoice).toEqual(choice);
  });

  test.each([
    ["maybe", "tool_choice"],
    [{ type: "maybe" }, "tool_choice.type"],
    [{ type: "function" }, "tool_choice.function.name"],
  ])("no choice, with tools or without: %j", (wire, param) => {
    for (const tools of [[fn], []])
      expect(thrown(() => parse({ tools, tool_choice: wire }))).toMatchObject({ param, status: 400 });
  });

  test("tools of every kind", () => {
    const parameters = { type: "object" };
    const { tools, parallelToolCalls } = parse({
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters, strict: true } },
        {
          type: "custom",
          custom: { name: "c", format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } } },
        },
        { type: "web_search", depth: 3 },
      ],
      parallel_tool_calls: false,
    });
    expect(parallelToolCalls).toBe(false);
    expect(tools).toStrictEqual([
      { kind: "function", name: "f", description: "d", parameters, strict: true },
      {
        kind: "custom",
        name: "c",
        format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
        path: "tools[1]",
      },
      { kind: "hosted", origin: "openai-chat", wire: { type: "web_search", depth: 3 }, path: "tools[2].type" },
    ]);
  });

  test("fields that only this dialect has, each with its rule", () => {
    const wire = {
      store: true,
      metadata: { a: "b" },
      prompt_cache_key: "k",
      prediction: { type: "content", content: "x" },
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
      web_search_options: {},
      service_tier: "scale",
      top_k: 5,
      constructor: "x",
      nothing: null,
      empty: {},
      stream_options: { include_obfuscation: false, tomorrow: 1 },
    };
    expect(parse(wire).unmappedFields).toEqual([
      { path: "store", rule: "ignore" },
      { path: "metadata", rule: "ignore" },
      { path: "prompt_cache_key", rule: "ignore" },
      { path: "prediction", rule: "warn" },
      { path: "modalities", rule: "reject" },
      { path: "audio", rule: "ignore" },
      { path: "web_search_options", rule: "reject" },
      { path: "service_tier", rule: "warn" },
      { path: "top_k", rule: "warn" },
      { path: "constructor", rule: "warn" },
      { path: "stream_options.include_obfuscation", rule: "ignore" },
      { path: "stream_options.tomorrow", rule: "warn" },
    ]);
    expect(parse({ modalities: ["text"] }).unmappedFields).toEqual([{ path: "modalities", rule: "ignore" }]);
  });
});
