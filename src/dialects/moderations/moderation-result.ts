// From categories and scores of an upstream to a verdict, and back to the form that clients read.
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

/** Scores stay between 0 and 1. */
export const clamped = (score: number): number => Math.min(Math.max(score, 0), 1);

/** In what a category was looked for, by an upstream that looks at everything it can. */
export function lookedAt(category: string, item: ModerationItem | undefined): InputType[] {
  const holds = (type: InputType): boolean => item?.some((part) => part.type === type) ?? type === "text";
  const texts: InputType[] = holds("text") ? ["text"] : [];
  return holds("image") && imageCategories.has(category) ? [...texts, "image"] : texts;
}

/** What was never looked for is not flagged, and says so by naming no input. */
const notLookedFor: CategoryScore = { flagged: false, score: 0, inputs: [] };

/** True when a category is flagged that clients know. */
export const knownFlagged = (found: ReadonlyMap<string, CategoryScore>): boolean =>
  [...found].some(([category, finding]) => finding.flagged && known.has(category));

/** A verdict that names every category. */
export function verdictOf(found: ReadonlyMap<string, CategoryScore>, flagged: boolean): ModerationResult {
  const findings = new Map<string, CategoryScore>(
    moderationCategories.map((category) => [category, found.get(category) ?? notLookedFor]),
  );
  for (const [category, finding] of found) findings.set(category, finding);
  return { flagged, findings };
}

/** One result as clients read it. A request may have thousands of them: one loop, without lists of entries. */
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
