// How chat completions carry each field of a chat request, and the members that no canonical field holds.
import { type TProperties, Type } from "typebox";
import type { ChatRequest, Effort, OutputFormat } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, missing } from "../errors.ts";
import { type FieldTable, ignored, type Reading, rejected, type WireMembers } from "../field-table.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import {
  choicesRow,
  efforts,
  endUserRow,
  envelopeMembers,
  logprobsLimit,
  type OpenaiSetting,
  samplingRows,
  stopRow,
  tierMember,
  tierRow,
  usageMember,
} from "../shared/openai-fields.ts";
import { parseSchemaFormat, schemaMembers } from "../shared/openai-format.ts";
import { messageSchema } from "./message-schema.ts";
import { renderOutputModalities } from "./output-media.ts";
import { parseMessages } from "./parse-messages.ts";
import { renderMessages } from "./render-messages.ts";
import { parseToolFields, renderTools } from "./tools.ts";

export const maxStops = 4;

const named: TProperties = { name: Type.String({ minLength: 1 }) };

const functionMembers: TProperties = {
  ...named,
  description: optional("string"),
  parameters: optional("object", { description: "JSON Schema of the parameters." }),
};

const tool = object({
  type: Type.String({ description: "`function` or `custom`." }),
  function: optional("object", {
    required: ["name"],
    properties: { ...functionMembers, strict: optional("boolean") },
  }),
  custom: optional("object", {
    required: ["name"],
    properties: { ...named, description: optional("string"), format: optional("object") },
  }),
});

const choice = optional(["string", "object"], {
  description: "`none`, `auto`, `required`, a single tool, or a set of allowed tools.",
  properties: {
    type: Type.String(),
    function: optional("object", { properties: named }),
    custom: optional("object", { properties: named }),
    allowed_tools: optional("object", {
      properties: { mode: enumeration(["auto", "required"]), tools: Type.Array(Type.Object({})) },
    }),
  },
});

const format = optional("object", {
  description: "Format that the model must return.",
  required: ["type"],
  properties: {
    type: Type.String({ enum: ["text", "json_object", "json_schema"] }),
    json_schema: optional("object", {
      required: ["name"],
      properties: {
        ...named,
        description: optional("string"),
        schema: optional("object"),
        strict: optional("boolean"),
      },
    }),
  },
});

function parseFormat(wire: Json): OutputFormat | undefined {
  if (!isObject(wire)) return undefined;
  if (wire.type === "text") return { type: "text" };
  if (wire.type === "json_object") return { type: "json" };
  if (!isObject(wire.json_schema)) throw missing("response_format.json_schema");
  return parseSchemaFormat(wire.json_schema, "response_format.json_schema");
}

function renderFormat(wanted: OutputFormat): JsonObject {
  if (wanted.type === "schema") return { type: "json_schema", json_schema: schemaMembers(wanted) };
  return { type: wanted.type === "json" ? "json_object" : "text" };
}

function parseLogprobs(_: Json, { wire }: Reading): number | undefined {
  const alternatives = typeof wire.top_logprobs === "number" ? wire.top_logprobs : 0;
  if (wire.logprobs === true) return alternatives;
  if (alternatives > 0) throw badValue("top_logprobs", "'top_logprobs' requires 'logprobs' to be true.");
  return undefined;
}

