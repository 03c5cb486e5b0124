// fal, for videos, through its queue. It lists no models.
import { falVideos } from "../dialects/video/index.ts";
import type { ProviderKind } from "./provider.ts";

export const fal: ProviderKind = {
  kind: "fal",
  baseUrl: "https://queue.fal.run",
  environment: { credential: "FAL_KEY", baseUrl: "FAL_BASE_URL" },
  dialects: [],
  videos: [falVideos],
  origin: "fal",
  authorize: (credential) => ({ authorization: `Key ${credential.reveal()}` }),
};
