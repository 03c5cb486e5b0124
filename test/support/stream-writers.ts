// Who tells what an answer said, for each kind of endpoint.

import { collectChat, collectCompletion, collectMessage, type Result } from "./chat-stream-reader.ts";
import { collectGemini } from "./gemini-stream-reader.ts";
import type { Surface } from "./http-client.ts";
import type { Received } from "./response-oracle.ts";
import { collectResponse } from "./responses-stream-reader.ts";

export const collectBy: Record<Surface, (received: Received) => Result> = {
  chat: collectChat,
  completions: collectCompletion,
  responses: collectResponse,
  messages: collectMessage,
  gemini: collectGemini,
  count: collectMessage,
  "gemini-count": collectGemini,
  embeddings: collectChat,
};
