// The table of compatible providers: URLs, options and quirks of servers with OpenAI's chat completions, one row each.
import {
  groqSpeech,
  groqTranscriptions,
  groqTranslations,
  mistralModerations,
  mistralTranscriptions,
  openaiCompletions,
  openaiEmbeddings,
  openaiTranscriptions,
  openaiTranslations,
  plainRerank,
  siliconflowImages,
  siliconflowSpeech,
  siliconflowTranscriptions,
  xaiImages,
  zhipuImages,
} from "../dialects/index.ts";
import { ark, byteplus, dashscope, minimax, ollama } from "./native-presets.ts";
import { type Preset, preset } from "./preset.ts";
import type { HttpKind } from "./provider.ts";
import {
  assistantBehindResults,
  effortAmong,
  effortAsSwitch,
  messagesWithout,
  nineCharacterIds,
  onModels,
  type Patch,
  reasoningWithToolCalls,
  renamed,
  without,
  withoutDefaults,
} from "./request-quirks.ts";
import { thinkingInContent, usageInChoice, usageInXGroq } from "./response-quirks.ts";

const chat = "chat/completions";
const embeddings = "embeddings";
const older = { legacyMaxTokens: true } as const;
const thinkingType = (level?: (effort: string, model: string) => string | undefined): Patch =>
  effortAsSwitch("thinking", { type: "disabled" }, { type: "enabled" }, level);
const zeroPenalties = { presence_penalty: 0, frequency_penalty: 0 } as const;

/**
 * Only the newer models accept a level of thinking in addition to the switch. The last chunk has usage without a
 * request for it.
 */
const glm: Pick<Preset, "also" | "options" | "patches"> = {
  also: [openaiEmbeddings, zhipuImages],
  options: { ...older, noStreamOptions: true, oneChoice: true, embeddings: { mostItems: 64, textsOnly: true } },
  patches: {
    [chat]: [
      thinkingType((effort, model) => (/^glm-(?:5\.[2-9]|[6-9])/.test(model) ? effort : undefined)),
      withoutDefaults(zeroPenalties),
      messagesWithout(["tool"], "name"),
    ],
  },
};

