// Reasoning effort: conversion between token budgets and levels.
import type { Effort } from "../../canonical/chat.ts";

/** The budgets from which an effort counts as medium and as high, as on Google's own compatible endpoint. */
const mediumBudgetTokens = 8192;
const highBudgetTokens = 24_576;

/** The effort that spends about as many tokens. */
export function effortOfBudget(budgetTokens: number): "low" | "medium" | "high" {
  if (budgetTokens < mediumBudgetTokens) return "low";
  return budgetTokens < highBudgetTokens ? "medium" : "high";
}

/** From the lowest to the highest. */
export const effortOrder: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The effort itself where it is accepted, otherwise the next lower one, otherwise the next higher; `none` only if
 * requested.
 */
export function nearestEffort(effort: Effort, accepted: readonly Effort[]): Effort {
  if (accepted.includes(effort)) return effort;
  const reasoning = accepted.filter((each) => each !== "none");
  const lower = reasoning.findLast((each) => effortOrder.indexOf(each) < effortOrder.indexOf(effort));
  return lower ?? reasoning[0] ?? effort;
}
