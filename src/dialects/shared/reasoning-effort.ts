// How much to think, as a number of tokens and as a word.
import type { Effort } from "../../canonical/chat.ts";

/** Budgets from which an effort counts as medium and as high: the steps of Google's own compatible endpoint. */
const mediumBudgetTokens = 8192;
const highBudgetTokens = 24_576;

/** The effort that spends about as many tokens. */
export function effortOfBudget(budgetTokens: number): "low" | "medium" | "high" {
  if (budgetTokens < mediumBudgetTokens) return "low";
  return budgetTokens < highBudgetTokens ? "medium" : "high";
}

/** From the least to the most. */
export const effortOrder: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort itself where it is accepted, else the next lower one, else the next higher: never `none` if unasked. */
export function nearestEffort(effort: Effort, accepted: readonly Effort[]): Effort {
  if (accepted.includes(effort)) return effort;
  const reasoning = accepted.filter((each) => each !== "none");
  const lower = reasoning.findLast((each) => effortOrder.indexOf(each) < effortOrder.indexOf(effort));
  return lower ?? reasoning[0] ?? effort;
}
