// The dialects of moderation, and the ways in which chat models judge.

import type { JudgeForm } from "./chat-moderation.ts";
import { guardJudge } from "./llama-guard.ts";
import { chatJudge } from "./prompt-moderation.ts";

export { type JudgeForm, judgeIn } from "./chat-moderation.ts";
export { mistralModerations } from "./mistral.ts";
export { openaiModerations } from "./openai.ts";

/** By the word that the configuration uses. */
export const judgeForms = { chat: chatJudge, "llama-guard": guardJudge } as const satisfies Record<string, JudgeForm>;
