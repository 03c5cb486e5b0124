// DashScope: chat in the compatible API; vectors, ranking, images and videos in its own beside it.
import {
  dashscopeEmbeddings,
  dashscopeFlatRerank,
  dashscopeImages,
  dashscopeImageTasks,
  dashscopeRerank,
  openaiEmbeddings,
  speaksImages,
} from "../dialects/index.ts";
import { wanVideos } from "../dialects/video/index.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { nativeApiBeside } from "./native-api-prefix.ts";
import type { Preset } from "./preset.ts";
import { effortAsSwitch, onModels } from "./request-quirks.ts";

/** https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference: where an unfinished task is asked for. */
function taskPath({ output }: JsonObject): string | null {
  const { task_id: id, task_status: status } = isObject(output) ? output : {};
  const isUnfinished = status === "PENDING" || status === "RUNNING" || status === "SUSPENDED";
  return typeof id === "string" && isUnfinished ? `api/v1/tasks/${encodeURIComponent(id)}` : null;
}

/** https://www.alibabacloud.com/help/en/model-studio/deep-thinking: the open models think by default, and then only stream. */
export const dashscope: Preset = {
  kind: "dashscope",
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  environment: { credential: "DASHSCOPE_API_KEY", baseUrl: "DASHSCOPE_BASE_URL" },
  also: [
    openaiEmbeddings,
    dashscopeEmbeddings,
    dashscopeRerank,
    dashscopeFlatRerank,
    dashscopeImages,
    dashscopeImageTasks,
  ],
  speaks: speaksImages,
  follows: [{ dialect: dashscopeImageTasks, next: taskPath, waitsMs: [500, 1_000, 2_000, 3_000], mostMs: 180_000 }],
  videos: [wanVideos],
  account: nativeApiBeside("compatible-mode/v1", /^(?:api|compatible-api)\//),
  options: {
    legacyMaxTokens: true,
    // https://help.aliyun.com/zh/model-studio/embedding-interfaces-compatible-with-openai
    embeddings: { mostItems: 10, textsOnly: true, floatsOnly: true, purposeElsewhere: true },
  },
  mends: {
    "chat/completions": [
      effortAsSwitch("enable_thinking", false, true, (effort) => (effort === "minimal" ? "minimum" : effort)),
      onModels(/^qwen3-\d/, (body) => (body.stream === true ? body : { enable_thinking: false, ...body })),
    ],
  },
};
