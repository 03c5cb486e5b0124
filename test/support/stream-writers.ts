// Who tells what an answer said, for each kind of endpoint.

import { chatTold, completionTold, messageTold, type Told } from "./chat-stream-reader.ts";
import { geminiTold } from "./gemini-stream-reader.ts";
import type { Surface } from "./http-client.ts";
import type { Heard } from "./response-oracle.ts";
import { responseTold } from "./responses-stream-reader.ts";

export const toldBy: Record<Surface, (heard: Heard) => Told> = {
  chat: chatTold,
  completions: completionTold,
  responses: responseTold,
  messages: messageTold,
  gemini: geminiTold,
  count: messageTold,
  "gemini-count": geminiTold,
  embeddings: chatTold,
};