const hosted: readonly Preset[] = [
  {
    // https://openrouter.ai/docs/use-cases/reasoning-tokens; the dialect supports its comments and `reasoning_details`.
    // Images: https://openrouter.ai/docs/features/multimodal/image-generation
    name: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    environment: { credential: "OPENROUTER_API_KEY", baseUrl: "OPENROUTER_BASE_URL" },
    also: [openaiCompletions, openaiEmbeddings],
    options: { makesImages: true },
  },
  {
    // https://console.groq.com/docs/openai: these fields are refused with 400. The SDK accepts the bare host. Thinking
    // is in the text unless a request specifies otherwise.
    name: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    barePath: "openai/v1",
    environment: { credential: "GROQ_API_KEY", baseUrl: "GROQ_BASE_URL" },
    patches: {
      [chat]: [withoutDefaults({ logprobs: false, top_logprobs: 0, n: 1 }), messagesWithout(["tool"], "name")],
    },
    also: [groqSpeech, groqTranscriptions, groqTranslations],
    options: { splitsThinking: true, oneChoice: true },
    responsePatch: usageInXGroq,
  },
  {
    // https://api-docs.deepseek.com/guides/thinking_mode and /guides/fim_completion (prompts have a path of their own).
    name: "deepseek",
    baseUrl: "https://api.deepseek.com",
    environment: { credential: "DEEPSEEK_API_KEY", baseUrl: "DEEPSEEK_BASE_URL" },
    also: [openaiCompletions],
    options: { ...older, replaysThinking: true, oneChoice: true },
    patches: { [chat]: [thinkingType((effort) => effort), reasoningWithToolCalls] },
    paths: { completions: "beta/completions" },
  },
  {
    // https://docs.mistral.ai/api: unknown fields are refused with 422; thinking is returned as parts of the content.
    // Its own models support two efforts: https://github.com/anomalyco/models.dev/pull/1986
    name: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    barePath: "v1",
    environment: { credential: "MISTRAL_API_KEY", baseUrl: "MISTRAL_BASE_URL" },
    also: [openaiEmbeddings, mistralModerations, mistralTranscriptions],
    defaultModels: { moderate: "mistral-moderation-latest" },
    options: { ...older, noStreamOptions: true, embeddings: { textsOnly: true } },
    patches: {
      [chat]: [
        renamed("seed", "random_seed"),
        without("user", "safety_identifier", "store", "prompt_cache_options", "prompt_cache_retention"),
        withoutDefaults({ logprobs: false, service_tier: "auto" }),
        messagesWithout(["assistant"], "reasoning_content", "reasoning", "reasoning_details", "refusal", "annotations"),
        onModels(/^(?:mistral|magistral)-/, effortAmong("none", "high")),
        assistantBehindResults,
        nineCharacterIds,
      ],
      [embeddings]: [renamed("dimensions", "output_dimension"), without("user")],
    },
    responsePatch: thinkingInContent,
  },
  {
    // https://docs.x.ai/docs/guides/reasoning: reasoning models refuse penalties, even of zero.
    name: "xai",
    baseUrl: "https://api.x.ai/v1",
    barePath: "v1",
    environment: { credential: "XAI_API_KEY", baseUrl: "XAI_BASE_URL" },
    also: [xaiImages],
    patches: { [chat]: [withoutDefaults(zeroPenalties)] },
  },
  {
    // https://docs.together.ai/docs/openai-api-compatibility; the list of models is a bare list. Thinking:
    // /docs/deepseek-r1.
    name: "together",
    baseUrl: "https://api.together.xyz/v1",
    barePath: "v1",
    environment: { credential: "TOGETHER_API_KEY", baseUrl: "TOGETHER_BASE_URL" },
    also: [openaiCompletions, openaiEmbeddings],
    options: { ...older, splitsThinking: true },
  },
  {
    // https://docs.fireworks.ai/tools-sdks/openai-compatibility
    name: "fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    barePath: "inference/v1",
    environment: { credential: "FIREWORKS_API_KEY", baseUrl: "FIREWORKS_BASE_URL" },
    also: [openaiCompletions, openaiEmbeddings],
    options: older,
  },
  {
    // https://inference-docs.cerebras.ai/resources/openai: these fields are refused with 400. The SDK accepts the bare
    // host.
    name: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    barePath: "v1",
    environment: { credential: "CEREBRAS_API_KEY", baseUrl: "CEREBRAS_BASE_URL" },
    patches: { [chat]: [withoutDefaults({ ...zeroPenalties, parallel_tool_calls: true, service_tier: "auto" })] },
  },
  {
    // https://platform.kimi.ai/docs/api/chat and /docs/api/models-overview: only some models accept the switch.
    name: "moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    barePath: "v1",
    environment: { credential: "MOONSHOT_API_KEY", baseUrl: "MOONSHOT_BASE_URL" },
    options: { replaysThinking: true },
    patches: { [chat]: [onModels(/^kimi-k2/, thinkingType()), onModels(/^kimi-/, reasoningWithToolCalls)] },
    responsePatch: usageInChoice,
  },
  {
    // https://docs.bigmodel.cn: the same service as the next row, with separate accounts.
    name: "zhipu",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    environment: { credential: "ZHIPUAI_API_KEY", baseUrl: "ZHIPUAI_BASE_URL" },
    ...glm,
  },
  {
    // https://docs.z.ai
    name: "zai",
    baseUrl: "https://api.z.ai/api/paas/v4",
    environment: { credential: "ZAI_API_KEY", baseUrl: "ZAI_BASE_URL" },
    ...glm,
  },
  dashscope,
  ark,
  byteplus,
  minimax,
  {
    // https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions
    name: "siliconflow",
    baseUrl: "https://api.siliconflow.cn/v1",
    environment: { credential: "SILICONFLOW_API_KEY", baseUrl: "SILICONFLOW_BASE_URL" },
    also: [openaiEmbeddings, plainRerank, siliconflowImages, siliconflowSpeech, siliconflowTranscriptions],
    options: { ...older, embeddings: { mostItems: 32 }, ranks: "media" },
    patches: {
      [chat]: [
        effortAsSwitch("enable_thinking", false, true, (effort, model) =>
          /deepseek-v4/i.test(model) ? effort : undefined,
        ),
      ],
    },
  },
  {
    // https://docs.ollama.com/api/openai-compatibility: the hosted service.
    name: "ollama-cloud",
    baseUrl: "https://ollama.com/v1",
    barePath: "v1",
    environment: { credential: "OLLAMA_API_KEY", baseUrl: "OLLAMA_CLOUD_BASE_URL" },
    also: [openaiEmbeddings],
    options: { ...older, oneChoice: true, embeddings: { textsOnly: true } },
  },
];

/**
 * Local servers, found on their usual ports when nothing is configured. If started without a reasoning parser, they
 * leave thinking in the text.
 */
const servers: readonly Preset[] = [
  // https://lmstudio.ai/docs/api/openai-api
  { name: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1", localPort: 1234, options: { oneChoice: true } },
  {
    // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    name: "vllm",
    baseUrl: "http://127.0.0.1:8000/v1",
    localPort: 8000,
    environment: { credential: "VLLM_API_KEY", baseUrl: "VLLM_BASE_URL" },
    also: [plainRerank, openaiTranscriptions, openaiTranslations],
    options: { ranks: "content" },
  },
  {
    // https://github.com/ggml-org/llama.cpp/tree/master/tools/server
    name: "llamacpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    localPort: 8080,
    environment: { credential: "LLAMA_API_KEY", baseUrl: "LLAMA_BASE_URL" },
    also: [plainRerank],
  },
];

const local = servers.map((row) => ({
  ...row,
  barePath: "v1",
  also: [openaiCompletions, openaiEmbeddings, ...(row.also ?? [])],
  options: { ...older, splitsThinking: true, ...row.options },
}));

export const presets: readonly HttpKind[] = [...hosted, ollama, ...local].map(preset);
