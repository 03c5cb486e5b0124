// Canonical requests as calls: what is said, what is left out with a warning, what is refused.
import { expect, test } from "bun:test";
import type { ChatRequest, Tool } from "../../../src/canonical/chat.ts";
import type { RenderContext } from "../../../src/dialects/dialect.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { askOf, dialect, messageOf, refusal, rendered } from "./bench.ts";

test("the smallest call", () => {
  const { call, warnings } = rendered();
  expect(call).toEqual({
    path: "v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: { model: "claude-x", max_tokens: 100, messages: [{ role: "user", content: "hi" }] },
  });
  expect(warnings).toEqual([]);
});

type Row = [Partial<ChatRequest>, JsonObject, string[], Partial<RenderContext>?];
const without: RenderContext["maxOutputTokens"] = undefined;

const rows: Row[] = [
  [{ stream: true }, { stream: true }, []],
  [{ sampling: { temperature: 0.7 } }, { temperature: 0.7 }, []],
  [{ sampling: { temperature: 1.5 } }, { temperature: 1 }, ["approximated client.temperature"]],
  [{ sampling: { temperature: 0.2, topP: 0.5 } }, { temperature: 0.2 }, ["dropped client.topP"]],
  [{ sampling: { temperature: 0.2, topP: 1 } }, { temperature: 0.2 }, []],
  [
    { sampling: { temperature: 0.2, topP: 0.5 } },
    { temperature: 0.2, top_p: 0.5 },
    [],
    { model: "claude-opus-4-20250514" },
  ],
  [{ sampling: { topP: 0.5, topK: 5 } }, { top_p: 0.5, top_k: 5 }, []],
  [
    { sampling: { temperature: 0.2, topK: 5 } },
    {},
    ["dropped client.temperature", "dropped client.topK"],
    { model: "claude-opus-4-7" },
  ],
  [{ sampling: { temperature: 1, topP: 1 } }, {}, [], { model: "claude-opus-5" }],
  [{ sampling: { seed: 7 } }, {}, ["dropped client.seed"]],
  [{ sampling: { presencePenalty: 0, frequencyPenalty: 0, logitBias: {} } }, {}, []],
  [
    { sampling: { presencePenalty: 1, frequencyPenalty: -1 } },
    {},
    ["dropped client.presencePenalty", "dropped client.frequencyPenalty"],
  ],
  [{ stopSequences: ["a", "b"] }, { stop_sequences: ["a", "b"] }, []],
  [{ verbosity: "low" }, {}, ["dropped client.verbosity"]],
  [{ tier: "default" }, { service_tier: "standard_only" }, []],
  [{ tier: "fast" }, { speed: "fast" }, ["approximated client.tier"]],
  [{ tier: "flex" }, {}, ["dropped client.tier"]],
  [{ tier: "priority" }, {}, ["dropped client.tier"]],
  [{ endUser: "u-1" }, { metadata: { user_id: "u-1" } }, []],
  [{ system: [{ type: "text", text: "one" }] }, { system: "one" }, []],
  [
    {
      system: [
        { type: "text", text: "one" },
        { type: "text", text: " \n" },
        { type: "text", text: "two", cache: { wire: { type: "ephemeral", ttl: "1h" } } },
      ],
    },
    {
      system: [
        { type: "text", text: "one" },
        { type: "text", text: "two", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
    },
    [],
  ],
  [{ format: { type: "text" } }, {}, []],
  [
    { format: { type: "json" }, system: [{ type: "text", text: "one" }] },
    {
      system: [
        { type: "text", text: "one" },
        { type: "text", text: expect.stringContaining("JSON") as unknown as string },
      ],
    },
    ["approximated client.format"],
  ],
  [
    { format: { type: "schema", name: "x", schema: { type: "object", additionalProperties: false } } },
    { output_config: { format: { type: "json_schema", schema: { type: "object", additionalProperties: false } } } },
    [],
  ],
];

test.each(rows)("%j", (ask, more, warnings, context = {}) => {
  const result = rendered(ask, context);
  const { model: _model, max_tokens: _max, messages: _messages, ...rest } = result.body;
  expect(rest).toEqual(more);
  expect(result.warnings).toEqual(warnings);
});

test("a long user id is hashed to the same name each time", () => {
  const { body } = rendered({ endUser: "u".repeat(300) });
  expect((body["metadata"] as { user_id: string }).user_id).toMatch(/^[0-9a-f]{64}$/);
  expect(rendered({ endUser: "u".repeat(300) }).body).toEqual(body);
});

/** Client's bound, catalog's bound, model: what is sent, and the warnings (bug 39). */
const bounds: [number | undefined, number | undefined, string, number, string[]][] = [
  [50, 64_000, "claude-x", 50, []],
  [undefined, 64_000, "claude-x", 64_000, []],
  [undefined, without, "claude-sonnet-4-5-20250929", 64_000, []],
  [undefined, without, "claude-opus-4-1", 32_000, []],
  [undefined, without, "claude-opus-4-6", 128_000, []],
  [undefined, without, "claude-3-haiku-20240307", 4096, []],
  [undefined, without, "claude-x", 8192, []],
  [100_000, 64_000, "claude-x", 64_000, ["approximated client.maxOutputTokens"]],
  [100_000, without, "claude-x", 100_000, []],
];

test.each(bounds)("max_tokens: asked %p, catalog %p, %s: %d", (requested, catalog, model, expected, warnings) => {
  const context: RenderContext = {
    model,
    origin: "anthropic",
    fieldPath: (field) => `client.${field}`,
    ...(catalog === undefined ? {} : { maxOutputTokens: catalog }),
  };
  const { maxOutputTokens: _default, ...rest } = askOf();
  const ask = requested === undefined ? rest : { ...rest, maxOutputTokens: requested };
  const { call, warnings: result } = dialect.request.render(ask, context);
  expect(call.body["max_tokens"]).toBe(expected);
  expect(result.map(({ code, path }) => `${code} ${path}`)).toEqual(warnings);
});

const refused: [Partial<ChatRequest>, string][] = [
  [{ sampling: { logitBias: { "50256": -100 } } }, "client.logitBias"],
  [{ logprobs: 0 }, "client.logprobs"],
  [{ choices: 2 }, "client.choices"],
  [{ stopSequences: ["ok", " \n"] }, "client.stopSequences"],
  [
    { messages: [messageOf("user", { type: "audio", source: { kind: "url", url: "x" }, path: "m[0].p[1]" })] },
    "m[0].p[1]",
  ],
  [{ messages: [messageOf("user", { type: "foreign", origin: "gemini", wire: {}, path: "m[0].p[2]" })] }, "m[0].p[2]"],
  [{ tools: [{ kind: "hosted", origin: "openai-chat", wire: {}, path: "tools[0].type" }] }, "tools[0].type"],
  [{ format: { type: "schema", strict: true, schema: { not: {} } } }, "client.format"],
];

test.each(refused)("refused: %j", (ask, param) => {
  expect(refusal(() => rendered(ask))).toEqual({ kind: "unsupported_parameter", param, status: 400 });
});

test("a request that says nothing is refused", () => {
  expect(refusal(() => rendered({ messages: [] }))).toMatchObject({ kind: "invalid_value", param: "client.messages" });
});

const clock: Tool = { kind: "function", name: "clock", description: "Time.", parameters: { type: "object" } };
const day: Tool = { kind: "function", name: "day" };
const toolsOf = (ask: Partial<ChatRequest>, context: Partial<RenderContext> = {}) => {
  const { body, warnings } = rendered({ tools: [clock, day], ...ask }, context);
  const names = (body["tools"] as { name: string }[] | undefined)?.map((tool) => tool.name);
  return { names, choice: body["tool_choice"], warnings };
};
const both = ["clock", "day"];

const intents: [string, Partial<ChatRequest>, unknown, string[]?][] = [
  ["nothing said", {}, undefined],
  ["auto", { toolChoice: { type: "auto" } }, { type: "auto" }],
  ["required", { toolChoice: { type: "required" } }, { type: "any" }],
  ["none keeps the tools", { toolChoice: { type: "none" } }, { type: "none" }],
  ["one tool", { toolChoice: { type: "tool", name: "day" } }, { type: "tool", name: "day" }],
  ["a free subset", { toolChoice: { type: "allowed", names: ["day"], required: false } }, { type: "auto" }, ["day"]],
  ["a forced subset", { toolChoice: { type: "allowed", names: ["day"], required: true } }, { type: "any" }, ["day"]],
  ["one at most", { parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
  [
    "one at most, forced",
    { parallelToolCalls: false, toolChoice: { type: "required" } },
    { type: "any", disable_parallel_tool_use: true },
  ],
  ["none and one at most", { parallelToolCalls: false, toolChoice: { type: "none" } }, { type: "none" }],
];

test.each(intents)("tool choice: %s", (_, ask, choice, names = both) => {
  expect(toolsOf(ask)).toEqual({ names, choice, warnings: [] } as never);
});

test("a choice without tools is stripped", () => {
  expect(rendered({ toolChoice: { type: "required" } }).body).not.toHaveProperty("tool_choice");
});

test("thinking, or a model that cannot be forced, narrows the list instead (bug 16)", () => {
  const toolChoice = { type: "tool", name: "day" } as const;
  const narrowed = { names: ["day"], choice: { type: "auto" }, warnings: ["approximated client.toolChoice"] };
  expect(toolsOf({ toolChoice, reasoning: { adaptive: true } })).toEqual(narrowed);
  expect(toolsOf({ toolChoice }, { model: "claude-opus-5-5" })).toEqual(narrowed);
  expect(toolsOf({ toolChoice, reasoning: { effort: "none" } }).choice).toEqual({ type: "tool", name: "day" });
});

test("schemas of tools: empty where none was given, an object always, cleaned where strict", () => {
  const open = { properties: { a: { type: "string" } } };
  const strict = { type: "object", properties: { a: { type: "integer", minimum: 3 } } };
  const { body, warnings } = rendered({
    tools: [
      day,
      { kind: "function", name: "open", parameters: open, strict: false },
      { kind: "function", name: "tight", parameters: strict, strict: true },
    ],
  });
  expect(body["tools"]).toEqual([
    { name: "day", input_schema: { type: "object", properties: {} } },
    { name: "open", input_schema: { ...open, type: "object" }, strict: false },
    {
      name: "tight",
      input_schema: {
        type: "object",
        properties: { a: { type: "integer", description: "(minimum: 3)" } },
        additionalProperties: false,
      },
      strict: true,
    },
  ]);
  expect(warnings).toEqual(["approximated client.tools"]);
});

test("a free-text tool becomes a function of one string, its grammar told (bug 15)", () => {
  const grammar = { type: "grammar", grammar: { syntax: "lark", definition: "start: WORD" } };
  const tool: Tool = { kind: "custom", name: "patch", description: "Edits.", format: grammar, path: "tools[0].type" };
  const { body, warnings } = rendered({ tools: [tool] });
  expect(body["tools"]).toMatchObject([
    {
      name: "patch",
      description: expect.stringMatching(/^Edits\.[\s\S]*start: WORD$/),
      input_schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    },
  ]);
  expect(warnings).toEqual(["emulated tools[0].type"]);
});

test("names outside the alphabet are cleaned without meeting each other", () => {
  const names = ["a.b", "a_b", "a/b", "", "n".repeat(200)];
  const tools = names.map((name): Tool => ({ kind: "function", name }));
  const sent = (rendered({ tools }).body["tools"] as { name: string }[]).map((tool) => tool.name);
  expect(new Set(sent).size).toBe(names.length);
  expect(sent[1]).toBe("a_b");
  for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
});
