// Tool definitions and tool choice, including the legacy `functions` and `function_call`.
import type { ChatRequest, CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { asFunctionTool } from "../shared/custom-tools.ts";
import { type ToolNames, toolNames } from "../shared/tool-names.ts";
import { type Warnings, warn, warnField } from "../shared/warnings.ts";
import { dialectName } from "./content.ts";

const maxToolNameChars = 64;

/** Tool names of a request that this wire accepts. */
export function namesFor(request: ChatRequest): ToolNames {
  return toolNames(request, maxToolNameChars);
}

/** Most servers support only functions. */
export function supportsCustomTools({ context }: Warnings): boolean {
  return context.options?.customTools === true;
}

function described(body: JsonObject): { description?: string } {
  return typeof body.description === "string" ? { description: body.description } : {};
}

function parseFunction(body: JsonObject): FunctionTool {
  return {
    kind: "function",
    name: String(body.name),
    ...described(body),
    ...(isObject(body.parameters) ? { parameters: body.parameters } : {}),
    ...(typeof body.strict === "boolean" ? { strict: body.strict } : {}),
  };
}

function parseTool(tool: JsonObject, path: string): Tool {
  if (tool.type === "function") {
    if (!isObject(tool.function)) throw missing(`${path}.function`);
    return parseFunction(tool.function);
  }
  if (tool.type === "custom") {
    const body = tool.custom;
    if (!isObject(body)) throw missing(`${path}.custom`);
    const format = isObject(body.format) ? { format: body.format } : {};
    return { kind: "custom", name: String(body.name), ...described(body), ...format, path };
  }
  return { kind: "hosted", origin: dialectName, wire: tool, path: `${path}.type` };
}

/** Whether the client uses the legacy format from before `tools`, so that it must be answered in that format. */
function usesLegacyFunctions(wire: JsonObject): boolean {
  return Array.isArray(wire.functions) && wire.functions.length > 0;
}

/** The tools of a request, from `tools` or from `functions`. */
export function parseTools(wire: JsonObject): Tool[] {
  const tools = Array.isArray(wire.tools) ? wire.tools : [];
  if (!usesLegacyFunctions(wire)) return tools.map((tool, index) => parseTool(tool as JsonObject, `tools[${index}]`));
  if (tools.length > 0) throw badValue("functions", "Send either 'tools' or 'functions', not both.");
  return (wire.functions as JsonObject[]).map(parseFunction);
}

const plainChoices = ["auto", "none", "required"] as const;

function plainChoice(word: string): ToolChoice | undefined {
  const type = plainChoices.find((known) => known === word);
  return type === undefined ? undefined : { type };
}

function nameIn(holder: Json | undefined, path: string): string {
  const name = isObject(holder) ? holder.name : undefined;
  if (typeof name !== "string" || name === "") throw missing(path);
  return name;
}

function parseAllowed(allowed: Json | undefined): ToolChoice {
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) throw missing("tool_choice.allowed_tools.tools");
  const names = allowed.tools.map((tool, index) => {
    const entry = isObject(tool) ? tool : {};
    return nameIn(entry.function ?? entry.custom ?? entry, `tool_choice.allowed_tools.tools[${index}].function.name`);
  });
  return { type: "allowed", names, required: allowed.mode === "required" };
}

function parseChoiceObject(choice: JsonObject): ToolChoice {
  const type = String(choice.type);
  if (choice.type === undefined) throw missing("tool_choice.type");
  if (type === "function")
    return { type: "tool", name: nameIn(choice.function ?? choice, "tool_choice.function.name") };
  if (type === "custom") return { type: "tool", name: nameIn(choice.custom ?? choice, "tool_choice.custom.name") };
  if (type === "allowed_tools") return parseAllowed(choice.allowed_tools);
  const plain = plainChoice(type);
  if (plain !== undefined) return plain;
  throw badValue("tool_choice.type", `'${type}' is not a valid tool_choice type.`);
}

