// From an ask to an upstream's body: every field, and what is approximated, dropped or refused by the client's own paths.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, Tool } from "../../../src/canonical/chat.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { render, thrown } from "./helpers.ts";

const f: Tool = { kind: "function", name: "f" };
const fWire = { type: "function", function: { name: "f" } };
const user = { role: "user", content: "hi" };

const fields: readonly (readonly [string, Partial<ChatRequest>, JsonObject])[] = [
  ["nothing more", {}, {}],
  [
    "sampling",
    { sampling: { temperature: 0, topP: 1, presencePenalty: 1, frequencyPenalty: 2, seed: 3, logitBias: { "1": 2 } } },
    { temperature: 0, top_p: 1, presence_penalty: 1, frequency_penalty: 2, seed: 3, logit_bias: { "1": 2 } },
  ],
  ["four stops", { stopSequences: ["a", "b", "c", "d"] }, { stop: ["a", "b", "c", "d"] }],
  ["choices", { choices: 2 }, { n: 2 }],
  ["the bound (bug 38)", { maxOutputTokens: 9 }, { max_completion_tokens: 9 }],
  ["a stream, always with usage", { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [
    "tools",
    { tools: [f], toolChoice: { type: "required" }, parallelToolCalls: false },
    { tools: [fWire], tool_choice: "required", parallel_tool_calls: false },
  ],
  ["one tool", { tools: [f], toolChoice: { type: "tool", name: "f" } }, { tools: [fWire], tool_choice: fWire }],
  [
    "some tools",
    { tools: [f], toolChoice: { type: "allowed", names: ["f"], required: false } },
    { tools: [fWire], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [fWire] } } },
  ],
  ["a choice without tools is left out", { toolChoice: { type: "auto" }, parallelToolCalls: false }, {}],
  [
    "a schema",
    { format: { type: "schema", schema: { type: "object" } } },
    { response_format: { type: "json_schema", json_schema: { name: "response", schema: { type: "object" } } } },
  ],
  ["effort", { reasoning: { effort: "max" } }, { reasoning_effort: "max" }],
  ["no budget is no thought", { reasoning: { budgetTokens: 0 } }, { reasoning_effort: "none" }],
  ["the model decides", { reasoning: { adaptive: true, show: true } }, {}],
  [
    "verbosity, tier and user",
    { verbosity: "high", tier: "priority", endUser: "u" },
    { verbosity: "high", service_tier: "priority", user: "u" },
  ],
];

const losses: readonly (readonly [string, Partial<ChatRequest>, JsonObject, JsonObject[]])[] = [
  ["topK", { sampling: { topK: 4 } }, {}, [{ code: "dropped", path: "their.topK" }]],
  [
    "a small budget",
    { reasoning: { budgetTokens: 4000 } },
    { reasoning_effort: "low" },
    [{ code: "approximated", path: "their.reasoning" }],
  ],
  [
    "a middling budget",
    { reasoning: { budgetTokens: 10_000 } },
    { reasoning_effort: "medium" },
    [{ code: "approximated", path: "their.reasoning" }],
  ],
  [
    "a large budget",
    { reasoning: { budgetTokens: 31_999 } },
    { reasoning_effort: "high" },
    [{ code: "approximated", path: "their.reasoning" }],
  ],
  ["a must without tools", { toolChoice: { type: "required" } }, {}, [{ code: "dropped", path: "their.toolChoice" }]],
];

describe("fields of an ask", () => {
  test.each(fields.map((row) => [...row] as const))("%s", (_name, ask, body) => {
    const { call, warnings } = render(ask);
    expect(call).toEqual({ path: "chat/completions", body: { model: "model-x", messages: [user], ...body } });
    expect(warnings).toEqual([]);
  });

  test.each(losses.map((row) => [...row] as const))("%s is told", (_name, ask, body, expected) => {
    const { call, warnings } = render(ask);
    expect(call.body).toEqual({ model: "model-x", messages: [user], ...body });
    expect(warnings as unknown).toEqual(expected);
  });

  test("JSON mode speaks of JSON, and says so once", () => {
    const { call, warnings } = render({ format: { type: "json" } });
    expect(call.body.messages).toEqual([{ role: "system", content: "Answer in JSON." }, user]);
    expect(warnings).toEqual([{ code: "emulated", path: "their.format" }]);
    const spoken = render({ format: { type: "json" }, system: [{ type: "text", text: "Use Json." }] });
    expect(spoken.warnings).toEqual([]);
    expect(spoken.call.body).toMatchObject({
      response_format: { type: "json_object" },
      messages: [{ content: "Use Json." }, user],
    });
  });

  test("a bound over the model's own is lowered, and told", () => {
    const { call, warnings } = render({ maxOutputTokens: 900 }, { maxOutputTokens: 100 });
    expect(call.body.max_completion_tokens).toBe(100);
    expect(warnings).toEqual([{ code: "approximated", path: "their.maxOutputTokens" }]);
  });

  test("older servers", () => {
    const options = { legacyMaxTokens: true, noStreamOptions: true };
    const { body } = render({ maxOutputTokens: 9, stream: true }, { options }).call;
    expect(body).toEqual({ model: "model-x", messages: [user], stream: true, max_tokens: 9 });
  });

  test("a long user id is hashed, always the same way", () => {
    const id = (endUser: string) => render({ endUser }).call.body.user;
    expect(id("u".repeat(64))).toBe("u".repeat(64));
    expect(id("u".repeat(65))).toMatch(/^[0-9a-f]{64}$/);
    expect(id("u".repeat(65))).toBe(id("u".repeat(65)));
    expect(id("u".repeat(65))).not.toBe(id("u".repeat(66)));
  });

  const refusals: readonly (readonly [string, Partial<ChatRequest>, string])[] = [
    ["five stops", { stopSequences: ["a", "b", "c", "d", "e"] }, "their.stopSequences"],
    [
      "a provider's own tool",
      { tools: [{ kind: "hosted", origin: "claude", wire: {}, path: "tools[0].type" }] },
      "tools[0].type",
    ],
  ];
  test.each(refusals.map((row) => [...row] as const))("refuses %s", (_name, ask, param) => {
    expect(thrown(() => render(ask))).toMatchObject({ kind: "unsupported_parameter", param });
  });

  test("every canonical field has its place on this wire", () => {
    const { fieldPath } = openaiChat.request;
    expect(
      (["topP", "choices", "maxOutputTokens", "format", "endUser", "system"] as const).map((field) => fieldPath(field)),
    ).toEqual(["top_p", "n", "max_completion_tokens", "response_format", "user", "messages"]);
  });
});
