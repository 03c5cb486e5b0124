// Any server that speaks OpenAI's chat, and what many such servers have beside it: a base URL is all it takes.
import {
  openaiChat,
  openaiCompletions,
  openaiEmbeddings,
  openaiImages,
  openaiModerations,
  plainRerank,
} from "../dialects/index.ts";
import { bearer } from "./authentication.ts";
import { readDataList } from "./model-list.ts";
import { openaiAudio } from "./openai.ts";
import type { ProviderKind } from "./provider.ts";

/** Speaks what most servers of the world speak, each with habits of its own. */
export function isCompatible({ dialects }: ProviderKind): boolean {
  return dialects.includes(openaiChat);
}

export const compatible: ProviderKind = {
  kind: "compatible",
  dialects: [
    openaiChat,
    openaiCompletions,
    openaiEmbeddings,
    plainRerank,
    openaiModerations,
    openaiImages,
    ...openaiAudio,
  ],
  usualModels: { moderate: "omni-moderation-latest" },
  origin: "compatible",
  authorize: bearer,
  listing: { path: "models", read: readDataList },
  options: { legacyMaxTokens: true },
};
