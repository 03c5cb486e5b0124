// Whose envelope an error wears on a path that no row claims: the nearest relative's.
import { anthropicMessages } from "../dialects/index.ts";
import { openaiErrors } from "../dialects/openai-error.ts";
import type { Side } from "./endpoint.ts";

const anthropicSide: Side = { errors: anthropicMessages.error, idHeaders: ["request-id"] };
const openaiSide: Side = { errors: openaiErrors, idHeaders: [] };

/** OpenAI's, except where the path speaks of messages. */
export function fallbackSide(path: string): Side {
  return /^\/(?:v1\/)*messages(?:\/|$)/.test(path) ? anthropicSide : openaiSide;
}
