// How responses carry each field of a chat request, and the members that no canonical field holds.
import { type TSchema, Type } from "typebox";
import type { ChatRequest, OutputFormat } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { missing, textOnly } from "../errors.ts";
import { dropped, type FieldTable, ignored, type Reading, rejected, type WireMembers } from "../field-table.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import {
  efforts,
  endUserRow,
  envelopeMembers,
  logprobsLimit,
  type OpenaiSetting,
  samplingRows,
  tierMember,
  tierRow,
} from "../shared/openai-fields.ts";
import { parseSchemaFormat, schemaMembers } from "../shared/openai-format.ts";
import { inputSchema } from "./item-schema.ts";
import { inputItems, parseInput } from "./parse-input.ts";
import { parseReasoning } from "./reasoning.ts";
import { renderInputItems } from "./render-input.ts";
import { parseToolFields, renderTools } from "./tools.ts";

/** What the rows read in addition to those of OpenAI-shaped formats: the rendered member `reasoning`. */
interface ResponsesSetting extends OpenaiSetting {
  readonly reasoning?: JsonObject;
}

const minOutputTokens = 16;
const otherTiers = ["scale", "ultrafast"];
export const logprobsInclude = "message.output_text.logprobs";

const tool = object({
  type: Type.String({ description: "`function`, `custom`, `namespace`, or a tool that the provider runs." }),
  name: optional("string", { minLength: 1 }),
  description: optional("string"),
  parameters: optional("object", { description: "JSON Schema of the parameters." }),
  strict: optional("boolean"),
  format: optional("object", { description: "Format of the custom tool's input." }),
  tools: optional("array", { items: { type: "object" }, description: "Tools of a namespace." }),
});

const choice = optional(["string", "object"], {
  description: "`none`, `auto`, `required`, a single tool, or a set of allowed tools.",
  properties: {
    type: Type.String(),
    name: optional("string"),
    mode: enumeration(["auto", "required"]),
    tools: optional("array", { items: { type: "object" } }),
  },
});

const format = optional("object", {
  properties: {
    type: Type.String({ enum: ["text", "json_object", "json_schema"] }),
    name: optional("string"),
    description: optional("string"),
    schema: optional("object"),
    strict: optional("boolean"),
  },
  required: ["type"],
});

const includable = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  logprobsInclude,
];

/** Changes that items make to the request later in the conversation: the last one counts. */
interface Updates {
  effort?: Json;
  format?: { readonly value: Json | undefined; readonly path: string };
}

function updatesIn(wire: JsonObject): Updates {
  const updates: Updates = {};
  inputItems(wire.input).forEach(({ type, reasoning, text }, index) => {
    if (type !== "configuration_update") return;
    if (isObject(reasoning) && typeof reasoning.effort === "string") updates.effort = reasoning.effort;
    if (isObject(text)) updates.format = { value: text.format, path: `input[${index}].text.format` };
  });
  return updates;
}

/** The conversation. A request without content is refused. */
function parseConversation({ wire, unmapped }: Reading): Pick<ChatRequest, "system" | "messages"> {
  const items = inputItems(wire.input);
  const sources = [wire.instructions, wire.previous_response_id, wire.conversation, wire.prompt];
  if (items.length === 0 && sources.every((source) => isAbsent(source) || source === "")) throw missing("input");
  const { extras, ...conversation } = parseInput(wire, items);
  unmapped.push(...extras);
  return conversation;
}

function parseFormat({ wire }: Reading): { format?: OutputFormat } {
  const update = updatesIn(wire).format;
  const wanted = update?.value ?? (isObject(wire.text) ? wire.text.format : undefined);
  if (!isObject(wanted) || isAbsent(wanted)) return {};
  if (wanted.type === "json_schema") return { format: parseSchemaFormat(wanted, update?.path ?? "text.format") };
  return { format: { type: wanted.type === "json_object" ? "json" : "text" } };
}

function renderFormat(wanted: OutputFormat): JsonObject {
  if (wanted.type === "schema") return { type: "json_schema", ...schemaMembers(wanted) };
  return { type: wanted.type === "json" ? "json_object" : "text" };
}

function parseLogprobs({ wire }: Reading): { logprobs?: number } {
  const alternatives = typeof wire.top_logprobs === "number" ? wire.top_logprobs : 0;
  const isIncluded = Array.isArray(wire.include) && wire.include.includes(logprobsInclude);
  return isIncluded || alternatives > 0 ? { logprobs: alternatives } : {};
}

