// Tools and tool choice, between the wire and the canonical model.
import type { ChatRequest, CustomTool, FunctionTool, Tool, ToolChoice } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import type { Reading } from "../field-table.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { dialectName } from "./content.ts";
import { declaredTools, flatName } from "./tool-namespaces.ts";

/** The tools of a request. Hosted ones are unmapped fields: only this dialect's servers can run them. */
interface ParsedTools {
  readonly tools: Tool[];
  readonly extras: UnmappedField[];
}

/** Members without a canonical field. */
const ownMembers: readonly (readonly [string, UnmappedField["rule"]])[] = [
  ["defer_loading", "ignore"],
  ["output_schema", "warn"],
  ["allowed_callers", "warn"],
];

function nameOf(tool: JsonObject, path: string): string {
  if (typeof tool.name !== "string" || tool.name === "") throw missing(`${path}.name`);
  return tool.name;
}

function described(tool: JsonObject): { description?: string } {
  return typeof tool.description === "string" && tool.description !== "" ? { description: tool.description } : {};
}

/** Here functions are strict by default where possible, so only an explicit `true` is a requirement. */
function parseFunction(tool: JsonObject, name: string): FunctionTool {
  return {
    kind: "function",
    name,
    ...described(tool),
    ...(isObject(tool.parameters) ? { parameters: tool.parameters } : {}),
    ...(tool.strict === true ? { strict: true } : {}),
  };
}

function parseCustom(tool: JsonObject, name: string, path: string): CustomTool {
  return { kind: "custom", name, ...described(tool), ...(isObject(tool.format) ? { format: tool.format } : {}), path };
}

function parseCallable(tool: JsonObject, namespace: Json | undefined, path: string, parsed: ParsedTools): void {
  const name = flatName(namespace, nameOf(tool, path));
  for (const [member, rule] of ownMembers) {
    if (!isAbsent(tool[member])) parsed.extras.push({ path: `${path}.${member}`, rule });
  }
  parsed.tools.push(tool.type === "custom" ? parseCustom(tool, name, path) : parseFunction(tool, name));
}

function parseTool(tool: JsonObject, path: string, parsed: ParsedTools): void {
  switch (tool.type) {
    case "function":
    case "custom":
      parseCallable(tool, undefined, path, parsed);
      return;
    case "namespace":
      (Array.isArray(tool.tools) ? tool.tools : []).forEach((inner, index) => {
        if (isObject(inner)) parseCallable(inner, nameOf(tool, path), `${path}.tools[${index}]`, parsed);
      });
      return;
    case "tool_search":
      parsed.extras.push({ path: `${path}.type`, rule: "ignore" });
      return;
    default:
      if (typeof tool.type !== "string") throw missing(`${path}.type`);
      parsed.extras.push({ path: `${path}.type`, rule: "warn" });
  }
}

/** The tools of a request and of its items. Agents always send hosted tools, so these are only dropped. */
function parseTools(wire: JsonObject): ParsedTools {
  const parsed: ParsedTools = { tools: [], extras: [] };
  for (const { tool, path } of declaredTools(wire)) parseTool(tool, path, parsed);
  return parsed;
}

/** The choice, and the part of it that only this dialect's servers support. */
interface ParsedChoice {
  readonly toolChoice?: ToolChoice;
  readonly extras: readonly UnmappedField[];
}

const path = "tool_choice";
const free: ParsedChoice = { extras: [] };
/** A hosted tool is required, and other dialects do not have it. */
const forcedElsewhere: ParsedChoice = { extras: [{ path, rule: "reject" }] };

const plainChoices = ["auto", "none", "required"] as const;

function chosen(toolChoice: ToolChoice): ParsedChoice {
  return { toolChoice, extras: [] };
}

function plainChoice(word: string, tools: readonly Tool[]): ParsedChoice | null {
  const type = plainChoices.find((known) => known === word);
  if (type === undefined) return null;
  return type === "required" && tools.length === 0 ? forcedElsewhere : chosen({ type });
}

/** The names that an entry of a list refers to: one tool, or all tools of a namespace. */
function namesIn(entry: Json, at: string, tools: readonly Tool[]): string[] {
  const body = isObject(entry) ? entry : {};
  if (body.type === "namespace") {
    const prefix = flatName(nameOf(body, at), "");
    return tools.flatMap((tool) => (tool.kind !== "hosted" && tool.name.startsWith(prefix) ? [tool.name] : []));
  }
  if (body.type !== "function" && body.type !== "custom") return [];
  return [flatName(body.namespace, nameOf(body, at))];
}

