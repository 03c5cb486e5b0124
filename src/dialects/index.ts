// The list of dialects.
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { Dialect } from "./dialect.ts";
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
];

export { anthropicMessages, gemini, openaiChat, openaiCompletions, openaiEmbeddings, openaiResponses };
