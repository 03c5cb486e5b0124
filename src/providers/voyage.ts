// Voyage, for vectors and ranking. It lists no models.
import { voyageEmbeddings, voyageRerank } from "../dialects/index.ts";
import { bearer } from "./authentication.ts";
import type { ProviderKind } from "./provider.ts";

export const voyage: ProviderKind = {
  kind: "voyage",
  baseUrl: "https://api.voyageai.com/v1",
  barePath: "v1",
  environment: { credential: "VOYAGE_API_KEY", baseUrl: "VOYAGE_BASE_URL" },
  dialects: [voyageEmbeddings, voyageRerank],
  origin: "voyage",
  authorize: bearer,
};
