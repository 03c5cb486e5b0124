// Token counting per model family: its tokenizer, and the vendor's rules for media, messages and tools.
import {
  anthropicPatches,
  geminiLevels,
  geminiTiles,
  grokTiles,
  type ImageRule,
  mistralPatches,
  openaiPatches,
  openaiTiles,
  qwenSquares,
} from "./image-rules.ts";

/** A vocabulary of the token counter. */
export type Encoding = "o200k_base" | "cl100k_base";

/** Unicode scripts by name: tokens per character, in tokens of the vocabulary. */
export type ScriptRates = { readonly [script: string]: number };

export interface TokenFamily {
  readonly name: string;
  /** The vocabulary used for counting. */
  readonly encoding: Encoding;
  /** Tokens of this family per token of that vocabulary: for Chinese characters, and for everything else. */
  readonly plain: number;
  readonly cjk: number;
  /** Scripts counted by characters, because the vocabulary is too inaccurate for them. */
  readonly perCharacter: ScriptRates;
  /** Each digit is a token. */
  readonly singleDigits: boolean;
  readonly image: ImageRule;
  /** The maximum tokens of an image, used where its size is unknown. */
  readonly imageBound: number;
  readonly audioPerSecond: number;
  readonly videoPerSecond: number;
  /** A page of a document: its text and, where the vendor processes it, its image. */
  readonly pageTokens: number;
  /** Tokens of every request and of every message, in addition to their texts. */
  readonly base: number;
  readonly perMessage: number;
  /** `schema`: tools are counted by the vendor's rule for function definitions; `json`: as JSON text. */
  readonly tools: "schema" | "json";
  /** Tokens that the vendor adds to a request with tools. */
  readonly withTools: number;
}

/**
 * OpenAI publishes its vocabularies and how messages and tools are counted:
 * https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken. Audio is 10 tokens a second:
 * https://platform.openai.com/docs/guides/audio. Documents are read as text and as an image of each page.
 */
const openai: TokenFamily = {
  name: "openai",
  encoding: "o200k_base",
  plain: 1,
  cjk: 1,
  perCharacter: {},
  singleDigits: false,
  image: openaiTiles(85, 170),
  imageBound: 1_445,
  audioPerSecond: 10,
  videoPerSecond: 0,
  pageTokens: 1_300,
  base: 3,
  perMessage: 4,
  tools: "schema",
  withTools: 0,
};

/**
 * Anthropic does not publish the vocabularies of its present models; the factors are those of the published one
 * (@anthropic-ai/tokenizer 0.0.4, Claude 2). Tools add a system prompt of 346 tokens, a page of a PDF 1,500 to 3,000:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview and …/build-with-claude/pdf-support.
 */
const claude: TokenFamily = {
  ...openai,
  name: "claude",
  plain: 1.1,
  cjk: 1.45,
  perCharacter: {
    ...{ Cyrillic: 0.52, Greek: 0.96, Hebrew: 0.75, Arabic: 0.81, Hangul: 1.02 },
    ...{ Devanagari: 0.95, Bengali: 1.52, Tamil: 1.72, Thai: 1.64 },
  },
  image: anthropicPatches(1_568, 1_568),
  imageBound: 1_568,
  pageTokens: 2_250,
  tools: "json",
  withTools: 346,
};

/**
 * Gemini's own vocabulary is not published, but that of Gemma is, which has the same design. Audio, video and pages:
 * https://ai.google.dev/gemini-api/docs/tokens, read 2026-11-22.
 */
const gemini: TokenFamily = {
  ...openai,
  name: "gemini",
  plain: 1.1,
  cjk: 0.88,
  singleDigits: true,
  image: geminiTiles,
  imageBound: 258 * 16,
  audioPerSecond: 32,
  videoPerSecond: 263,
  pageTokens: 258,
  base: 0,
  perMessage: 0,
  tools: "json",
};

/** Vocabularies of open models, measured with their own tables: see test/fixtures/tokens. */
const open: TokenFamily = { ...openai, tools: "json", image: qwenSquares(28, 1_280), imageBound: 1_282 };

