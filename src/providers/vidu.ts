// Vidu, for videos. It lists no models.
import { viduVideos } from "../dialects/video/index.ts";
import type { ProviderKind } from "./provider.ts";

export const vidu: ProviderKind = {
  kind: "vidu",
  baseUrl: "https://api.vidu.com/ent/v2",
  barePath: "ent/v2",
  environment: { credential: "VIDU_API_KEY", baseUrl: "VIDU_BASE_URL" },
  dialects: [],
  videos: [viduVideos],
  origin: "vidu",
  authorize: (credential) => ({ authorization: `Token ${credential.reveal()}` }),
};
