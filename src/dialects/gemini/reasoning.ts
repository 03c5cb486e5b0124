// Reasoning: reads the budget or level, and renders what the model accepts.
import type { Effort, Reasoning } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { effortOfBudget } from "../shared/reasoning-effort.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import type { Level, ModelLimits } from "./model-capabilities.ts";

const efforts: ReadonlyMap<string, Effort> = new Map([
  ["MINIMAL", "minimal"],
  ["LOW", "low"],
  ["MEDIUM", "medium"],
  ["HIGH", "high"],
]);

/** Zero turns thinking off; minus one lets the model decide. */
function readBudget(budget: number): Reasoning {
  if (budget === 0) return { effort: "none" };
  return budget < 0 ? { adaptive: true } : { budgetTokens: budget };
}

/** Reads `thinkingConfig`; undefined when the client set nothing. Throws for a budget together with a level. */
export function readThinking(wire: Json | undefined): Reasoning | undefined {
  const config = isObject(wire) ? wire : {};
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = config;
  const effort = typeof level === "string" ? efforts.get(level.toUpperCase()) : undefined;
  if (typeof budget === "number" && effort !== undefined) {
    throw badValue("generationConfig.thinkingConfig", "Send either 'thinkingBudget' or 'thinkingLevel', not both.");
  }
  const show = typeof includeThoughts === "boolean" ? { show: includeThoughts } : {};
  const amount: Reasoning = typeof budget === "number" ? readBudget(budget) : effort === undefined ? {} : { effort };
  const reasoning: Reasoning = { ...amount, ...show };
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

/** The budgets of Google's own OpenAI-compatible endpoint; null: the model's maximum. */
const budgets: Readonly<Record<Effort, number | null>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: null,
  max: null,
};

const wantedLevels: Readonly<Record<Exclude<Effort, "none">, Level>> = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};
const ladder: readonly Level[] = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];

interface ReasoningSetting {
  readonly reasoning: Reasoning;
  readonly limits: ModelLimits;
  readonly notes: Warnings;
}

function lose(setting: ReasoningSetting, code: "approximated" | "dropped"): void {
  if (!setting.reasoning.hint) warnField(setting.notes, code, "reasoning");
}

/** The requested level, otherwise the next higher one that the model supports. */
function atLevel(effort: Effort, setting: ReasoningSetting): JsonObject {
  const { levels } = setting.limits;
  const [lowest = "LOW"] = levels;
  const wanted = effort === "none" ? null : wantedLevels[effort];
  const thinkingLevel =
    wanted === null ? lowest : (levels.find((level) => ladder.indexOf(level) >= ladder.indexOf(wanted)) ?? "HIGH");
  if (wanted !== thinkingLevel || effort === "xhigh" || effort === "max") lose(setting, "approximated");
  return { thinkingLevel };
}

/** A number of tokens within the model's bounds. */
function withBudget(wanted: number | null, setting: ReasoningSetting): JsonObject {
  const { budget, canRest } = setting.limits;
  if (wanted === 0 && canRest) return { thinkingBudget: 0 };
  const thinkingBudget = Math.min(Math.max(wanted ?? budget.max, budget.min), budget.max);
  if (wanted !== null && thinkingBudget !== wanted) lose(setting, "approximated");
  return { thinkingBudget };
}

function amount(setting: ReasoningSetting): JsonObject {
  const { reasoning, limits } = setting;
  const { effort, budgetTokens } = reasoning;
  const asLevel = limits.thinking === "level";
  if (budgetTokens !== undefined && effort !== "none") {
    if (!asLevel) return withBudget(budgetTokens, setting);
    if (budgetTokens > 0) lose(setting, "approximated");
    return atLevel(budgetTokens === 0 ? "none" : (effort ?? effortOfBudget(budgetTokens)), setting);
  }
  if (effort === undefined) return reasoning.adaptive && !asLevel ? { thinkingBudget: -1 } : {};
  if (effort === "none" && limits.thinking === "either") return { thinkingBudget: 0 };
  return limits.thinking === "budget" ? withBudget(budgets[effort], setting) : atLevel(effort, setting);
}

/** Thoughts are included for clients that requested thinking, unless they opt out. */
function shown({ effort, budgetTokens, show, hint }: Reasoning): boolean {
  return show ?? (!hint && effort !== "none" && budgetTokens !== 0);
}

/**
 * Renders `thinkingConfig` in the form that the model accepts, nearest to the request; undefined when nothing has to
 * be sent.
 */
export function renderThinking(
  reasoning: Reasoning | undefined,
  limits: ModelLimits,
  warnings: Warnings,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const isNone = reasoning.effort === "none" || reasoning.budgetTokens === 0;
  if (limits.thinking === "none") {
    if (!isNone && Object.keys(reasoning).some((name) => name !== "show"))
      lose({ reasoning, limits, notes: warnings }, "dropped");
    return undefined;
  }
  const config = {
    ...amount({ reasoning, limits, notes: warnings }),
    ...(shown(reasoning) ? { includeThoughts: true } : {}),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}
