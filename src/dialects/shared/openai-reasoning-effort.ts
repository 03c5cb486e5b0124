// The reasoning effort of OpenAI's models.
import type { Effort, Reasoning } from "../../canonical/chat.ts";
import { effortsOf } from "./openai-models.ts";
import { effortOfBudget, effortOrder, nearestEffort } from "./reasoning-effort.ts";
import { type Warnings, warnField } from "./warnings.ts";

function requestedEffort(reasoning: Reasoning, warnings: Warnings): Effort | undefined {
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  warnField(warnings, "approximated", "reasoning");
  return effortOfBudget(budget);
}

/**
 * The requested effort, or the nearest that the model accepts. A token budget becomes the effort that spends about as
 * many.
 */
export function renderEffort(reasoning: Reasoning | undefined, warnings: Warnings): Effort | undefined {
  if (reasoning === undefined) return undefined;
  const efforts = effortsOf(warnings.context);
  if (reasoning.hint) return efforts?.[0];
  const effort = requestedEffort(reasoning, warnings);
  if (effort === undefined) return undefined;
  if (efforts?.length === 0) {
    if (effort !== "none") warnField(warnings, "dropped", "reasoning");
    return undefined;
  }
  const nearest = nearestEffort(effort, efforts ?? effortOrder);
  if (nearest !== effort) warnField(warnings, "approximated", "reasoning");
  return nearest;
}
