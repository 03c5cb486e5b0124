// How much to think, as a number of tokens and as a word.

/** Budgets from which an effort counts as medium and as high: the steps of Google's own compatible endpoint. */
const mediumBudgetTokens = 8192;
const highBudgetTokens = 24_576;

/** The effort that spends about as many tokens. */
export function effortOfBudget(budgetTokens: number): "low" | "medium" | "high" {
  if (budgetTokens < mediumBudgetTokens) return "low";
  return budgetTokens < highBudgetTokens ? "medium" : "high";
}
