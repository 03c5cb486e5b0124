// The dialects of moderation, and the ways in which chat models judge.
import { chatJudge } from "./chat-judge.ts";
import { guardJudge } from "./guard-judge.ts";
import type { JudgeForm } from "./judge.ts";

export { type JudgeForm, judgeIn } from "./judge.ts";
export { mistralModerations } from "./mistral.ts";
export { openaiModerations } from "./openai.ts";

/** By the word that the configuration uses. */
export const judgeForms = { chat: chatJudge, "llama-guard": guardJudge } as const satisfies Record<string, JudgeForm>;
