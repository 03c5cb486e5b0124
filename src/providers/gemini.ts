// Google's Gemini API, with an API key. Its SDK takes the base URL without a version.
import { geminiCount, gemini as geminiDialect } from "../dialects/index.ts";
import { isObject, type Json } from "../lib/json.ts";
import { googleKeyHeader } from "./auth.ts";
import type { ListedModel, ProviderKind } from "./provider.ts";

function readItem(item: Json): ListedModel[] {
  if (!isObject(item) || typeof item.name !== "string") return [];
  const named = typeof item.displayName === "string" ? { displayName: item.displayName } : {};
  return [{ id: item.name.replace(/^models\//, ""), ...named, ownedBy: "google" }];
}

/** `{models: [{name: "models/…", displayName}]}`. Entries without a name are left out. */
export function readModels(body: unknown): ListedModel[] {
  return isObject(body) && Array.isArray(body.models) ? body.models.flatMap(readItem) : [];
}

export const gemini: ProviderKind = {
  kind: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  environment: { credential: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
  dialects: [geminiDialect, geminiCount],
  origin: "gemini",
  authorize: googleKeyHeader,
  listing: { path: "v1beta/models?pageSize=1000", read: readModels },
};
