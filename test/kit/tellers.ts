// Who tells what an answer said, for each kind of endpoint.
import type { Surface } from "./call.ts";
import type { Heard } from "./hear.ts";
import { chatTold, completionTold, messageTold, type Told } from "./told.ts";
import { geminiTold } from "./told-gemini.ts";
import { responseTold } from "./told-responses.ts";

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
