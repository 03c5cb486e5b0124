// What OpenAI's families of models that think are told, on both wires that they are asked on.
import { describe, expect, test } from "bun:test";
import type { ChatRequest, Effort } from "../../src/canonical/chat.ts";
import type { RenderedRequest } from "../../src/dialects/dialect.ts";
import { openaiChat, openaiResponses } from "../../src/dialects/index.ts";
import { wantsResponses } from "../../src/dialects/shared/openai-models.ts";
import { renderContextOf } from "../support/laws.ts";
import { plainAsk, thrown } from "../support/sample-requests.ts";

const wires = { chat: openaiChat, responses: openaiResponses } as const;

function render(wire: keyof typeof wires, model: string, ask: Partial<ChatRequest>): RenderedRequest {
  const dialect = wires[wire];
  const context = renderContextOf(dialect as never, { model, fieldPath: (field) => `their.${field}` });
  return dialect.request.render({ ...plainAsk, ...ask }, context);
}

const effortOf = ({ call: { body } }: RenderedRequest) =>
  body.reasoning_effort ?? (body.reasoning as { effort?: string } | undefined)?.effort;

const result = [{ code: "approximated", path: "their.reasoning" }];

const efforts: readonly (readonly [model: string, requested: Effort, sent: Effort])[] = [
  ["o3", "none", "low"],
  ["o3", "minimal", "low"],
  ["o3", "high", "high"],
  ["o4-mini", "xhigh", "high"],
  ["gpt-5", "none", "minimal"],
  ["gpt-5-mini", "max", "high"],
  ["gpt-5.1", "none", "none"],
  ["gpt-5.1-2025-11-13", "minimal", "low"],
  ["gpt-5.1", "xhigh", "high"],
  ["gpt-5.2", "xhigh", "xhigh"],
  ["gpt-5.5", "max", "xhigh"],
  ["gpt-5.6", "max", "max"],
  ["gpt-5.10", "max", "max"],
  ["openai/gpt-6", "none", "low"],
  ["gpt-6", "max", "max"],
  ["gpt-oss-120b", "none", "low"],
  ["some-model", "max", "max"],
];

describe.each(["chat", "responses"] as const)("%s", (wire) => {
  test.each(efforts.map((row) => [...row] as const))("%s told to think %s is told %s", (model, requested, sent) => {
    const rendered = render(wire, model, { reasoning: { effort: requested } });
    expect(effortOf(rendered)).toBe(sent);
    expect(rendered.warnings as unknown).toEqual(requested === sent ? [] : result);
  });

  test.each([
    ["gpt-4.1", "high", [{ code: "dropped", path: "their.reasoning" }]],
    ["openai/gpt-4o-mini", "low", [{ code: "dropped", path: "their.reasoning" }]],
    ["gpt-3.5-turbo", "none", []],
  ] as const)("%s, which does not reason, is told no effort where a client says %s", (model, requested, warnings) => {
    const rendered = render(wire, model, { reasoning: { effort: requested, show: true } });
    expect(rendered.call.body).not.toHaveProperty("reasoning_effort");
    expect(rendered.call.body).not.toHaveProperty("reasoning");
    expect(rendered.warnings as unknown).toEqual([...warnings]);
  });

  const sampling = { temperature: 0.5, topP: 0.9 };
  const dropped = [
    { code: "dropped", path: "their.temperature" },
    { code: "dropped", path: "their.topP" },
  ];

  test.each([
    ["o3", undefined, false],
    ["gpt-5", undefined, false],
    ["gpt-5-chat-latest", undefined, true],
    ["gpt-5.1", undefined, true],
    ["gpt-5.1", "none", true],
    ["gpt-5.1", "low", false],
    ["gpt-6", "low", false],
    ["gpt-oss-20b", "low", true],
    ["gpt-4.1", undefined, true],
    ["some-model", "high", true],
  ] as const)("sampling of %s at effort %s is taken: %s", (model, effort, isTaken) => {
    const reasoning = effort === undefined ? {} : { reasoning: { effort } };
    const { call, warnings } = render(wire, model, { sampling, ...reasoning });
    expect([call.body.temperature, call.body.top_p]).toEqual(isTaken ? [0.5, 0.9] : [undefined, undefined]);
    expect(warnings as unknown).toEqual(isTaken ? [] : dropped);
  });

  test("what says no more than the default goes without a word", () => {
    const usual = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 };
    const { call, warnings } = render(wire, "o3", { sampling: usual });
    expect(Object.keys(call.body)).not.toContain("temperature");
    expect(warnings).toEqual([]);
  });

  test("log probabilities of a model that tells none are refused", () => {
    expect(thrown(() => render(wire, "o3", { logprobs: 2 }))).toMatchObject({ status: 400, param: "their.logprobs" });
    expect(render(wire, "gpt-4.1", { logprobs: 2 }).call.body.top_logprobs).toBe(2);
  });
});

test("penalties are told too, a seed stays", () => {
  const sampling = { presencePenalty: 1, frequencyPenalty: -1, seed: 3 };
  const { call, warnings } = render("chat", "o3", { sampling });
  expect(call.body).toEqual({ model: "o3", messages: [{ role: "user", content: "hi" }], seed: 3 });
  expect(warnings.map(({ path }) => path)).toEqual(["their.presencePenalty", "their.frequencyPenalty"]);
});

describe("responses are preferred to chat", () => {
  const tools = [{ kind: "function", name: "f" }] as const;
  const high = { tools, reasoning: { effort: "high" } } as const;
  const none = { tools, reasoning: { effort: "none" } } as const;

  test.each([
    ["o3", { tools }, true, false],
    ["gpt-5", { tools }, true, false],
    ["gpt-5.3", high, true, false],
    ["gpt-5.4", { tools }, true, false],
    ["gpt-5.4", high, true, true],
    ["gpt-5.5-2026-04-23", high, true, true],
    ["gpt-5.6-terra", { tools }, true, true],
    ["gpt-5.6", none, true, false],
    ["gpt-5.6", { reasoning: { effort: "high" } }, false, false],
    ["gpt-6", high, true, false],
    ["gpt-5.1-codex", {}, true, true],
    ["o3-pro", {}, true, true],
    ["gpt-5-chat-latest", { tools }, false, false],
    ["gpt-oss-120b", high, false, false],
    ["gpt-4.1", high, false, false],
  ] as const)("of %s asked %j: by others %p, by clients of chat %p", (model, ask, byOthers, byChat) => {
    const requested = { ...plainAsk, ...(ask as Partial<ChatRequest>) };
    expect([wantsResponses({ model }, requested, false), wantsResponses({ model }, requested, true)]).toEqual([
      byOthers,
      byChat,
    ]);
  });
});

test.each([
  { model: "gpt-6-sol", effort: "none" },
  { model: "gpt-6-luna", effort: "none" },
  { model: "gpt-6.1-terra", effort: "none" },
  { model: "gpt-6-other", effort: "low" },
] as const)("$model is told $effort where the client wants no reasoning", ({ model, effort }) => {
  for (const wire of ["chat", "responses"] as const)
    expect(effortOf(render(wire, model, { reasoning: { effort: "none" } }))).toBe(effort);
});
