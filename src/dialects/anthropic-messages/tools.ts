// Tools and tool choice, between the wire and the canonical model.

import type { ChatRequest, FunctionTool, Tool, ToolChoice } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, unsupported } from "../errors.ts";
import { asFunctionTool } from "../shared/custom-tools.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warn, warnField } from "../shared/warnings.ts";
import { cacheControl, cacheOf } from "./cache-control.ts";
import { inSubset } from "./json-schema.ts";
import { dialectName } from "./signature.ts";
import { isAbsent, objectsIn, optionalText, requiredText } from "./wire-members.ts";

/** Members of a function tool that exist only in this dialect. */
const ownMembers: readonly (readonly [string, UnmappedField["rule"]])[] = [
  ["defer_loading", "ignore"],
  ["eager_input_streaming", "ignore"],
  ["input_examples", "warn"],
  ["allowed_callers", "warn"],
];

function readTool(wire: JsonObject, index: number, extras: UnmappedField[]): Tool {
  const path = `tools[${index}]`;
  const { type } = wire;
  if (!isAbsent(type) && type !== "custom") {
    return { kind: "hosted", origin: dialectName, wire, path: `${path}.type` };
  }
  for (const [member, rule] of ownMembers) {
    if (!isAbsent(wire[member])) extras.push({ path: `${path}.${member}`, rule });
  }
  return {
    kind: "function",
    name: requiredText(wire, "name", path),
    ...optionalText(wire, "description", "description"),
    ...(isObject(wire["input_schema"]) ? { parameters: wire["input_schema"] } : {}),
    ...(typeof wire["strict"] === "boolean" ? { strict: wire["strict"] } : {}),
    ...cacheOf(wire),
  };
}

/** The tools, the tool choice, and whether parallel calls are allowed. Without tools there is no choice. */
export function readToolFields(
  wire: JsonObject,
  unmapped: UnmappedField[],
): Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls"> {
  const tools = objectsIn(wire["tools"]).map((tool, index) => readTool(tool, index, unmapped));
  return { tools, ...(tools.length > 0 ? readToolChoice(wire["tool_choice"]) : {}) };
}

const choices: { readonly [type: string]: ToolChoice["type"] } = {
  auto: "auto",
  any: "required",
  required: "required",
  none: "none",
};

/** Reads the object form, and the plain string that many clients send instead. */
function readToolChoice(wire: Json | undefined): Pick<ChatRequest, "toolChoice" | "parallelToolCalls"> {
  if (isAbsent(wire)) return {};
  const choice = isObject(wire) ? wire : { type: wire };
  const single = choice["disable_parallel_tool_use"];
  const parallel = typeof single === "boolean" ? { parallelToolCalls: !single } : {};
  if (choice["type"] === "tool") {
    return { toolChoice: { type: "tool", name: requiredText(choice, "name", "tool_choice") }, ...parallel };
  }
  const type = choices[String(choice["type"])];
  if (type === "auto" || type === "required" || type === "none") return { toolChoice: { type }, ...parallel };
  throw badValue("tool_choice", "'tool_choice' must be an object whose type is 'auto', 'any', 'tool' or 'none'.");
}

/** An object schema: this dialect requires one even where the client sent none. */
function inputSchema(tool: FunctionTool, warnings: Warnings): JsonObject {
  const { parameters } = tool;
  if (parameters === undefined || isAbsent(parameters)) return { type: "object", properties: {} };
  if (tool.strict === true) {
    const { schema, exact } = inSubset(parameters);
    if (!exact) warnField(warnings, "approximated", "tools");
    return schema;
  }
  return parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
}

function renderTool(tool: Tool, names: ToolNames, warnings: Warnings): JsonObject {
  switch (tool.kind) {
    case "function":
      return {
        name: names.toWire(tool.name),
        ...(tool.description === undefined ? {} : { description: tool.description }),
        input_schema: inputSchema(tool, warnings),
        ...(tool.strict === undefined ? {} : { strict: tool.strict }),
        ...cacheControl(tool.cache),
      };
    case "custom": {
      warn(warnings, "emulated", tool.path);
      const { parameters, ...described } = asFunctionTool(tool);
      return { name: names.toWire(tool.name), ...described, input_schema: parameters };
    }
    case "hosted":
      if (tool.origin === dialectName) return tool.wire;
      throw unsupported(tool.path, "the tool is run by a different provider");
  }
}

function toolName(tool: Tool): string {
  return tool.kind === "hosted" ? String(tool.wire["name"] ?? "") : tool.name;
}

/** The choice on the wire, and the tools that remain; null: all of them. */
interface Chosen {
  readonly choice: JsonObject | null;
  readonly only: readonly string[] | null;
}

function chosen(choice: ToolChoice | undefined, canForce: boolean, names: ToolNames): Chosen {
  switch (choice?.type) {
    case undefined:
      return { choice: null, only: null };
    case "auto":
    case "none":
      return { choice: { type: choice.type }, only: null };
    case "required":
      return { choice: { type: canForce ? "any" : "auto" }, only: null };
    case "tool":
      if (!canForce) return { choice: { type: "auto" }, only: [choice.name] };
      return { choice: { type: "tool", name: names.toWire(choice.name) }, only: null };
    case "allowed":
      return { choice: { type: choice.required && canForce ? "any" : "auto" }, only: choice.names };
  }
}

/** Whether the client requires a call in every reply. */
export const isForced = (choice: ToolChoice | undefined): boolean =>
  choice?.type === "required" || choice?.type === "tool" || (choice?.type === "allowed" && choice.required);

/**
 * Renders `tools` and `tool_choice`. For models that cannot be forced, the list is narrowed and the choice is `auto`.
 */
export function renderTools(request: ChatRequest, names: ToolNames, canForce: boolean, warnings: Warnings): JsonObject {
  const { choice, only } = chosen(request.toolChoice, canForce, names);
  const tools = request.tools.filter((tool) => only === null || only.includes(toolName(tool)));
  if (request.tools.length === 0) return {};
  if (tools.length === 0)
    throw badValue(warnings.context.fieldPath("toolChoice"), "'tool_choice' names a tool that is not in 'tools'.");
  if (isForced(request.toolChoice) && !canForce) warnField(warnings, "approximated", "toolChoice");
  const parallel = request.parallelToolCalls;
  const single = parallel === undefined || choice?.["type"] === "none" ? {} : { disable_parallel_tool_use: !parallel };
  const spoken = choice !== null || parallel !== undefined;
  return {
    tools: tools.map((tool) => renderTool(tool, names, warnings)),
    ...(spoken ? { tool_choice: { ...(choice ?? { type: "auto" }), ...single } } : {}),
  };
}
