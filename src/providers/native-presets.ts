// Compatible providers that also have a native API, at a path next to the compatible one.

import type { UpstreamRequest } from "../dialects/dialect.ts";
import {
  arkImages,
  dashscopeEmbeddings,
  dashscopeFlatRerank,
  dashscopeImages,
  dashscopeImageTasks,
  dashscopeRerank,
  minimaxImages,
  minimaxSpeech,
  ollamaEmbeddings,
  openaiCompletions,
  openaiEmbeddings,
  speaksImages,
} from "../dialects/index.ts";
import { minimaxNewerVideos, minimaxVideos, seedanceVideos, wanVideos } from "../dialects/video/index.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { Preset } from "./preset.ts";
import { effortAsSwitch, onModels, without } from "./request-quirks.ts";

/** `prefix` is the end of the base URL, as in `v1`; `native` matches the paths next to it. */
function nativeApiPrefix(prefix: string, native: RegExp): NonNullable<Preset["access"]> {
  const suffix = new RegExp(`/${prefix}$`);
  return ({ baseUrl }) => {
    const base = baseUrl.replace(/\/+$/, "");
    const within = suffix.test(base) || new URL(base).pathname === "/";
    const rewritePath = (call: UpstreamRequest): UpstreamRequest =>
      native.test(call.path) || !within ? call : { ...call, path: `${prefix}/${call.path}` };
    return { baseUrl: base.replace(suffix, ""), rewritePath, rewriteTaskPath: rewritePath };
  };
}

/** The maximum duration of a DashScope image task. */
const mostImageTaskMs = 180_000;

/** https://www.volcengine.com/docs/82379/1494384: thinking is a switch, and the effort is sent in addition. */
export const ark: Preset = {
  name: "ark",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  barePath: "api/v3",
  environment: { credential: "ARK_API_KEY", baseUrl: "ARK_BASE_URL" },
  also: [openaiEmbeddings, arkImages],
  videos: [seedanceVideos],
  options: { legacyMaxTokens: true },
  patches: {
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
  name: "byteplus",
  baseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3",
  environment: { credential: "BYTEPLUS_API_KEY", baseUrl: "BYTEPLUS_BASE_URL" },
};

/** https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference: the path of an unfinished task. */
function taskPath({ output }: JsonObject): string | null {
  const { task_id: id, task_status: status } = isObject(output) ? output : {};
  const isUnfinished = status === "PENDING" || status === "RUNNING" || status === "SUSPENDED";
  return typeof id === "string" && isUnfinished ? `api/v1/tasks/${encodeURIComponent(id)}` : null;
}

/**
 * https://www.alibabacloud.com/help/en/model-studio/deep-thinking: open models think by default, and then only support
 * streams.
 */
export const dashscope: Preset = {
  name: "dashscope",
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
  supports: speaksImages,
  polling: [
    { dialect: dashscopeImageTasks, next: taskPath, waitsMs: [500, 1_000, 2_000, 3_000], mostMs: mostImageTaskMs },
  ],
  videos: [wanVideos],
  access: nativeApiPrefix("compatible-mode/v1", /^(?:api|compatible-api)\//),
  options: {
    legacyMaxTokens: true,
    // https://help.aliyun.com/zh/model-studio/embedding-interfaces-compatible-with-openai
    embeddings: { mostItems: 10, textsOnly: true, floatsOnly: true, purposeElsewhere: true },
  },
  patches: {
    "chat/completions": [
      effortAsSwitch("enable_thinking", false, true, (effort) => (effort === "minimal" ? "minimum" : effort)),
      onModels(/^qwen3-\d/, (body) => (body.stream === true ? body : { enable_thinking: false, ...body })),
    ],
  },
};

/** https://platform.minimax.io/docs/api-reference/text-openai-api: thinking is in the text and has no levels. */
export const minimax: Preset = {
  name: "minimax",
  baseUrl: "https://api.minimax.io/v1",
  barePath: "v1",
  environment: { credential: "MINIMAX_API_KEY", baseUrl: "MINIMAX_BASE_URL" },
  also: [minimaxImages, minimaxSpeech],
  videos: [minimaxVideos, minimaxNewerVideos],
  access: nativeApiPrefix("v1", /^v2\//),
  options: { splitsThinking: true },
  patches: { "chat/completions": [without("reasoning_effort")] },
};

/** https://docs.ollama.com/api/openai-compatibility: calls arrive complete, each in one chunk. */
export const ollama: Preset = {
  name: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  barePath: "v1",
  localPort: 11434,
  also: [openaiCompletions, ollamaEmbeddings],
  access: nativeApiPrefix("v1", /^api\//),
  options: { legacyMaxTokens: true, splitsThinking: true, oneChoice: true },
};