function parseAllowed(choice: JsonObject, tools: readonly Tool[]): ParsedChoice {
  if (!Array.isArray(choice.tools)) throw missing(`${path}.tools`);
  const names = choice.tools.flatMap((entry, index) => namesIn(entry, `${path}.tools[${index}]`, tools));
  const required = choice.mode === "required";
  if (names.length > 0) return chosen({ type: "allowed", names, required });
  return required ? forcedElsewhere : chosen({ type: "none" });
}

function parseChoiceObject(choice: JsonObject, tools: readonly Tool[]): ParsedChoice {
  const { type } = choice;
  if (typeof type !== "string") throw missing(`${path}.type`);
  if (type === "allowed_tools") return parseAllowed(choice, tools);
  if (type !== "function" && type !== "custom") return plainChoice(type, tools) ?? forcedElsewhere;
  const inner = choice[type];
  const body = choice.name === undefined && isObject(inner) ? inner : choice;
  return chosen({ type: "tool", name: flatName(body.namespace, nameOf(body, path)) });
}

/** The tools, the tool choice, and whether parallel calls are allowed. Without tools there is no choice. */
export function parseToolFields({
  wire,
  unmapped,
}: Reading): Pick<ChatRequest, "tools" | "toolChoice" | "parallelToolCalls"> {
  const parsed = parseTools(wire);
  const { toolChoice, extras } = parseToolChoice(wire, parsed);
  unmapped.push(...parsed.extras, ...extras);
  const parallel = wire.parallel_tool_calls;
  return {
    tools: parsed.tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parsed.tools.length > 0 && typeof parallel === "boolean" ? { parallelToolCalls: parallel } : {}),
  };
}

/** The requested choice; a valid choice without tools is ignored. */
function parseToolChoice(wire: JsonObject, parsed: ParsedTools): ParsedChoice {
  const choice = wire.tool_choice;
  const { tools, extras } = parsed;
  if (isAbsent(choice)) return free;
  const wanted = isObject(choice) ? parseChoiceObject(choice, tools) : plainChoice(String(choice), tools);
  if (wanted === null) throw badValue(path, `'${path}' must be 'none', 'auto', 'required' or an object.`);
  return tools.length === 0 && extras.length === 0 ? free : wanted;
}

const noParameters: JsonObject = { type: "object", properties: {} };

/** A grammar is nested on the chat completions wire and flat on this one. */
function flatFormat(format: Json | undefined): Json | undefined {
  if (!isObject(format) || !isObject(format.grammar)) return format;
  return { type: "grammar", ...format.grammar };
}

/** `strict` is always sent: its default here is the opposite of that in other dialects. */
function renderTool(tool: Tool, names: ToolNames): JsonObject {
  switch (tool.kind) {
    case "function": {
      const { description, parameters = noParameters, strict = false } = tool;
      return omitUndefined({ type: "function", name: names.toWire(tool.name), description, parameters, strict });
    }
    case "custom": {
      const { description, format } = tool;
      return omitUndefined({ type: "custom", name: names.toWire(tool.name), description, format: flatFormat(format) });
    }
    case "hosted":
      if (tool.origin === dialectName) return tool.wire;
      throw unsupported(tool.path, "tools that a provider runs are not supported");
  }
}

function renderChoice(choice: ToolChoice, tools: readonly Tool[], names: ToolNames): Json {
  const entry = (name: string): JsonObject => {
    const isCustom = tools.some((tool) => tool.kind === "custom" && tool.name === name);
    return { type: isCustom ? "custom" : "function", name: names.toWire(name) };
  };
  if (choice.type === "tool") return entry(choice.name);
  if (choice.type !== "allowed") return choice.type;
  return { type: "allowed_tools", mode: choice.required ? "required" : "auto", tools: choice.names.map(entry) };
}

/** Renders the tool fields; none without tools, because servers refuse a tool choice without tools. */
export function renderTools(request: ChatRequest, names: ToolNames, warnings: Warnings): JsonObject {
  const { tools, toolChoice } = request;
  if (tools.length === 0) {
    const matters = toolChoice !== undefined && toolChoice.type !== "auto" && toolChoice.type !== "none";
    if (matters) warnField(warnings, "dropped", "toolChoice");
    return {};
  }
  return omitUndefined({
    tools: tools.map((tool) => renderTool(tool, names)),
    tool_choice: toolChoice === undefined ? undefined : renderChoice(toolChoice, tools, names),
    parallel_tool_calls: request.parallelToolCalls,
  });
}