/** The first match is used. Names as providers write them, with or without a vendor prefix. */
const families: readonly (readonly [RegExp, TokenFamily])[] = [
  [/gpt-4o-mini/, { ...openai, image: openaiTiles(2_833, 5_667), imageBound: 48_169 }],
  [/gpt-4\.1-mini|gpt-5(?:\.\d)?-mini/, { ...openai, image: openaiPatches(1.62, 1_536), imageBound: 2_489 }],
  [/gpt-4\.1-nano|gpt-5(?:\.\d)?-nano/, { ...openai, image: openaiPatches(2.46, 1_536), imageBound: 3_779 }],
  [/(?:^|\/)o4-mini/, { ...openai, image: openaiPatches(1.72, 1_536), imageBound: 2_642 }],
  [/(?:^|\/)o[13]/, { ...openai, image: openaiTiles(75, 150), imageBound: 1_275 }],
  // Patches instead of tiles, as https://docs.rs/vision-squeezer/0.6.2 describes them, 2026-11.
  [/gpt-5\.[4-9]|gpt-(?:[6-9]|\d{2,})/, { ...openai, image: openaiPatches(1.2, 2_500), imageBound: 3_000 }],
  [/gpt-5/, { ...openai, image: openaiTiles(70, 140), imageBound: 1_190 }],
  [/gpt-4(?![.o\d])|gpt-3\.5|gpt-35|text-embedding/, { ...openai, encoding: "cl100k_base" }],
  [/gpt-|chatgpt|davinci|babbage|whisper|tts-/, openai],
  [
    /claude-(?:\w+-)?(?:4[.-][7-9](?!\d)|[5-9](?!\d)|\d{2}(?!\d))|claude-(?:mythos|fable)/,
    { ...claude, image: anthropicPatches(2_576, 4_784), imageBound: 4_784 },
  ],
  [/claude/, claude],
  [/gemini-(?:[3-9]|\d{2})/, { ...gemini, image: geminiLevels, imageBound: 2_240, pageTokens: 560 }],
  [/gemini|gemma|learnlm/, gemini],
  [
    /qwen3.*(?:vl|omni)/,
    {
      ...open,
      name: "qwen",
      encoding: "cl100k_base",
      cjk: 0.52,
      singleDigits: true,
      image: qwenSquares(32, 2_560),
      imageBound: 2_562,
    },
  ],
  [
    /qw[eq]n?|tongyi/,
    {
      ...open,
      name: "qwen",
      encoding: "cl100k_base",
      cjk: 0.52,
      singleDigits: true,
      image: qwenSquares(28, 1_280),
      imageBound: 1_282,
    },
  ],
  [/llama/, { ...open, name: "llama", encoding: "cl100k_base", cjk: 0.7 }],
  [/deepseek/, { ...open, name: "deepseek", plain: 1.05, cjk: 0.74 }],
  [
    /mistral|mixtral|pixtral|codestral|devstral|magistral|ministral|voxtral/,
    { ...open, name: "mistral", singleDigits: true, image: mistralPatches, imageBound: 3_080 },
  ],
  [/grok/, { ...open, name: "grok", image: grokTiles, imageBound: 1_792 }],
  [/glm|kimi|moonshot|doubao|seed|minimax|abab|hunyuan|ernie|step-|yi-/, { ...open, name: "chinese", cjk: 0.8 }],
];

/** By provider, where the name of the model is not conclusive. */
const byKind: Readonly<Record<string, TokenFamily>> = { anthropic: claude, gemini };

/** For an unknown model on an unknown server. */
export const defaultFamily: TokenFamily = { ...openai, name: "unknown", tools: "json" };

const known = new Map<string, Map<string, TokenFamily>>();
const mostKnown = 1_000;

/** The family of a model, by its upstream name. */
export function tokenFamilyOf(kind: string, model: string): TokenFamily {
  const ofKind = known.get(kind) ?? new Map<string, TokenFamily>();
  const found = ofKind.get(model);
  if (found !== undefined) return found;
  const lowered = model.toLowerCase();
  const family = families.find(([name]) => name.test(lowered))?.[1] ?? byKind[kind] ?? defaultFamily;
  if (ofKind.size >= mostKnown) ofKind.clear();
  known.set(kind, ofKind.set(model, family));
  return family;
}
