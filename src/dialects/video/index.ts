// The lists of video dialects: the formats of clients, and the wires of upstreams.
import type { VideoClient } from "./client.ts";
import { geminiVideo } from "./clients/gemini.ts";
import { videoGenerations } from "./clients/generations.ts";
import { jimengVideo } from "./clients/jimeng.ts";
import { klingImageVideo, klingTextVideo } from "./clients/kling.ts";
import { openaiVideo } from "./clients/openai.ts";

export { fileOf, geminiVideo, operationId, operationRequest } from "./clients/gemini.ts";
export { videoGenerations } from "./clients/generations.ts";
export {
  jimengNotFound as actionNotFound,
  jimengQuestion as actionQuestion,
  jimengTaskId as actionTaskId,
  jimengVideo,
} from "./clients/jimeng.ts";
export { klingImageVideo, klingTextVideo } from "./clients/kling.ts";
export { openaiRemix as remixSchema, openaiVideo, videoPage } from "./clients/openai.ts";
export { falVideos } from "./upstreams/fal.ts";
export { jimengVideos } from "./upstreams/jimeng.ts";
export { klingTasks, klingVideos } from "./upstreams/kling.ts";
export { minimaxNewerVideos, minimaxVideos } from "./upstreams/minimax.ts";
export { openaiVideos } from "./upstreams/openai.ts";
export { replicateVideos } from "./upstreams/replicate.ts";
export { runwayVideos } from "./upstreams/runway.ts";
export { seedanceVideos } from "./upstreams/seedance.ts";
export { geminiVeo, vertexVeo } from "./upstreams/veo.ts";
export { viduVideos } from "./upstreams/vidu.ts";
export { wanVideos } from "./upstreams/wan.ts";

/** All client formats, found by the name that is stored with a task. */
export const videoClients: readonly VideoClient[] = [
  videoGenerations,
  klingTextVideo,
  klingImageVideo,
  jimengVideo,
  openaiVideo,
  geminiVideo,
];
