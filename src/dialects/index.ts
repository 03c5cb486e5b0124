// The list of dialects.
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { Dialect } from "./dialect.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiCompletions } from "./openai-completions/index.ts";
import { openaiEmbeddings } from "./openai-embeddings.ts";

export const dialects: readonly Dialect[] = [openaiChat, openaiCompletions, anthropicMessages, openaiEmbeddings];

export { anthropicMessages, openaiChat, openaiCompletions, openaiEmbeddings };
