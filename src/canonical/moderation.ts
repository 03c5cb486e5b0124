// The canonical moderation request and reply: harmful content, category by category.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** The categories of every reply, exactly as clients read them. */
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

/** Categories that apply to images too. */
export const imageCategories: ReadonlySet<string> = new Set<ModerationCategory>([
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "violence",
  "violence/graphic",
]);

/** An image is an http URL or a data URI; `path` is its position on the client's wire. */
export type ModerationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string; readonly path: string };

/** Parts that are classified together: at least one, in order. */
export type ModerationItem = readonly ModerationPart[];

export interface ModerationRequest {
  readonly operation: "moderate";
  readonly model: string;
  /** The client sent no model: `model` is the default of its dialect. */
  readonly unnamed?: true;
  readonly stream: false;
  /** One result each, in this order. */
  readonly items: readonly ModerationItem[];
  /** True where the items came as parts of one list, not as texts. */
  readonly mixed: boolean;
  readonly unmappedFields: readonly UnmappedField[];
}

export type InputType = "text" | "image";

/** The result for one category: whether it applies, its score (0 to 1), and the types of input it was checked in. */
export interface CategoryScore {
  readonly flagged: boolean;
  readonly score: number;
  readonly inputs: readonly InputType[];
}

export interface ModerationResult {
  readonly flagged: boolean;
  /** All of `moderationCategories`, and any others that the upstream returns. */
  readonly findings: ReadonlyMap<string, CategoryScore>;
}

export interface ModerationResponse {
  readonly operation: "moderate";
  /** Empty if the upstream returned none. */
  readonly id: string;
  readonly model: string;
  /** One for each item, in order. */
  readonly verdicts: readonly ModerationResult[];
  readonly usage?: Usage;
}
