// OpenAI itself.
import { openaiChat, openaiEmbeddings } from "../dialects/index.ts";
import { bearer } from "./auth.ts";
import { readDataList } from "./listing.ts";
import type { ProviderKind } from "./provider.ts";

export const openai: ProviderKind = {
  kind: "openai",
  baseUrl: "https://api.openai.com/v1",
  environment: { credential: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  dialects: [openaiChat, openaiEmbeddings],
  origin: "openai",
  authorize: bearer,
  listing: { path: "models", read: readDataList },
};
