// The request schema of chat completions: strict in types and bounds, open to unknown fields.
import { type TProperties, type TSchema, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { samplingSchema, stopSchema } from "../shared/openai-sampling.ts";
import { messageSchema } from "./message-schema.ts";

const named: TProperties = { name: Type.String({ minLength: 1 }) };

const tool = object({
  type: Type.String({ description: "`function` or `custom`." }),
  function: optional("object", {
    required: ["name"],
    properties: {
      ...named,
      description: optional("string"),
      parameters: optional("object", { description: "JSON Schema of the input." }),
      strict: optional("boolean"),
    },
  }),
  custom: optional("object", {
    required: ["name"],
    properties: { ...named, description: optional("string"), format: optional("object") },
  }),
});

const choice = optional(["string", "object"], {
  description: "`none`, `auto`, `required`, or the one tool or the subset of tools to call.",
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
  description: "Form of the output.",
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

const legacyFunction = object({
  ...named,
  description: optional("string"),
  parameters: optional("object"),
});

const sampling: TProperties = {
  ...samplingSchema,
  logprobs: optional("boolean", { default: false, description: "Log probabilities of the output." }),
  top_logprobs: optional("integer", { minimum: 0, maximum: 20, description: "Alternatives for each token." }),
};

const output: TProperties = {
  n: optional("integer", { minimum: 1, maximum: 128, default: 1, description: "How many answers." }),
  stop: stopSchema,
  max_tokens: optional("integer", { minimum: 1, description: "Older name of `max_completion_tokens`." }),
  max_completion_tokens: optional("integer", { minimum: 1, description: "Bound on output, thinking included." }),
  response_format: format,
  modalities: optional("array", {
    items: { type: "string", enum: ["text", "audio"] },
    description: "Kinds of output.",
  }),
  audio: optional("object", {
    description: "Form of spoken output.",
    properties: {
      voice: optional(["string", "object"], { properties: { id: Type.String() } }),
      format: enumeration(["wav", "aac", "mp3", "flac", "opus", "pcm16"]),
    },
  }),
  prediction: optional("object", { description: "Text that the output will mostly repeat." }),
  reasoning_effort: enumeration(["none", "minimal", "low", "medium", "high", "xhigh", "max"], {
    description: "How much to think.",
  }),
  verbosity: enumeration(["low", "medium", "high"], { description: "How long an answer." }),
};

const tools: TProperties = {
  tools: optional("array", { items: tool, description: "What the model may call." }),
  tool_choice: choice,
  parallel_tool_calls: optional("boolean", { default: true, description: "More than one call at once." }),
  functions: optional("array", { items: legacyFunction, description: "Older form of `tools`." }),
  function_call: optional(["string", "object"], { properties: named, description: "Older form of `tool_choice`." }),
  web_search_options: optional("object", { description: "Search by the provider." }),
};

const service: TProperties = {
  user: optional("string", { description: "End user id." }),
  safety_identifier: optional("string", { description: "End user id." }),
  service_tier: enumeration(["auto", "default", "flex", "scale", "priority", "fast"], {
    description: "Class of service.",
  }),
  store: optional("boolean", { description: "Keep the answer at the provider." }),
  metadata: optional("object", { additionalProperties: { type: "string" }, description: "Labels." }),
  moderation: optional("object", { description: "Inline moderation." }),
  prompt_cache_key: optional("string", { description: "Cache routing." }),
  prompt_cache_options: optional("object", { description: "Cache routing." }),
  prompt_cache_retention: enumeration(["in_memory", "in-memory", "24h"], { description: "Cache routing." }),
};

export const schema: TSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    messages: Type.Array(messageSchema, { minItems: 1, description: "The conversation so far." }),
    stream: optional("boolean", { default: false, description: "Server-sent events." }),
    stream_options: optional("object", {
      description: "What a stream carries.",
      properties: { include_usage: optional("boolean"), include_obfuscation: optional("boolean") },
    }),
    ...sampling,
    ...output,
    ...tools,
    ...service,
  },
  { additionalProperties: true },
);