export const responsesFields: FieldTable<ChatRequest, ResponsesSetting> = {
  messages: {
    path: "input",
    schema: inputSchema.input as TSchema,
    parseMembers: parseConversation,
    renderMembers: ({ request, names, warnings }) => renderInputItems(request, names, warnings),
  },
  system: { path: "instructions", schema: inputSchema.instructions as TSchema, carriedBy: "messages" },
  maxOutputTokens: {
    path: "max_output_tokens",
    schema: optional("integer", {
      minimum: 1,
      description: "The maximum number of output tokens, including reasoning tokens.",
    }),
    limit: ({ warnings }) => ({ min: minOutputTokens, max: warnings.context.maxOutputTokens }),
  },
  ...samplingRows,
  presencePenalty: dropped("the format has no penalties"),
  frequencyPenalty: dropped("the format has no penalties"),
  seed: dropped("the format has no seed"),
  logitBias: rejected("token biases are not supported"),
  logprobs: {
    path: "top_logprobs",
    schema: optional("integer", {
      minimum: 0,
      maximum: 20,
      description: "Number of most likely tokens to return at each position.",
    }),
    parseMembers: parseLogprobs,
    limit: logprobsLimit,
    render: (alternatives) => alternatives || undefined,
  },
  stopSequences: rejected("stop sequences are not supported"),
  choices: rejected("only one choice per request is supported"),
  media: rejected(textOnly),
  tools: {
    path: "tools",
    schema: optional("array", { items: tool, description: "Tools that the model can use." }),
    parseMembers: parseToolFields,
    renderMembers: ({ request, names, warnings }) => renderTools(request, names, warnings),
  },
  toolChoice: { path: "tool_choice", schema: choice, carriedBy: "tools" },
  parallelToolCalls: {
    path: "parallel_tool_calls",
    schema: optional("boolean", {
      default: true,
      description: "Whether the model may call several tools in parallel.",
    }),
    carriedBy: "tools",
  },
  format: { path: "text.format", schema: format, parseMembers: parseFormat, render: renderFormat },
  verbosity: { path: "text.verbosity", schema: enumeration(["low", "medium", "high"]) },
  reasoning: {
    path: "reasoning.effort",
    schema: enumeration(efforts),
    also: {
      "reasoning.summary": optional("string", { description: "`auto`, `concise` or `detailed`." }),
      "reasoning.generate_summary": optional("string", { description: "Deprecated: use `summary`." }),
    },
    parseMembers: ({ wire }) => parseReasoning(wire.reasoning, updatesIn(wire).effort),
    renderMembers: ({ reasoning }) => (reasoning === undefined ? {} : { reasoning }),
  },
  tier: tierRow(otherTiers),
  endUser: endUserRow("safety_identifier"),
  cache: ignored("prompts are cached without markers"),
  completion: ignored("its members are unmapped fields of the client"),
};

const besides =
  (usual: Json) =>
  (value: Json): "warn" | null =>
    value === usual ? null : "warn";

/** State across requests belongs to the gateway, which has resolved it before the request is parsed. */
export const responsesMembers: WireMembers = {
  ...envelopeMembers,
  ...tierMember(otherTiers),
  previous_response_id: { schema: inputSchema.previous_response_id as TSchema, lost: "ignore" },
  text: { schema: optional("object", { description: "Format that the model must return." }) },
  reasoning: { schema: optional("object", { description: "Configuration of reasoning." }) },
  "reasoning.context": { schema: enumeration(["auto", "current_turn", "all_turns"]), lost: besides("auto") },
  "reasoning.mode": { schema: optional("string"), lost: besides("standard") },
  truncation: {
    schema: enumeration(["auto", "disabled"], {
      default: "disabled",
      description: "What to do with input that exceeds the context window.",
    }),
    lost: (value) => (value === "disabled" ? "ignore" : "warn"),
  },
  include: {
    schema: optional("array", {
      items: { type: "string", enum: includable },
      description: "Additional output data to include.",
    }),
    lost: "ignore",
  },
  max_tool_calls: {
    schema: optional("integer", { minimum: 0, description: "The maximum number of calls to built-in tools." }),
  },
  store: {
    schema: optional("boolean", {
      default: true,
      description: "Whether to store the response so that it can be retrieved and continued.",
    }),
    lost: "ignore",
  },
  background: {
    schema: optional("boolean", { default: false, description: "Whether to run the response in the background." }),
    lost: "ignore",
  },
  conversation: {
    schema: optional(["string", "object"], { description: "Conversation that the provider stores." }),
    lost: "reject",
  },
  prompt: { schema: optional("object", { description: "Prompt that the provider stores." }), lost: "reject" },
  context_management: {
    schema: optional("array", { items: { type: "object" }, description: "Configuration of compaction." }),
  },
  metadata: {
    schema: optional("object", { additionalProperties: { type: "string" }, description: "Labels." }),
    lost: "ignore",
  },
  moderation: { schema: optional("object", { description: "Inline moderation." }) },
  prompt_cache_key: { schema: inputSchema.prompt_cache_key as TSchema, lost: "ignore" },
  prompt_cache_options: { schema: inputSchema.prompt_cache_options as TSchema, lost: "ignore" },
  prompt_cache_retention: { schema: inputSchema.prompt_cache_retention as TSchema, lost: "ignore" },
};
