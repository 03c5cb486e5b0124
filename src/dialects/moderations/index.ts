// The dialects of moderation, and the ways in which chat models judge.

import type { ModeratorForm } from "./chat-moderation.ts";
import { llamaGuard } from "./llama-guard.ts";
import { promptModeration } from "./prompt-moderation.ts";

export { type ModeratorForm, moderatorIn } from "./chat-moderation.ts";
export { mistralModerations } from "./mistral.ts";
export { openaiModerations } from "./openai.ts";

/** By the word that the configuration uses. */
export const moderatorForms = { chat: promptModeration, "llama-guard": llamaGuard } as const satisfies Record<
  string,
  ModeratorForm
>;
