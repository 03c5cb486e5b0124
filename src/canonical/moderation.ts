// The canonical moderation request and reply: what an input holds that may do harm, category by category.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** The categories that every reply names, exactly as clients read them. */
export const moderationCategories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

export type ModerationCategory = (typeof moderationCategories)[number];

/** Categories that are looked for in images too. */
export const imageCategories: ReadonlySet<string> = new Set<ModerationCategory>([
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "violence",
  "violence/graphic",
]);

/** An image is an http address or a data URI; `path` is where it stood on the client's wire. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string; readonly path: string };

/** What is judged as one: parts in order, at least one. */
export type ModerationItem = readonly ModerationPart[];

export interface ModerationRequest {
  readonly operation: "moderate";
  readonly model: string;
  /** The client named no model: `model` is the one that its own provider would take. */
  readonly unnamed?: true;
  readonly stream: false;
  /** One result for each, in this order. */
  readonly items: readonly ModerationItem[];
  /** True where the items came as parts of one list, not as texts. */
  readonly mixed: boolean;
  readonly unmappedFields: readonly UnmappedField[];
}

export type InputType = "text" | "image";

/** What was found of one category: whether it is there, how surely (0 to 1), and in what it was looked for. */
export interface CategoryScore {
  readonly flagged: boolean;
  readonly score: number;
  readonly inputs: readonly InputType[];
}

export interface ModerationResult {
  readonly flagged: boolean;
  /** All of `moderationCategories`, and what else the upstream tells. */
  readonly findings: ReadonlyMap<string, CategoryScore>;
}

export interface ModerationResponse {
  readonly operation: "moderate";
  /** Empty where the upstream gave none. */
  readonly id: string;
  readonly model: string;
  /** One for each item, in order. */
  readonly verdicts: readonly ModerationResult[];
  readonly usage?: Usage;
}