export const chatFields: FieldTable<ChatRequest, OpenaiSetting> = {
  messages: {
    path: "messages",
    schema: Type.Array(messageSchema, { minItems: 1, description: "The messages of the conversation so far." }),
    parseMembers: ({ wire }) => parseMessages(wire.messages as JsonObject[]),
    renderMembers: ({ request, names, warnings }) => ({ messages: renderMessages(request, names, warnings) }),
  },
  system: { path: "messages", carriedBy: "messages" },
  maxOutputTokens: {
    path: "max_completion_tokens",
    schema: optional("integer", {
      minimum: 1,
      description: "The maximum number of output tokens, including reasoning tokens.",
    }),
    also: {
      max_tokens: optional("integer", { minimum: 1, description: "Deprecated: use `max_completion_tokens`." }),
    },
    limit: ({ warnings }) => ({ max: warnings.context.maxOutputTokens }),
  },
  ...samplingRows,
  logprobs: {
    path: "logprobs",
    schema: optional("boolean", {
      default: false,
      description: "Whether to return log probabilities of the output tokens.",
    }),
    also: {
      top_logprobs: optional("integer", {
        minimum: 0,
        maximum: 20,
        description: "Number of most likely tokens to return at each position.",
      }),
    },
    parse: parseLogprobs,
    limit: logprobsLimit,
    renderMembers: ({ request: { logprobs } }) =>
      logprobs === undefined ? {} : { logprobs: true, top_logprobs: logprobs },
  },
  stopSequences: {
    ...stopRow,
    limit: (_, texts) =>
      texts.length > maxStops ? rejected(`this model supports at most ${maxStops} stop sequences`) : undefined,
  },
  choices: choicesRow,
  media: { path: "modalities", renderMembers: ({ request, warnings }) => renderOutputModalities(request, warnings) },
  tools: {
    path: "tools",
    schema: optional("array", { items: tool, description: "Tools that the model can use." }),
    parseMembers: ({ wire }) => parseToolFields(wire),
    renderMembers: ({ request, names, warnings }) => renderTools(request, names, warnings),
  },
  toolChoice: {
    path: "tool_choice",
    schema: choice,
    also: {
      function_call: optional(["string", "object"], {
        properties: named,
        description: "Deprecated: use `tool_choice`.",
      }),
    },
    carriedBy: "tools",
  },
  parallelToolCalls: {
    path: "parallel_tool_calls",
    schema: optional("boolean", {
      default: true,
      description: "Whether the model may call several tools in parallel.",
    }),
    carriedBy: "tools",
  },
  format: { path: "response_format", schema: format, parse: parseFormat, render: renderFormat },
  reasoning: {
    path: "reasoning_effort",
    schema: enumeration(efforts, { description: "How much the model should reason." }),
    parse: (effort) => ({ effort: effort as Effort }),
    render: (_, { effort }) => effort,
  },
  verbosity: {
    path: "verbosity",
    schema: enumeration(["low", "medium", "high"], { description: "How verbose the response should be." }),
  },
  tier: tierRow(["scale"]),
  endUser: endUserRow("user"),
  cache: ignored("prompts are cached without markers"),
  completion: ignored("its members are unmapped fields of the client"),
};

export const chatMembers: WireMembers = {
  ...envelopeMembers,
  ...usageMember,
  ...tierMember(["scale"]),
  modalities: {
    schema: optional("array", {
      items: { type: "string", enum: ["text", "audio"] },
      description: "Output types that the model should generate.",
    }),
    lost: (kinds) => (Array.isArray(kinds) && kinds.includes("audio") ? "reject" : "ignore"),
  },
  /** Only the audio format; `modalities` requests the audio. */
  audio: {
    schema: optional("object", {
      description: "Configuration of audio output.",
      properties: {
        voice: optional(["string", "object"], { properties: { id: Type.String() } }),
        format: enumeration(["wav", "aac", "mp3", "flac", "opus", "pcm16"]),
      },
    }),
    lost: "ignore",
  },
  prediction: {
    schema: optional("object", { description: "Predicted output: text that most of the response will match." }),
  },
  /** Read as tools; this entry makes the writer respond with `function_call`. */
  functions: {
    schema: optional("array", { items: object(functionMembers), description: "Deprecated: use `tools`." }),
    lost: "ignore",
  },
  web_search_options: {
    schema: optional("object", { description: "Options of the provider's web search." }),
    lost: "reject",
    countsWhenEmpty: true,
  },
  store: { schema: optional("boolean", { description: "Whether the provider stores the response." }), lost: "ignore" },
  metadata: {
    schema: optional("object", { additionalProperties: { type: "string" }, description: "Labels." }),
    lost: "ignore",
  },
  moderation: { schema: optional("object", { description: "Inline moderation." }) },
  prompt_cache_key: {
    schema: optional("string", { description: "Options of the provider's prompt cache." }),
    lost: "ignore",
  },
  prompt_cache_options: {
    schema: optional("object", { description: "Options of the provider's prompt cache." }),
    lost: "ignore",
  },
  prompt_cache_retention: {
    schema: enumeration(["in_memory", "in-memory", "24h"], { description: "Options of the provider's prompt cache." }),
    lost: "ignore",
  },
};
