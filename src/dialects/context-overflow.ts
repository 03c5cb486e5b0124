// How servers report that a request exceeds the model's context, and how clients of each format expect the error.
import type { ContextOverflow } from "../canonical/error.ts";

/** The errors of one family of servers. Groups of `words` may be named `tokens` (of the request) and `limit`. */
interface OverflowRule {
  readonly by: string;
  readonly source: string;
  /** `code` or `type`, in lower case. */
  readonly codes?: readonly string[];
  readonly words?: RegExp;
}

/**
 * Codes and types are checked first, texts last; the first row that contains the numbers supplies them.
 * Fixtures: test/fixtures/refusals/context.json.
 */
const overflowRules: readonly OverflowRule[] = [
  {
    by: "OpenAI, Azure, vLLM, DeepSeek, SGLang, OpenRouter, Together",
    source: "https://platform.openai.com/docs/guides/error-codes; vllm/entrypoints/renderer.py; openrouter.ai/docs",
    codes: [
      "context_length_exceeded",
      "string_above_max_length",
      "context_window_exceeded",
      "model_max_prompt_tokens_exceeded",
    ],
    words:
      /maximum context length (?:is|of) (?<limit>\d+)(?: tokens)?(?:\D{0,80}?(?<tokens>\d+)(?: tokens| input tokens| of text input))?|maximum context length/i,
  },
  {
    by: "Mistral",
    source: "https://docs.mistral.ai/api",
    words: /prompt contains (?<tokens>\d+) tokens.{0,60}too large for model with (?<limit>\d+) maximum context length/i,
  },
  {
    by: "OpenAI responses",
    source: "https://platform.openai.com/docs/api-reference/responses",
    words: /exceeds the context window|context[ _]window (?:of this model|exceeds)|context_window_exceeded/i,
  },
  {
    by: "vLLM, OpenAI: the output would not fit",
    source: "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai",
    words:
      /longer than the maximum model length of (?<limit>\d+)|(?:input|prompt) \(length (?<tokens>\d+)\) is longer|exceeds model's maximum context/i,
  },
  {
    by: "Anthropic",
    source: "https://platform.claude.com/docs/en/build-with-claude/context-windows",
    words: /prompt is too long(?:: (?<tokens>\d+) tokens > (?<limit>\d+))?|exceed context limit: (?<tokens2>\d+)/i,
  },
  {
    by: "Gemini, Vertex",
    source: "https://ai.google.dev/gemini-api/docs/troubleshooting",
    words:
      /input token count \(?(?<tokens>\d+)?\)? ?exceeds the maximum number of tokens allowed(?: \(?(?<limit>\d+))?|input token count.{0,40}exceeds/i,
  },
  {
    by: "llama.cpp",
    source: "https://github.com/ggml-org/llama.cpp/pull/15780, https://github.com/ggml-org/llama.cpp/issues/19774",
    codes: ["exceed_context_size_error"],
    words:
      /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<limit>\d+)|exceeds the available context size|context size has been exceeded/i,
  },
  {
    by: "LM Studio",
    source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/237, /546, /1251",
    words:
      /trying to keep the first (?<tokens>\d+) tokens when context the overflows.{0,80}?context length of only (?<limit>\d+)|greater than the context length(?: \(n_keep: (?<tokens2>\d+) >= n_ctx: (?<limit2>\d+))?|n_keep \((?<tokens3>\d+)\) >= n_ctx \((?<limit3>\d+)|reached context length of (?<limit4>\d+) tokens/i,
  },
  {
    by: "xAI",
    source: "https://github.com/cline/cline/issues/3120",
    words: /maximum prompt length is (?<limit>\d+) but the request contains (?<tokens>\d+)/i,
  },
  {
    by: "TGI",
    source: "https://github.com/huggingface/text-generation-inference/blob/main/router/src/validation.rs",
    words:
      /`inputs` (?:tokens \+ `max_new_tokens` )?must (?:be|have less than) <?=? ?(?<limit>\d+)(?: tokens)?\. Given: (?<tokens>\d+)|`inputs` must have less than (?<limit2>\d+)/i,
  },
  {
    by: "SGLang",
    source: "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/tokenizer_manager.py",
    words:
      /input \((?<tokens>\d+) tokens\) is longer than the model's context length \((?<limit>\d+)|requested token count exceeds the model's maximum context length of (?<limit2>\d+)/i,
  },
  {
    by: "Ollama",
    source: "https://github.com/ollama/ollama/blob/main/server/routes.go",
    words: /input length exceeds (?:the |maximum )?context length|exceeded max context length/i,
  },
  {
    by: "Groq, Cerebras",
    source: "https://console.groq.com/docs/errors",
    words:
      /reduce the length of the messages or completion(?:\. current length is (?<tokens>\d+) while limit is (?<limit>\d+))?/i,
  },
  {
    by: "Fireworks",
    source: "https://docs.fireworks.ai/guides/inference-error-codes",
    words: /prompt is too long: (?<tokens>\d+), model maximum context length: (?<limit>\d+)/i,
  },
  {
    by: "Together",
    source: "https://docs.together.ai/docs/error-codes",
    words: /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)|input validation error.{0,40}too long/i,
  },
  {
    by: "Bedrock",
    source: "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html",
    words:
      /input is too long(?: for requested model)?|too many input tokens|exceeds? the (?:maximum|model).{0,40}(?:context|tokens|length)/i,
  },
  {
    by: "Cohere",
    source: "https://docs.cohere.com/reference/errors",
    words: /too many tokens: (?:total number of tokens|size limit exceeded by).{0,200}|too many tokens/i,
  },
  {
    by: "Moonshot, MiniMax, DashScope, Zhipu, GitHub",
    source:
      "https://platform.kimi.ai/docs/api/errors; https://help.aliyun.com/zh/model-studio/error-code; https://docs.z.ai/api-reference/api-code",
    codes: ["1261"],
    words:
      /exceeded model token limit:? (?<limit>\d+)(?: \(requested: (?<tokens>\d+))?|context window exceeds limit|range of input length should be \[\d+, ?(?<limit2>\d+)|prompt exceeds max length|prompt token count of (?<tokens2>\d+) exceeds the limit of (?<limit3>\d+)/i,
  },
];

const codes: ReadonlySet<string> = new Set(overflowRules.flatMap((rule) => rule.codes ?? []));

/** The number of a group, or of the group of the same name with a suffix from a second alternative. */
function numberOf(groups: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
  const text = [name, `${name}2`, `${name}3`, `${name}4`]
    .map((each) => groups[each])
    .find((each) => each !== undefined);
  return text === undefined ? undefined : Number(text);
}

/** Null for errors about anything else. */
export function overflowOf(words: readonly (string | undefined)[], message: string): ContextOverflow | null {
  const plain = message.replace(/(?<=\d),(?=\d{3})/g, "");
  const isKnown = words.some((word) => codes.has(word?.toLowerCase() ?? ""));
  const matches = overflowRules.flatMap(({ words: pattern }) => {
    const match = pattern?.exec(plain);
    return match ? [match] : [];
  });
  if (matches.length === 0 && !isKnown) return null;
  const numbers = matches.map(({ groups = {} }) => ({
    tokens: numberOf(groups, "tokens"),
    limit: numberOf(groups, "limit"),
  }));
  const best = numbers.find(({ tokens, limit }) => tokens !== undefined && limit !== undefined) ?? numbers[0];
  return {
    ...(best?.tokens === undefined ? {} : { tokens: best.tokens }),
    ...(best?.limit === undefined ? {} : { limit: best.limit }),
  };
}
