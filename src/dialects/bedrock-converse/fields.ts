// How Converse carries each field of a chat request.
import type { ChatRequest, OutputFormat, TextBlock } from "../../canonical/chat.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import { cacheControl } from "../anthropic-messages/cache-control.ts";
import { textParts } from "../anthropic-messages/content.ts";
import { jsonInstruction, renderFormat } from "../anthropic-messages/output-format.ts";
import {
  absentFields,
  type SamplingSetting,
  stopLimit,
  temperatureLimit,
  topKLimit,
  topPLimit,
} from "../anthropic-messages/sampling.ts";
import type { WithOutputTool } from "../anthropic-messages/structured-output-tool.ts";
import { renderTools } from "../anthropic-messages/tools.ts";
import { dropped, type FieldTable, ignored } from "../field-table.ts";
import { type Spelling, spellContent } from "./content.ts";
import type { Family } from "./model-capabilities.ts";
import type { Thinking } from "./reasoning.ts";
import { hasNoTools, namesFor, spellTools } from "./tools.ts";

/** What the rows read: the capabilities of the model, and values that several fields share. */
interface ConverseSetting extends SamplingSetting {
  readonly family: Family;
  readonly thinking: Thinking;
  /** The tool that receives the answer, for models without schemas. */
  readonly output: WithOutputTool | null;
  readonly canForce: boolean;
  readonly to: Spelling;
  /** The system prefix, and the messages after it as in the Messages API. */
  readonly system: readonly TextBlock[];
  readonly messages: readonly JsonObject[];
}

function renderConversation({ request, system, messages, output, to }: ConverseSetting): JsonObject {
  const parts = system.flatMap((block) => textParts(block.text, cacheControl(block.cache)));
  const instruction = request.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  if (instruction !== null) parts.push({ type: "text", text: instruction });
  return {
    messages: messages.map(({ role, content }) => ({ role, content: spellContent(content, to) })),
    ...(parts.length === 0 ? {} : { system: spellContent(parts, to) }),
  };
}

/** Fields of the model itself, in addition to the common ones. */
function modelFields(fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields };
}

function renderConverseTools({ request, output, family, canForce, warnings }: ConverseSetting): JsonObject {
  const rendered = output?.ask ?? request;
  const tools = hasNoTools(rendered) ? {} : renderTools(rendered, namesFor(rendered), canForce, warnings);
  const { toolConfig, additional } = spellTools(tools, family, warnings);
  return { ...(toolConfig === undefined ? {} : { toolConfig }), ...modelFields(additional) };
}

/** Paths of the matched stop sequence, for complete replies and for streams. Paths that do not exist are ignored. */
const stopPaths = ["/stop_sequence", "/delta/stop_sequence"];

function renderStops({ request: { stopSequences }, family }: ConverseSetting): JsonObject {
  if (stopSequences.length === 0) return {};
  return {
    inferenceConfig: { stopSequences: [...stopSequences] },
    ...(family.tellsStop ? { additionalModelResponseFieldPaths: stopPaths } : {}),
  };
}

const cleanName = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The schema is sent as text.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_JsonSchemaDefinition.html
 */
function renderTextFormat(format: OutputFormat, { limits, warnings }: ConverseSetting): JsonObject | undefined {
  const native = renderFormat(format, limits, warnings);
  if (native === undefined || format.type !== "schema") return undefined;
  const { name, description } = format;
  const jsonSchema = omitUndefined({
    schema: JSON.stringify(native.schema),
    name: name !== undefined && cleanName.test(name) ? name : undefined,
    description,
  });
  return { type: "json_schema", structure: { jsonSchema } };
}

export const converseFields: FieldTable<ChatRequest, ConverseSetting> = {
  messages: { path: "messages", renderMembers: renderConversation },
  system: { path: "system", carriedBy: "messages" },
  ...absentFields,
  maxOutputTokens: {
    path: "inferenceConfig.maxTokens",
    renderMembers: ({ thinking: { maxTokens } }) => (maxTokens === null ? {} : { inferenceConfig: { maxTokens } }),
  },
  temperature: { path: "inferenceConfig.temperature", limit: temperatureLimit },
  topP: { path: "inferenceConfig.topP", limit: topPLimit },
  stopSequences: { path: "inferenceConfig.stopSequences", limit: stopLimit, renderMembers: renderStops },
  reasoning: {
    path: "additionalModelRequestFields.thinking",
    renderMembers: ({ thinking }) => modelFields(thinking.additional),
  },
  topK: {
    path: "additionalModelRequestFields.top_k",
    limit: (setting) => (setting.family.topK === "none" ? dropped("this model has no top_k") : topKLimit(setting)),
    renderMembers({ request: { sampling }, family }) {
      if (sampling.topK === undefined) return {};
      return modelFields(
        family.topK === "own" ? { top_k: sampling.topK } : { inferenceConfig: { topK: sampling.topK } },
      );
    },
  },
  tools: { path: "toolConfig.tools", renderMembers: renderConverseTools },
  toolChoice: { path: "toolConfig.toolChoice", carriedBy: "tools" },
  parallelToolCalls: { path: "additionalModelRequestFields.tool_choice", carriedBy: "tools" },
  format: { path: "outputConfig.textFormat", render: renderTextFormat },
  tier: {
    path: "serviceTier",
    limit: (_, tier) => (tier === "fast" ? dropped("there is no such class") : undefined),
    render: (tier) => ({ type: tier }),
  },
  endUser: ignored("the service does not accept an end user ID"),
  cache: ignored("the format has cache points of its own"),
};
