// How the Messages API carries each field of a chat request, and the members that no canonical field holds.
import { Type } from "typebox";
import type { ChatRequest, TextBlock } from "../../canonical/chat.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { dropped, type FieldTable, type Reading, type WireMembers } from "../field-table.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { digest, type ToolNames } from "../shared/tool-names.ts";
import { warnField } from "../shared/warnings.ts";
import { cacheControl } from "./cache-control.ts";
import { textParts } from "./content.ts";
import { any, cacheControlSchema, messageSchema, textPartSchema, toolSchema } from "./message-schema.ts";
import { jsonInstruction, readFormat, renderFormat } from "./output-format.ts";
import { readConversation } from "./parse-messages.ts";
import { readReasoning, type Thought } from "./reasoning.ts";
import { absentFields, type SamplingSetting, stopLimit, temperatureLimit, topKLimit, topPLimit } from "./sampling.ts";
import type { WithOutputTool } from "./structured-output-tool.ts";
import { readToolFields, renderTools } from "./tools.ts";
import { isAbsent } from "./wire-members.ts";

/** What the rows read: the capabilities of the model, and values that several fields share. */
interface MessagesSetting extends SamplingSetting {
  readonly names: ToolNames;
  readonly thought: Thought;
  /** The tool that receives the answer, for models without schemas. */
  readonly output: WithOutputTool | null;
  readonly canForce: boolean;
  /** The system prefix, and the messages after it. */
  readonly system: readonly TextBlock[];
  readonly messages: readonly JsonObject[];
}

const maxUserIdChars = 256;
const efforts = ["low", "medium", "high", "xhigh", "max"];
/** Only json_schema exists so far. Unknown types pass here and are refused where they cannot be translated. */
const format = { properties: { type: { type: "string" }, schema: { type: "object" } } };

function renderSystem({ request, system, output }: MessagesSetting): JsonObject {
  const instruction = request.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  const parts = system.flatMap((block) => textParts(block.text, cacheControl(block.cache)));
  if (instruction !== null) parts.push({ type: "text", text: instruction });
  if (parts.length === 0) return {};
  const [only] = parts;
  const isPlain = parts.length === 1 && Object.keys(only ?? {}).length === 2;
  return { system: isPlain ? only?.["text"] : parts };
}

