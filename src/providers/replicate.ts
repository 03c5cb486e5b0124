// Replicate, for videos. Its list is of everybody's models, thousands of them, and is not asked for.
import { replicateVideos } from "../dialects/video/index.ts";
import { bearer } from "./authentication.ts";
import type { ProviderKind } from "./provider.ts";

export const replicate: ProviderKind = {
  kind: "replicate",
  baseUrl: "https://api.replicate.com/v1",
  barePath: "v1",
  environment: { credential: "REPLICATE_API_TOKEN", baseUrl: "REPLICATE_BASE_URL" },
  dialects: [],
  videos: [replicateVideos],
  origin: "replicate",
  authorize: bearer,
};
