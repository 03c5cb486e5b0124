// Anthropic itself. Its SDK takes the base URL without /v1.
import { anthropicCount, anthropicMessages } from "../dialects/index.ts";
import { apiKeyHeader } from "./authentication.ts";
import { readDataList } from "./model-list.ts";
import type { ProviderKind } from "./provider.ts";

export const anthropic: ProviderKind = {
  kind: "anthropic",
  baseUrl: "https://api.anthropic.com",
  environment: { credential: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  dialects: [anthropicMessages, anthropicCount],
  origin: "anthropic",
  authorize: apiKeyHeader,
  listing: { path: "v1/models?limit=1000", read: readDataList },
  headers: { "anthropic-version": "2023-06-01" },
};
