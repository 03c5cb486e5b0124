// Google's Gemini API, with an API key. Its SDK takes the base URL without a version.

import type { Dialect } from "../dialects/dialect.ts";
import {
  geminiBatchEmbeddings,
  geminiCount,
  gemini as geminiDialect,
  geminiImages,
  geminiSpeech,
  geminiTranscriptions,
  imagenImages,
} from "../dialects/index.ts";
import { geminiVeo } from "../dialects/video/index.ts";
import { isObject, type Json } from "../lib/json.ts";
import { googleKeyHeader } from "./authentication.ts";
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

/** Models of one family know no conversation, and draw in words of their own. */
export function servesImages(dialect: Dialect, model: string): boolean {
  return dialect.operation !== "image" || (dialect === imagenImages) === /imagen/i.test(model);
}

export const gemini: ProviderKind = {
  kind: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  environment: { credential: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
  dialects: [
    geminiDialect,
    geminiCount,
    geminiBatchEmbeddings,
    geminiImages,
    imagenImages,
    geminiSpeech,
    geminiTranscriptions,
  ],
  speaks: servesImages,
  videos: [geminiVeo],
  origin: "gemini",
  mediaSchemes: ["gs:"],
  authorize: googleKeyHeader,
  listing: { path: "v1beta/models?pageSize=1000", read: readModels },
};
