// How much OpenAI's models are told to think.
import type { Effort, Reasoning } from "../../canonical/chat.ts";
import { leastEffort, nearestEffort, refusesEffort } from "./openai-models.ts";
import { effortOfBudget } from "./reasoning-effort.ts";
import { type Notes, noteField } from "./warnings.ts";

function wished(reasoning: Reasoning, notes: Notes): Effort | undefined {
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  noteField(notes, "approximated", "reasoning");
  return effortOfBudget(budget);
}

/** The effort that says the wish, as near as the model takes it; a number of tokens becomes the effort that spends about as many. */
export function renderEffort(reasoning: Reasoning | undefined, notes: Notes): Effort | undefined {
  const { model } = notes.context;
  if (reasoning === undefined) return undefined;
  if (reasoning.hint) return leastEffort(model);
  const effort = wished(reasoning, notes);
  if (effort === undefined) return undefined;
  if (refusesEffort(model)) {
    if (effort !== "none") noteField(notes, "dropped", "reasoning");
    return undefined;
  }
  const nearest = nearestEffort(effort, model);
  if (nearest !== effort) noteField(notes, "approximated", "reasoning");
  return nearest;
}
