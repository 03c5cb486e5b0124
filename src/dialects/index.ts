// The list of dialects.
import { anthropicCount } from "./anthropic-messages/count.ts";
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { Dialect } from "./dialect.ts";
import { geminiCount } from "./gemini/count-dialect.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiCompletions } from "./openai-completions/index.ts";
import { openaiEmbeddings } from "./openai-embeddings.ts";
import { openaiResponses } from "./openai-responses/index.ts";

export const dialects: readonly Dialect[] = [
  openaiChat,
  openaiCompletions,
  openaiResponses,
  anthropicMessages,
  gemini,
  openaiEmbeddings,
  anthropicCount,
  geminiCount,
];

export {
  anthropicCount,
  anthropicMessages,
  gemini,
  geminiCount,
  openaiChat,
  openaiCompletions,
  openaiEmbeddings,
  openaiResponses,
};
