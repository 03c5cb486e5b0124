// Thinking: efforts and budgets, by the family of the model.
import { expect, test } from "bun:test";
import type { Reasoning, Sampling } from "../../../src/canonical/chat.ts";
import { limitsOf } from "../../../src/dialects/anthropic-messages/model-capabilities.ts";
import { rendered } from "./bench.ts";

const budgetModel = "claude-sonnet-4-5-20250929";
const adaptiveModel = "claude-opus-5-5";

/** Model, wish, bound of the client, and what is said. */
type Row = [string, Reasoning, number, { thinking?: unknown; effort?: string; warnings?: string[] }];
const adaptive = { type: "adaptive" };
/** Newer models leave the text of thinking out unless it is asked for. */
const shown = { ...adaptive, display: "summarized" };
const loss = ["approximated client.reasoning"];
const budget = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });

const rows: Row[] = [
  ["claude-x", {}, 100, {}],
  ["claude-x", { show: true }, 100, {}],
  ["claude-x", { effort: "none" }, 100, { thinking: { type: "disabled" } }],
  ["claude-x", { effort: "minimal" }, 100, { thinking: adaptive, effort: "low", warnings: loss }],
  ["claude-x", { effort: "low" }, 100, { thinking: adaptive, effort: "low" }],
  ["claude-x", { effort: "xhigh" }, 100, { thinking: adaptive, effort: "xhigh" }],
  ["claude-x", { effort: "max", adaptive: true }, 100, { thinking: adaptive, effort: "max" }],
  ["claude-x", { adaptive: true, show: true }, 100, { thinking: { ...adaptive, display: "summarized" } }],
  ["claude-x", { budgetTokens: 2048 }, 4096, budget(2048)],
  ["claude-x", { budgetTokens: 2048, effort: "high" }, 4096, { ...budget(2048), effort: "high" }],
  ["claude-x", { budgetTokens: 0 }, 4096, { thinking: { type: "disabled" } }],
  ["claude-x", { budgetTokens: 500 }, 4096, { ...budget(1024), warnings: loss }],
  ["claude-x", { budgetTokens: 4096 }, 4096, { warnings: ["dropped client.reasoning"] }],
  ["claude-opus-4-6", { effort: "xhigh" }, 100, { thinking: adaptive, effort: "high", warnings: loss }],
  [budgetModel, { effort: "minimal" }, 20_000, budget(1024)],
  [budgetModel, { effort: "low" }, 20_000, budget(2000)],
  [budgetModel, { effort: "medium" }, 20_000, budget(6000)],
  [budgetModel, { effort: "high" }, 20_000, budget(12_000)],
  [budgetModel, { effort: "xhigh" }, 20_000, budget(18_000)],
  [budgetModel, { effort: "max" }, 20_000, budget(19_000)],
  [budgetModel, { adaptive: true }, 20_000, { ...budget(12_000), warnings: loss }],
  [budgetModel, { effort: "high" }, 1000, { warnings: ["dropped client.reasoning"] }],
  [adaptiveModel, { budgetTokens: 4000 }, 100, { thinking: shown, effort: "low", warnings: loss }],
  [adaptiveModel, { budgetTokens: 10_000 }, 100, { thinking: shown, effort: "medium", warnings: loss }],
  [
    adaptiveModel,
    { effort: "low", show: false },
    100,
    { thinking: { ...adaptive, display: "omitted" }, effort: "low" },
  ],
  ["claude-opus-4-8", { budgetTokens: 4000 }, 100, { thinking: shown, effort: "low", warnings: loss }],
  ["claude-opus-4-7", { effort: "high" }, 100, { thinking: shown, effort: "high" }],
  [adaptiveModel, { budgetTokens: 31_999 }, 100, { thinking: shown, effort: "high", warnings: loss }],
  [adaptiveModel, { effort: "none" }, 100, { effort: "low", warnings: loss }],
  ["claude-sonnet-5-5", { effort: "none" }, 100, { thinking: { type: "between_tools" }, warnings: loss }],
  ["claude-haiku-5-5", { effort: "none" }, 100, { thinking: { type: "disabled" } }],
  ["claude-3-5-haiku-20241022", { effort: "high" }, 100, { warnings: ["dropped client.reasoning"] }],
  ["claude-3-5-haiku-20241022", { effort: "none" }, 100, {}],
];

test.each(rows)("%s asked %j within %d", (model, reasoning, maxOutputTokens, expected) => {
  const { body, warnings } = rendered({ reasoning, maxOutputTokens }, { model });
  expect(body["thinking"]).toEqual(expected.thinking as never);
  expect(body["output_config"]).toEqual((expected.effort ? { effort: expected.effort } : undefined) as never);
  expect(warnings).toEqual(expected.warnings ?? []);
  expect(body["max_tokens"]).toBe(maxOutputTokens);
});

test("a bound of our own is raised for the budget, up to the model's maximum (bug 36)", () => {
  const withoutBound = { reasoning: { budgetTokens: 20_000 }, maxOutputTokens: undefined as never };
  const small = rendered(withoutBound, { model: "claude-x", maxOutputTokens: undefined as never });
  expect(small.body).toMatchObject({ max_tokens: 24_096, thinking: { budget_tokens: 20_000 } });
  const tight = rendered(withoutBound, { model: "claude-x", maxOutputTokens: 10_000 });
  expect(tight.body).toMatchObject({ max_tokens: 10_000, thinking: { budget_tokens: 9500 } });
});

const sampled: [Sampling, object, string[]][] = [
  [{ temperature: 0.3 }, {}, ["dropped client.temperature"]],
  [{ temperature: 1 }, {}, []],
  [{ topK: 4 }, {}, ["dropped client.topK"]],
  [{ topP: 0.5 }, { top_p: 0.95 }, ["approximated client.topP"]],
  [{ topP: 0.99 }, { top_p: 0.99 }, []],
];

test.each(sampled)("with thinking on, sampling %j (bug 36)", (sampling, expected, warnings) => {
  const result = rendered({ sampling, reasoning: { adaptive: true } });
  const { temperature, top_p, top_k } = result.body;
  expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected);
  expect(result.warnings).toEqual(warnings);
});

const families: [string, Partial<ReturnType<typeof limitsOf>>][] = [
  ["claude-3-opus-20240229", { thinking: "none", outputSchema: false, maxOutputTokens: 4096 }],
  ["claude-3-7-sonnet-latest", { thinking: "budget", maxOutputTokens: 64_000, sampleTwice: true }],
  ["claude-opus-4-20250514", { thinking: "budget", maxOutputTokens: 32_000, sampleTwice: true }],
  ["claude-opus-4-1-20250805", { maxOutputTokens: 32_000, sampleTwice: false, outputSchema: true }],
  ["anthropic.claude-sonnet-4-5-20250929-v1:0", { outputSchema: true, prefill: true }],
  ["claude-opus-4.6", { thinking: "either", prefill: false, maxOutputTokens: 128_000, sampling: true }],
  ["claude-opus-4-8", { sampling: false, systemTurns: true }],
  ["claude-sonnet-5", { thinking: "adaptive", sampling: false, forcedTool: true }],
  ["claude-sonnet-5-5", { thinking: "adaptive", forcedTool: false, quietest: "between_tools" }],
  ["claude-fable-5-1", { thinking: "adaptive", forcedTool: false, quietest: "low_effort" }],
  ["some-other-model", { thinking: "either", sampling: true, systemTurns: false }],
];

test.each(families)("limits of %s", (model, expected) => {
  expect(limitsOf({ model })).toMatchObject(expected);
});
