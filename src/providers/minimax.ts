// MiniMax: chat in the compatible API, images and videos in its own, of which the newer ones lie beside it.
import { minimaxImages, minimaxSpeech } from "../dialects/index.ts";
import { minimaxNewerVideos, minimaxVideos } from "../dialects/video/index.ts";
import { nativeApiBeside } from "./native-api-prefix.ts";
import type { Preset } from "./preset.ts";
import { without } from "./request-quirks.ts";

/** https://platform.minimax.io/docs/api-reference/text-openai-api: thinking stands in the text, and has no level. */
export const minimax: Preset = {
  kind: "minimax",
  baseUrl: "https://api.minimax.io/v1",
  barePath: "v1",
  environment: { credential: "MINIMAX_API_KEY", baseUrl: "MINIMAX_BASE_URL" },
  also: [minimaxImages, minimaxSpeech],
  videos: [minimaxVideos, minimaxNewerVideos],
  account: nativeApiBeside("v1", /^v2\//),
  options: { splitsThinking: true },
  mends: { "chat/completions": [without("reasoning_effort")] },
};
