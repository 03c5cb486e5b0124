// How much OpenAI's models are told to think, and how little each family can be told to.
import type { Effort, Reasoning } from "../../canon/conversation.ts";
import { effortOfBudget } from "./effort.ts";
import { type Notes, noteField } from "./notes.ts";

const families: readonly (readonly [RegExp, Effort])[] = [
  [/^(?:.*\/)?o\d/, "low"],
  [/^(?:.*\/)?gpt-5\.\d/, "none"],
  [/^(?:.*\/)?gpt-5/, "minimal"],
  [/^(?:.*\/)?gpt-oss/, "low"],
  [/^(?:.*\/)?gpt-(?:[6-9]|\d{2,})(?:\D|$)/, "low"],
];

/** The lowest effort that the model takes; undefined for a model that is not known to think. */
export function leastEffort(model: string): Effort | undefined {
  return families.find(([family]) => family.test(model))?.[1];
}

/** The effort that says the wish; a number of tokens becomes the effort that spends about as many. */
export function renderEffort(reasoning: Reasoning | undefined, notes: Notes): Effort | undefined {
  if (reasoning?.hint) return leastEffort(notes.context.model);
  if (reasoning === undefined || reasoning.effort !== undefined) return reasoning?.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  noteField(notes, "approximated", "reasoning");
  return effortOfBudget(budget);
}
