// Runway, for videos. It lists no models.
import { runwayVideos } from "../dialects/video/index.ts";
import { bearer } from "./authentication.ts";
import type { ProviderKind } from "./provider.ts";

/** Where the provider's SDK points: the host says `dev` for all of its API. */
export const runway: ProviderKind = {
  kind: "runway",
  baseUrl: "https://api.dev.runwayml.com/v1",
  barePath: "v1",
  environment: { credential: "RUNWAYML_API_SECRET", baseUrl: "RUNWAYML_BASE_URL" },
  dialects: [],
  videos: [runwayVideos],
  origin: "runway",
  authorize: bearer,
  headers: { "x-runway-version": "2024-11-06" },
};
