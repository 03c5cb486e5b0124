// Volcengine Ark and its twin abroad: chat and vectors in the compatible API, videos in its own beside them.
import { arkImages, openaiEmbeddings } from "../dialects/index.ts";
import { seedanceVideos } from "../dialects/video/index.ts";
import type { Preset } from "./preset.ts";
import { effortAsSwitch } from "./request-quirks.ts";

/** https://www.volcengine.com/docs/82379/1494384: thinking is a switch, and the effort goes beside it. */
export const ark: Preset = {
  kind: "ark",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  barePath: "api/v3",
  environment: { credential: "ARK_API_KEY", baseUrl: "ARK_BASE_URL" },
  also: [openaiEmbeddings, arkImages],
  videos: [seedanceVideos],
  options: { legacyMaxTokens: true },
  mends: {
    "chat/completions": [
      effortAsSwitch("thinking", { type: "disabled" }, { type: "enabled" }, (effort) =>
        effort === "xhigh" || effort === "max" ? "high" : effort,
      ),
    ],
  },
};

/** https://docs.byteplus.com/en/docs/ModelArk */
export const byteplus: Preset = {
  ...ark,
  kind: "byteplus",
  baseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3",
  environment: { credential: "BYTEPLUS_API_KEY", baseUrl: "BYTEPLUS_BASE_URL" },
};
