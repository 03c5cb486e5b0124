// How generateContent carries each field of a chat request, and the members that no canonical field holds.
import { type TSchema, Type } from "typebox";
import type { ChatRequest, TextBlock } from "../../canonical/chat.ts";
import type { Loss } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import {
  dropped,
  type FieldTable,
  ignored,
  type Reading,
  type RenderSetting,
  rejected,
  type WireMembers,
} from "../field-table.ts";
import { optional } from "../schema-helpers.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { renderText } from "./media.ts";
import { readOutputModalities, renderOutputModalities } from "./modalities.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { readFormat, renderFormat } from "./output-format.ts";
import { readContents, readInstruction } from "./parse-contents.ts";
import { readThinking, renderThinking } from "./reasoning.ts";
import { renderContents } from "./render-contents.ts";
import { contentSchema, instructionSchema, message, toolConfigSchema, toolSchema, words } from "./schema.ts";
import { readToolConfig, readTools, renderTools } from "./tools.ts";

/** What the rows read: the capabilities of the model, and the conversation without its system prefix. */
interface GeminiSetting extends RenderSetting<ChatRequest> {
  readonly limits: ModelLimits;
  readonly names: ToolNames;
  readonly system: readonly TextBlock[];
  readonly messages: ChatRequest["messages"];
}

/** Maximum stop sequences of one request. */
export const maxStops = 5;

const number = (minimum: number, maximum: number, description: string): TSchema =>
  optional("number", { minimum, maximum, description });

const config = ({ wire }: Reading): JsonObject => (isObject(wire.generationConfig) ? wire.generationConfig : {});

/** Members under `generationConfig`, if there are any. */
function inConfig(members: JsonObject): JsonObject {
  const given = omitUndefined(members);
  return isAbsent(given) ? {} : { generationConfig: given };
}

function penaltyLimit({ limits }: GeminiSetting): Loss | undefined {
  return limits.penalties ? undefined : dropped("this model does not accept penalties");
}

function choicesLimit({ request, limits }: GeminiSetting, choices: number): Loss | undefined {
  if (choices > 1 && request.stream) return rejected("streams support only one choice");
  return choices > limits.maxChoices ? rejected(`this model supports at most ${limits.maxChoices} choices`) : undefined;
}

function renderConversation({ request, system, messages, warnings, limits, names }: GeminiSetting): JsonObject {
  const parts = system.flatMap(renderText);
  return {
    contents: renderContents(request, messages, { notes: warnings, limits, names }),
    ...(parts.length === 0 ? {} : { systemInstruction: { parts } }),
  };
}

type Tier = NonNullable<ChatRequest["tier"]>;
const tiers: readonly (readonly [Tier, string])[] = [
  ["default", "standard"],
  ["flex", "flex"],
  ["priority", "priority"],
];
const tierNamed = (name: Json): Tier | undefined =>
  tiers.find(([, known]) => known === String(name).toLowerCase())?.[0];
const nameOfTier = (tier: Tier): string | undefined => tiers.find(([known]) => known === tier)?.[1];

const thinkingSchema = message(
  {
    includeThoughts: optional("boolean", { description: "Whether to include thought summaries in the response." }),
    thinkingBudget: optional("integer", {
      minimum: -1,
      description: "Thinking budget in tokens. 0 turns thinking off; -1 lets the model decide.",
    }),
    thinkingLevel: words(
      ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"],
      "How much the model should reason.",
    ),
  },
  { description: "Configuration of thinking." },
);

