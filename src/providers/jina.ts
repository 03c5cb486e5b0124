// Jina, for vectors and ranking. It lists no models.
import { jinaEmbeddings, plainRerank } from "../dialects/index.ts";
import { bearer } from "./authentication.ts";
import type { ProviderKind } from "./provider.ts";

export const jina: ProviderKind = {
  kind: "jina",
  baseUrl: "https://api.jina.ai/v1",
  barePath: "v1",
  environment: { credential: "JINA_API_KEY", baseUrl: "JINA_BASE_URL" },
  dialects: [jinaEmbeddings, plainRerank],
  options: { ranks: "media" },
  origin: "jina",
  authorize: bearer,
};
