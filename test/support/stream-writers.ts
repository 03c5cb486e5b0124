// Who tells what an answer said, for each kind of endpoint.

import { collectChat, collectCompletion, collectMessage, type Told } from "./chat-stream-reader.ts";
import { collectGemini } from "./gemini-stream-reader.ts";
import type { Surface } from "./http-client.ts";
import type { Heard } from "./response-oracle.ts";
import { collectResponse } from "./responses-stream-reader.ts";

export const toldBy: Record<Surface, (heard: Heard) => Told> = {
  chat: collectChat,
  completions: collectCompletion,
  responses: collectResponse,
  messages: collectMessage,
  gemini: collectGemini,
  count: collectMessage,
  "gemini-count": collectGemini,
  embeddings: collectChat,
};