export const geminiFields: FieldTable<ChatRequest, GeminiSetting> = {
  messages: {
    path: "contents",
    schema: Type.Array(contentSchema, { minItems: 1, description: "The messages of the conversation so far." }),
    parseMembers: ({ wire, unmapped }) => ({
      system: readInstruction(wire.systemInstruction),
      messages: readContents(wire.contents, unmapped),
    }),
    renderMembers: renderConversation,
  },
  system: { path: "systemInstruction", schema: instructionSchema, carriedBy: "messages" },
  tools: {
    path: "tools",
    schema: optional("array", { items: toolSchema, description: "Tools that the model can use." }),
    parseMembers: ({ wire, unmapped }) => readToolConfig(wire.toolConfig, readTools(wire.tools, unmapped), unmapped),
    renderMembers: ({ request, names, limits, warnings }) => renderTools(request, names, limits, warnings),
  },
  toolChoice: {
    path: "toolConfig.functionCallingConfig",
    also: { toolConfig: toolConfigSchema },
    carriedBy: "tools",
  },
  parallelToolCalls: { path: "toolConfig.functionCallingConfig", carriedBy: "tools" },
  temperature: { path: "generationConfig.temperature", schema: number(0, 2, "Randomness.") },
  topP: {
    path: "generationConfig.topP",
    schema: number(0, 1, "Nucleus sampling: the share of probability mass to sample from."),
  },
  topK: {
    path: "generationConfig.topK",
    schema: optional("integer", { minimum: 1, description: "Only sample from the top K tokens." }),
  },
  seed: {
    path: "generationConfig.seed",
    schema: optional("integer", {
      format: "int64",
      description: "Seed for reproducible sampling, on a best-effort basis.",
    }),
    parse: (seed) => seed as number,
  },
  presencePenalty: {
    path: "generationConfig.presencePenalty",
    schema: number(-2, 2, "Penalizes tokens that already appear in the text, which favors new topics."),
    limit: penaltyLimit,
  },
  frequencyPenalty: {
    path: "generationConfig.frequencyPenalty",
    schema: number(-2, 2, "Penalizes tokens by how often they appear in the text, which reduces repetition."),
    limit: penaltyLimit,
  },
  logitBias: rejected("token IDs differ between models"),
  maxOutputTokens: {
    path: "generationConfig.maxOutputTokens",
    schema: optional("integer", {
      minimum: 1,
      description: "The maximum number of output tokens, including reasoning tokens.",
    }),
    limit: ({ warnings }) => ({ max: warnings.context.maxOutputTokens }),
  },
  stopSequences: {
    path: "generationConfig.stopSequences",
    schema: optional("array", {
      maxItems: maxStops,
      items: { type: "string" },
      description: "Sequences at which the model stops generating.",
    }),
    parse: (texts) => (texts as Json[]).filter((text): text is string => typeof text === "string" && text !== ""),
    limit: (_, texts) =>
      texts.length > maxStops ? rejected(`this model supports at most ${maxStops} stop sequences`) : undefined,
  },
  choices: {
    path: "generationConfig.candidateCount",
    schema: optional("integer", { minimum: 1, maximum: 8, default: 1, description: "Number of choices to generate." }),
    limit: choicesLimit,
    render: (choices) => (choices > 1 ? choices : undefined),
  },
  logprobs: {
    path: "generationConfig.responseLogprobs",
    schema: optional("boolean", { description: "Whether to return log probabilities of the output tokens." }),
    also: {
      "generationConfig.logprobs": optional("integer", {
        minimum: 0,
        maximum: 20,
        description: "Number of most likely tokens to return at each position.",
      }),
    },
    parse(_, reading) {
      const { responseLogprobs, logprobs } = config(reading);
      if (responseLogprobs !== true) return undefined;
      return typeof logprobs === "number" ? logprobs : 0;
    },
    renderMembers: ({ request: { logprobs } }) =>
      logprobs === undefined ? {} : inConfig({ responseLogprobs: true, logprobs: logprobs || undefined }),
  },
  format: {
    path: "generationConfig.responseSchema",
    schema: optional("object", { description: "Schema of the output, in OpenAPI's subset of JSON Schema." }),
    also: {
      "generationConfig.responseMimeType": optional("string", {
        description: "`text/plain`, `application/json` or `text/x.enum`.",
      }),
      "generationConfig.responseJsonSchema": optional("object", { description: "JSON Schema of the output." }),
    },
    parseMembers: (reading) => readFormat(config(reading), reading.unmapped),
    renderMembers: ({ request, limits, warnings }) => inConfig(renderFormat(request, limits, warnings)),
  },
  media: {
    path: "generationConfig.responseModalities",
    schema: optional("array", { items: { type: "string" }, description: "`TEXT`, `IMAGE`, `AUDIO`." }),
    also: {
      "generationConfig.imageConfig": message(
        { aspectRatio: optional("string"), imageSize: optional("string") },
        { description: "Configuration of generated images." },
      ),
      "generationConfig.speechConfig": optional("object", { description: "Configuration of speech output." }),
    },
    parseMembers(reading) {
      const media = readOutputModalities(config(reading), reading.unmapped);
      return media === undefined ? {} : { media };
    },
    renderMembers: ({ request }) => inConfig(renderOutputModalities(request.media)),
  },
  reasoning: {
    path: "generationConfig.thinkingConfig",
    schema: thinkingSchema,
    parse: readThinking,
    render: (reasoning, { limits, warnings }) => renderThinking(reasoning, limits, warnings),
  },
  tier: {
    path: "serviceTier",
    schema: words(["UNSPECIFIED", "STANDARD", "FLEX", "PRIORITY"], "Service tier to use for the request."),
    parse: tierNamed,
    limit: (_, tier) => (nameOfTier(tier) === undefined ? dropped("there is no such class") : undefined),
    render: nameOfTier,
  },
  verbosity: dropped("the format has no verbosity"),
  endUser: ignored("the format has no end user"),
  cache: ignored("prompts are cached without markers"),
  completion: ignored("its members are unmapped fields of the client"),
};

export const geminiMembers: WireMembers = {
  model: { lost: null },
  generationConfig: { schema: optional("object", { description: "Configuration of the generation." }) },
  "generationConfig.mediaResolution": {
    schema: optional("string", { description: "Resolution at which input media are processed." }),
  },
  "generationConfig.audioTimestamp": { schema: optional("boolean") },
  safetySettings: {
    schema: optional("array", { items: { type: "object" }, description: "Thresholds for blocking unsafe content." }),
  },
  cachedContent: {
    schema: optional("string", { description: "Name of the cached content to use as a prefix." }),
    lost: "reject",
  },
  labels: { schema: optional("object", { description: "Labels of the request." }) },
  store: { schema: optional("boolean", { description: "Whether the provider stores the response." }), lost: "ignore" },
  continuationToken: {
    schema: optional("string", { description: "Position from which to continue a paused response." }),
    lost: "reject",
  },
};
