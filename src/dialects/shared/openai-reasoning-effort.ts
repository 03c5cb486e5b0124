// How much OpenAI's models are told to think.
import type { Effort, Reasoning } from "../../canonical/chat.ts";
import { minEffort, nearestEffort, refusesEffort } from "./openai-models.ts";
import { effortOfBudget } from "./reasoning-effort.ts";
import { type Warnings, warnField } from "./warnings.ts";

function wished(reasoning: Reasoning, warnings: Warnings): Effort | undefined {
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  warnField(warnings, "approximated", "reasoning");
  return effortOfBudget(budget);
}

/** The effort that says the wish, as near as the model takes it; a number of tokens becomes the effort that spends about as many. */
export function renderEffort(reasoning: Reasoning | undefined, warnings: Warnings): Effort | undefined {
  const { model } = warnings.context;
  if (reasoning === undefined) return undefined;
  if (reasoning.hint) return minEffort(model);
  const effort = wished(reasoning, warnings);
  if (effort === undefined) return undefined;
  if (refusesEffort(model)) {
    if (effort !== "none") warnField(warnings, "dropped", "reasoning");
    return undefined;
  }
  const nearest = nearestEffort(effort, model);
  if (nearest !== effort) warnField(warnings, "approximated", "reasoning");
  return nearest;
}
