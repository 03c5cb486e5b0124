// Moderation results: from an upstream's categories and scores, and to the form that clients read.
import {
  type CategoryScore,
  type InputType,
  imageCategories,
  type ModerationItem,
  type ModerationResult,
  moderationCategories,
} from "../../canonical/moderation.ts";
import type { JsonObject } from "../../lib/json.ts";

const known: ReadonlySet<string> = new Set(moderationCategories);

/** Limits scores to 0 through 1. */
export const clamped = (score: number): number => Math.min(Math.max(score, 0), 1);

/** The input types in which a category was checked, for an upstream that checks every type it supports. */
export function lookedAt(category: string, item: ModerationItem | undefined): InputType[] {
  const holds = (type: InputType): boolean => item?.some((part) => part.type === type) ?? type === "text";
  const texts: InputType[] = holds("text") ? ["text"] : [];
  return holds("image") && imageCategories.has(category) ? [...texts, "image"] : texts;
}

/** A category that was not checked: not flagged, with no input types. */
const notLookedFor: CategoryScore = { flagged: false, score: 0, inputs: [] };

/** Whether a category of the client's API is flagged. */
export const knownFlagged = (found: ReadonlyMap<string, CategoryScore>): boolean =>
  [...found].some(([category, finding]) => finding.flagged && known.has(category));

/** A result with every category. */
export function verdictOf(found: ReadonlyMap<string, CategoryScore>, flagged: boolean): ModerationResult {
  const findings = new Map<string, CategoryScore>(
    moderationCategories.map((category) => [category, found.get(category) ?? notLookedFor]),
  );
  for (const [category, finding] of found) findings.set(category, finding);
  return { flagged, findings };
}

/** One result for a client. A request may have thousands of them, so this is one loop without intermediate lists. */
export function renderVerdict({ flagged, findings }: ModerationResult): JsonObject {
  const categories: { [category: string]: boolean } = {};
  const scores: { [category: string]: number } = {};
  const inputs: { [category: string]: InputType[] } = {};
  for (const [category, finding] of findings) {
    categories[category] = finding.flagged;
    scores[category] = finding.score;
    inputs[category] = finding.inputs.slice();
  }
  return { flagged, categories, category_scores: scores, category_applied_input_types: inputs };
}
