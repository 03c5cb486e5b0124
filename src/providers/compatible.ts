// Any server that speaks OpenAI's chat and embeddings: a base URL is all it takes.
import { openaiChat, openaiEmbeddings } from "../dialects/index.ts";
import { bearer } from "./auth.ts";
import { readDataList } from "./listing.ts";
import type { ProviderKind } from "./provider.ts";

export const compatible: ProviderKind = {
  kind: "compatible",
  dialects: [openaiChat, openaiEmbeddings],
  origin: "compatible",
  authorize: bearer,
  listing: { path: "models", read: readDataList },
  options: { legacyMaxTokens: true },
};
