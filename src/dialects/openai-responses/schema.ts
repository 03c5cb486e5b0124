// The request schema of responses: strict in types and bounds, open to unknown fields.
import { type TProperties, type TSchema, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { samplingSchema } from "../shared/openai-sampling.ts";
import { itemSchema } from "./item-schema.ts";

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const tool = object({
  type: Type.String({ description: "`function`, `custom`, `namespace`, or a tool that the provider runs." }),
  name: optional("string", { minLength: 1 }),
  description: optional("string"),
  parameters: optional("object", { description: "JSON Schema of the input." }),
  strict: optional("boolean"),
  format: optional("object", { description: "Grammar of a custom tool's input." }),
  tools: optional("array", { items: { type: "object" }, description: "Tools of a namespace." }),
});

const choice = optional(["string", "object"], {
  description: "`none`, `auto`, `required`, or the one tool or the subset of tools to call.",
  properties: {
    type: Type.String(),
    name: optional("string"),
    mode: enumeration(["auto", "required"]),
    tools: optional("array", { items: { type: "object" } }),
  },
});

const text = optional("object", {
  description: "Form of the output.",
  properties: {
    format: optional("object", {
      properties: {
        type: Type.String({ enum: ["text", "json_object", "json_schema"] }),
        name: optional("string"),
        description: optional("string"),
        schema: optional("object"),
        strict: optional("boolean"),
      },
      required: ["type"],
    }),
    verbosity: enumeration(["low", "medium", "high"]),
  },
});

const reasoning = optional("object", {
  description: "How much to think, and whether to show it.",
  properties: {
    effort: enumeration(efforts),
    summary: optional("string", { description: "`auto`, `concise` or `detailed`." }),
    generate_summary: optional("string", { description: "Older name of `summary`." }),
    context: enumeration(["auto", "current_turn", "all_turns"]),
    mode: optional("string"),
  },
});

const includable = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
];

/** The conversation, as every endpoint of this dialect takes it. */
export const inputSchema: TProperties = {
  input: optional(["string", "array"], { items: itemSchema, description: "Text, or the items of a conversation." }),
  instructions: optional("string", { description: "What the model is told first, for this request alone." }),
  previous_response_id: optional("string", { description: "Continues a stored response." }),
  prompt_cache_key: optional("string", { description: "Cache routing." }),
  prompt_cache_options: optional("object", { description: "Cache routing." }),
  prompt_cache_retention: enumeration(["in_memory", "24h"], { description: "Cache routing." }),
  service_tier: enumeration(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"], {
    description: "Class of service.",
  }),
};

const output: TProperties = {
  max_output_tokens: optional("integer", { minimum: 1, description: "Bound on output, thinking included." }),
  temperature: samplingSchema.temperature as TSchema,
  top_p: samplingSchema.top_p as TSchema,
  top_logprobs: optional("integer", { minimum: 0, maximum: 20, description: "Alternatives for each token." }),
  text,
  reasoning,
  truncation: enumeration(["auto", "disabled"], {
    default: "disabled",
    description: "What happens to input that is too long.",
  }),
  include: optional("array", {
    items: { type: "string", enum: includable },
    description: "What else the output holds.",
  }),
};

const tools: TProperties = {
  tools: optional("array", { items: tool, description: "What the model may call." }),
  tool_choice: choice,
  parallel_tool_calls: optional("boolean", { default: true, description: "More than one call at once." }),
  max_tool_calls: optional("integer", { minimum: 0, description: "Bound on calls of tools that the provider runs." }),
};

const service: TProperties = {
  store: optional("boolean", { default: true, description: "Keep the response, so that it can be continued." }),
  background: optional("boolean", { default: false, description: "Answer at once, work on." }),
  conversation: optional(["string", "object"], { description: "A conversation that the provider keeps." }),
  prompt: optional("object", { description: "A prompt that the provider keeps." }),
  context_management: optional("array", {
    items: { type: "object" },
    description: "When to shorten the conversation.",
  }),
  metadata: optional("object", { additionalProperties: { type: "string" }, description: "Labels." }),
  user: optional("string", { description: "End user id." }),
  safety_identifier: optional("string", { description: "End user id." }),
  moderation: optional("object", { description: "Inline moderation." }),
};

export const schema: TSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    ...inputSchema,
    stream: optional("boolean", { default: false, description: "Server-sent events." }),
    stream_options: optional("object", {
      description: "What a stream carries.",
      properties: { include_obfuscation: optional("boolean") },
    }),
    ...output,
    ...tools,
    ...service,
  },
  { additionalProperties: true },
);
