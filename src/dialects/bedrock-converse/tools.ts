// Tools and tool choice, converted between the Messages API and Converse.
import type { Block, ChatRequest, Message, TextBlock } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ReadContext } from "../dialect.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { findTools, type ToolFinder, type ToolNames, toolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { cachePoint } from "./content.ts";
import type { Family } from "./model-capabilities.ts";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html */
const maxToolNameChars = 64;

export function namesFor(request: ChatRequest): ToolNames {
  return toolNames(request, maxToolNameChars);
}

export function toolFinder(context: ReadContext): ToolFinder {
  return findTools(context, namesFor);
}

const label = (text: string): TextBlock => ({ type: "text", text });

function asText(block: Block): readonly Block[] {
  if (block.type === "tool-call") return [label(`[Call of the tool ${block.name}: ${block.input}]`)];
  if (block.type === "tool-result") return [label(`[Result of the tool call ${block.callId}]`), ...block.content];
  return [block];
}

const isOfTools = (block: Block): boolean => block.type === "tool-call" || block.type === "tool-result";

/** Whether no tool can be called: this wire cannot list tools and forbid all of them. */
export function hasNoTools(request: ChatRequest): boolean {
  return request.tools.length === 0 || request.toolChoice?.type === "none";
}

/** The service refuses calls and results in the history of a request without tools, so they become text. */
export function turnsWithoutTools(messages: readonly Message[], warnings: Warnings): readonly Message[] {
  if (!messages.some((message) => message.blocks.some(isOfTools))) return messages;
  warnField(warnings, "approximated", "messages");
  return messages.map((message) => ({
    ...message,
    role: message.role === "tool" ? "user" : message.role,
    blocks: message.blocks.flatMap(asText),
  }));
}

function spellTool(tool: JsonObject, family: Family, warnings: Warnings): JsonObject[] {
  const { name, description, input_schema: json, strict } = tool;
  const spec: JsonObject = { name, inputSchema: { json } };
  if (typeof description === "string" && description.trim() !== "") spec.description = description;
  if (strict === true && !family.limits.outputSchema) warnField(warnings, "dropped", "tools");
  else if (strict !== undefined) spec.strict = strict;
  return [{ toolSpec: spec }, ...cachePoint(tool, family)];
}

/** What goes into the request, and into its additional model fields. */
interface SpelledTools {
  readonly toolConfig?: JsonObject;
  readonly additional: JsonObject;
}

function spellChoice(choice: JsonObject): JsonObject {
  if (choice.type === "any") return { toolChoice: { any: {} } };
  return choice.type === "tool" ? { toolChoice: { tool: { name: choice.name } } } : {};
}

/** `tools` and `tool_choice` of the Messages API. The service refuses two tool choices in one request. */
export function spellTools(rendered: JsonObject, family: Family, warnings: Warnings): SpelledTools {
  const tools = objectsIn(rendered.tools).flatMap((tool) => spellTool(tool, family, warnings));
  if (tools.length === 0) return { additional: {} };
  const choice = isObject(rendered.tool_choice) ? rendered.tool_choice : {};
  if (choice.disable_parallel_tool_use !== true) {
    return { toolConfig: { tools, ...spellChoice(choice) }, additional: {} };
  }
  if (family.oneCall) return { toolConfig: { tools }, additional: { tool_choice: choice } };
  warnField(warnings, "dropped", "parallelToolCalls");
  return { toolConfig: { tools, ...spellChoice(choice) }, additional: {} };
}
