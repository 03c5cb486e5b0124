// How much to think, for each family of models.
import { describe, expect, test } from "bun:test";
import type { Effort, Reasoning } from "../../../src/canonical/chat.ts";
import { rendered } from "./bench.ts";

const configOf = (reasoning: Reasoning, model: string) => {
  const { body, warnings } = rendered({ reasoning }, model);
  const config = (body.generationConfig as { thinkingConfig?: object } | undefined)?.thinkingConfig;
  return { config, lost: warnings.map((warning) => warning.split(" ")[0]) };
};

const flash2 = "gemini-2.5-flash";
const pro2 = "gemini-2.5-pro";
const lite2 = "gemini-2.5-flash-lite";
const pro3 = "gemini-3-pro-preview";
const pro31 = "gemini-3.1-pro-preview";
const flash3 = "gemini-3-flash-preview";
const flash37 = "gemini-3.7-flash";
const unknown = "my-tuned-model";

/** Model, effort, what is said, whether that is only near. */
const efforts: [string, Effort, object, boolean][] = [
  [flash2, "none", { thinkingBudget: 0 }, false],
  [pro2, "none", { thinkingBudget: 128 }, true],
  [flash2, "minimal", { thinkingBudget: 1024 }, false],
  [flash2, "low", { thinkingBudget: 1024 }, false],
  [flash2, "medium", { thinkingBudget: 8192 }, false],
  [flash2, "high", { thinkingBudget: 24_576 }, false],
  [flash2, "max", { thinkingBudget: 24_576 }, false],
  [pro2, "xhigh", { thinkingBudget: 32_768 }, false],
  [flash3, "none", { thinkingLevel: "MINIMAL" }, true],
  [pro3, "none", { thinkingLevel: "LOW" }, true],
  [flash3, "minimal", { thinkingLevel: "MINIMAL" }, false],
  [pro3, "minimal", { thinkingLevel: "LOW" }, true],
  [flash37, "minimal", { thinkingLevel: "LOW" }, true],
  [flash3, "low", { thinkingLevel: "LOW" }, false],
  [pro3, "medium", { thinkingLevel: "HIGH" }, true],
  [pro31, "medium", { thinkingLevel: "MEDIUM" }, false],
  [flash3, "high", { thinkingLevel: "HIGH" }, false],
  [flash3, "xhigh", { thinkingLevel: "HIGH" }, true],
  [flash3, "max", { thinkingLevel: "HIGH" }, true],
  [unknown, "none", { thinkingBudget: 0 }, false],
  [unknown, "low", { thinkingLevel: "LOW" }, false],
];

test.each(efforts)("%s, effort %s", (model, effort, config, isNear) => {
  const shown = effort === "none" ? {} : { includeThoughts: true };
  expect(configOf({ effort }, model)).toEqual({
    config: { ...config, ...shown },
    lost: isNear ? ["approximated"] : [],
  });
});

const budgets: [string, number, object, boolean][] = [
  [flash2, 0, { thinkingBudget: 0 }, false],
  [flash2, 5000, { thinkingBudget: 5000 }, false],
  [flash2, 50_000, { thinkingBudget: 24_576 }, true],
  [lite2, 100, { thinkingBudget: 512 }, true],
  [pro2, 0, { thinkingBudget: 128 }, true],
  [flash3, 0, { thinkingLevel: "MINIMAL" }, true],
  [flash3, 4000, { thinkingLevel: "LOW" }, true],
  [flash3, 8192, { thinkingLevel: "MEDIUM" }, true],
  [flash3, 24_576, { thinkingLevel: "HIGH" }, true],
  [unknown, 5000, { thinkingBudget: 5000 }, false],
];

test.each(budgets)("%s, budget %d", (model, budgetTokens, config, isNear) => {
  const shown = budgetTokens === 0 ? {} : { includeThoughts: true };
  expect(configOf({ budgetTokens }, model)).toEqual({
    config: { ...config, ...shown },
    lost: isNear ? ["approximated"] : [],
  });
});

describe("the rest", () => {
  test("left to the model", () => {
    expect(configOf({ adaptive: true, show: false }, flash2).config).toEqual({ thinkingBudget: -1 });
    expect(configOf({ adaptive: true, show: false }, flash3).config).toBeUndefined();
  });

  test("shown or not, as asked", () => {
    expect(configOf({ show: true }, flash3).config).toEqual({ includeThoughts: true });
    expect(configOf({ effort: "low", show: false }, flash3).config).toEqual({ thinkingLevel: "LOW" });
  });

  test("models that do not think are not asked to", () => {
    expect(configOf({ effort: "low" }, "gemini-2.0-flash")).toEqual({ config: undefined, lost: ["dropped"] });
    expect(configOf({ effort: "none" }, "gemini-2.0-flash")).toEqual({ config: undefined, lost: [] });
  });

  test("a hint is taken or left without a word", () => {
    expect(configOf({ effort: "none", hint: true }, pro2)).toEqual({ config: { thinkingBudget: 128 }, lost: [] });
  });
});