function renderReasoning({ thought: { thinking, effort } }: MessagesSetting): JsonObject {
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

function readTier({ wire }: Reading): Pick<ChatRequest, "tier"> {
  if (wire["speed"] === "fast") return { tier: "fast" };
  return wire["service_tier"] === "standard_only" ? { tier: "default" } : {};
}

function renderTier({ request: { tier }, warnings }: MessagesSetting): JsonObject {
  if (tier === undefined) return {};
  if (tier !== "fast") return { service_tier: "standard_only" };
  warnField(warnings, "approximated", "tier");
  return { speed: "fast" };
}

export const messagesFields: FieldTable<ChatRequest, MessagesSetting> = {
  maxOutputTokens: {
    path: "max_tokens",
    schema: Type.Integer({ minimum: 1, description: "The maximum number of tokens to generate." }),
    renderMembers: ({ thought }) => ({ max_tokens: thought.maxTokens }),
  },
  messages: {
    path: "messages",
    schema: Type.Array(messageSchema, { minItems: 1, description: "The messages of the conversation so far." }),
    parseMembers: ({ wire, unmapped }) => readConversation(wire, unmapped),
    renderMembers: (setting) => ({ ...renderSystem(setting), messages: [...setting.messages] }),
  },
  system: {
    path: "system",
    schema: Type.Optional(any(["string", "array", "null"], { items: textPartSchema, description: "System prompt." })),
    carriedBy: "messages",
  },
  tools: {
    path: "tools",
    schema: optional("array", { items: toolSchema, description: "Tools that the model can use." }),
    parseMembers: ({ wire, unmapped }) => readToolFields(wire, unmapped),
    renderMembers: ({ request, output, names, canForce, warnings }) =>
      renderTools(output?.ask ?? request, names, canForce, warnings),
  },
  toolChoice: {
    path: "tool_choice",
    schema: optional(["object", "string"], {
      required: ["type"],
      properties: {
        type: { enum: ["auto", "any", "tool", "none"] },
        name: { type: ["string", "null"] },
        disable_parallel_tool_use: { type: ["boolean", "null"] },
      },
      description: "How the model should use the tools.",
    }),
    carriedBy: "tools",
  },
  parallelToolCalls: { path: "tool_choice.disable_parallel_tool_use", carriedBy: "tools" },
  ...absentFields,
  temperature: {
    path: "temperature",
    schema: optional("number", { minimum: 0, maximum: 1, description: "Randomness." }),
    limit: temperatureLimit,
  },
  topP: {
    path: "top_p",
    schema: optional("number", { description: "Nucleus sampling: the share of probability mass to sample from." }),
    limit: topPLimit,
  },
  topK: {
    path: "top_k",
    schema: optional("integer", { description: "Only sample from the top K tokens." }),
    limit: topKLimit,
  },
  stopSequences: {
    path: "stop_sequences",
    schema: optional("array", {
      items: { type: "string" },
      description: "Sequences at which the model stops generating.",
    }),
    limit: stopLimit,
  },
  reasoning: {
    path: "thinking",
    schema: optional("object", {
      required: ["type"],
      properties: {
        type: { enum: ["enabled", "disabled", "adaptive", "between_tools"] },
        budget_tokens: { type: ["integer", "null"] },
        display: { enum: ["summarized", "omitted", null] },
      },
      description: "Configuration of extended thinking.",
    }),
    also: { "output_config.effort": enumeration(efforts) },
    parseMembers({ wire, unmapped }) {
      const reasoning = readReasoning(wire, unmapped);
      return reasoning === undefined || isAbsent({ ...reasoning }) ? {} : { reasoning };
    },
    renderMembers: renderReasoning,
  },
  format: {
    path: "output_config.format",
    schema: optional("object", format),
    also: {
      output_format: optional("object", { ...format, description: "Deprecated: use `output_config.format`." }),
    },
    parseMembers({ wire, unmapped }) {
      const wanted = readFormat(wire, unmapped);
      return wanted === undefined ? {} : { format: wanted };
    },
    render: (wanted, { limits, warnings }) => renderFormat(wanted, limits, warnings),
  },
  tier: {
    path: "service_tier",
    schema: enumeration(["auto", "standard_only"], { description: "Service tier to use for the request." }),
    also: { speed: enumeration(["standard", "fast"], { description: "Inference speed." }) },
    parseMembers: readTier,
    limit: (_, tier) => (tier === "flex" || tier === "priority" ? dropped("there is no such class") : undefined),
    renderMembers: renderTier,
  },
  endUser: {
    path: "metadata.user_id",
    schema: optional("string"),
    parse: (user) => (user === "" ? undefined : String(user)),
    render: (user) => (user.length > maxUserIdChars ? digest(user, 64) : user),
  },
  cache: {
    path: "cache_control",
    schema: cacheControlSchema,
    parse: (wire) => ({ wire }),
    renderMembers: ({ request }) => cacheControl(request.cache),
  },
};

/** Values of `inference_geo` that require no region. */
const anywhere = new Set<Json>(["global", "not_available"]);

export const messagesMembers: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
  stream: {
    schema: optional("boolean", { description: "Whether to stream the response as server-sent events." }),
    lost: null,
  },
  inference_geo: {
    schema: optional("string", { description: "The region in which inference must run." }),
    lost: (geo) => (anywhere.has(geo) ? "ignore" : "reject"),
  },
  metadata: {
    schema: optional("object", { description: "Metadata about the request, such as an ID of the end user." }),
  },
  "metadata.*": { lost: "ignore" },
  output_config: { schema: optional("object", { description: "Configuration of the output: effort and format." }) },
  context_management: { schema: optional("object", { description: "Configuration of context management." }) },
  container: {
    schema: optional(["string", "object"], { description: "ID of the container for code execution." }),
    lost: "reject",
  },
  mcp_servers: {
    schema: optional("array", { items: { type: "object" }, description: "MCP servers that the model can use." }),
    lost: "reject",
  },
  thread: { lost: "reject" },
  fallbacks: { lost: "reject" },
  compaction: { lost: "reject" },
};
