// Cohere, with its native API.
import { cohereEmbeddings, cohereRerank, plainRerank } from "../dialects/index.ts";
import { isObject, type Json } from "../lib/json.ts";
import { bearer } from "./authentication.ts";
import type { ListedModel, ProviderKind } from "./provider.ts";

const readItem = (item: Json): ListedModel[] =>
  isObject(item) && typeof item.name === "string" ? [{ id: item.name, ownedBy: "cohere" }] : [];

/** `{models: [{name, endpoints}]}`. */
function readModels(body: unknown): ListedModel[] {
  return isObject(body) && Array.isArray(body.models) ? body.models.flatMap(readItem) : [];
}

export const cohere: ProviderKind = {
  kind: "cohere",
  baseUrl: "https://api.cohere.com",
  environment: { credential: "CO_API_KEY", baseUrl: "CO_API_URL" },
  dialects: [cohereEmbeddings, cohereRerank, plainRerank],
  options: { ranks: "any" },
  mendCall: (call) => (call.path === "rerank" ? { ...call, path: "v1/rerank" } : call),
  origin: "cohere",
  authorize: bearer,
  listing: { path: "v1/models?page_size=1000", read: readModels },
};