/** The tools, the tool choice, and whether parallel calls are allowed. Without tools there is no choice. */
export function parseToolFields(wire: JsonObject): Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls"> {
  const tools = parseTools(wire);
  const isLegacy = usesLegacyFunctions(wire);
  const field = isLegacy ? "function_call" : "tool_choice";
  const choice = wire[field];
  const toolChoice = choice === undefined || choice === null ? undefined : parseChoice(field, choice);
  if (tools.length === 0) return { tools };
  const parallel = isLegacy ? false : wire.parallel_tool_calls;
  return {
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(typeof parallel === "boolean" ? { parallelToolCalls: parallel } : {}),
  };
}

function parseChoice(field: string, choice: Json): ToolChoice {
  if (typeof choice === "string") {
    const plain = plainChoice(choice);
    if (plain !== undefined) return plain;
    throw badValue(field, `'${field}' must be 'none', 'auto', 'required' or an object.`);
  }
  if (field === "function_call") return { type: "tool", name: nameIn(choice, "function_call.name") };
  return parseChoiceObject(choice as JsonObject);
}

/** A grammar is flat on the Responses wire and nested on this one. */
function customFormat(format: Json | undefined): Json | undefined {
  if (!isObject(format) || format.type !== "grammar" || format.grammar !== undefined) return format;
  return { type: "grammar", grammar: omitUndefined({ definition: format.definition, syntax: format.syntax }) };
}

function renderHosted(tool: HostedTool): JsonObject {
  if (tool.origin === dialectName) return tool.wire;
  throw unsupported(tool.path, "tools that a provider runs are not supported");
}

function renderCustom(tool: CustomTool, name: string, warnings: Warnings): JsonObject {
  if (!supportsCustomTools(warnings)) {
    warn(warnings, "emulated", tool.path);
    return { type: "function", function: { name, ...asFunctionTool(tool) } };
  }
  return {
    type: "custom",
    custom: omitUndefined({ name, description: tool.description, format: customFormat(tool.format) }),
  };
}

function renderTool(tool: Tool, names: ToolNames, warnings: Warnings): JsonObject {
  switch (tool.kind) {
    case "hosted":
      return renderHosted(tool);
    case "custom":
      return renderCustom(tool, names.toWire(tool.name), warnings);
    case "function": {
      const { description, parameters, strict } = tool;
      const name = names.toWire(tool.name);
      return { type: "function", function: omitUndefined({ name, description, parameters, strict }) };
    }
  }
}

/** How a tool choice names one tool. */
type Naming = (name: string) => JsonObject;

function namingOf(tools: readonly Tool[], names: ToolNames, warnings: Warnings): Naming {
  return (name) => {
    const isCustom =
      supportsCustomTools(warnings) && tools.some((tool) => tool.kind === "custom" && tool.name === name);
    const body = { name: names.toWire(name) };
    return isCustom ? { type: "custom", custom: body } : { type: "function", function: body };
  };
}

function renderChoice(choice: ToolChoice, named: Naming): Json {
  if (choice.type === "tool") return named(choice.name);
  if (choice.type !== "allowed") return choice.type;
  const mode = choice.required ? "required" : "auto";
  return { type: "allowed_tools", allowed_tools: { mode, tools: choice.names.map(named) } };
}

/** Renders the tool fields; none without tools, because servers refuse a tool choice without tools. */
export function renderTools(
  ask: { tools: readonly Tool[]; toolChoice?: ToolChoice; parallelToolCalls?: boolean },
  names: ToolNames,
  warnings: Warnings,
): JsonObject {
  const { tools, toolChoice } = ask;
  if (tools.length === 0) {
    if (toolChoice !== undefined && toolChoice.type !== "auto" && toolChoice.type !== "none") {
      warnField(warnings, "dropped", "toolChoice");
    }
    return {};
  }
  return omitUndefined({
    tools: tools.map((tool) => renderTool(tool, names, warnings)),
    tool_choice: toolChoice === undefined ? undefined : renderChoice(toolChoice, namingOf(tools, names, warnings)),
    parallel_tool_calls: ask.parallelToolCalls,
  });
}
