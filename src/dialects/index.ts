// The list of dialects.
import { anthropicCount } from "./anthropic-messages/count.ts";
import { anthropicMessages } from "./anthropic-messages/index.ts";
import { bedrockConverse } from "./bedrock-converse/index.ts";
import type { Dialect } from "./dialect.ts";
import { geminiCount } from "./gemini/count-dialect.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiCompaction } from "./openai-compaction.ts";
import { openaiCompletions } from "./openai-completions/index.ts";
import { openaiEmbeddings } from "./openai-embeddings.ts";
import { openaiResponses } from "./openai-responses/index.ts";

/** Those that clients may speak to the gateway. */
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
  bedrockConverse,
  gemini,
  geminiCount,
  openaiChat,
  openaiCompaction,
  openaiCompletions,
  openaiEmbeddings,
  openaiResponses,
};
