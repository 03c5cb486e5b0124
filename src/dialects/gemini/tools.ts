// Tools and tool choice, between the wire and the canonical model.
import type { ChatRequest, FunctionTool, Tool, ToolChoice } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { asFunctionTool } from "../shared/custom-tools.ts";
import { isAbsent, objectsIn, optionalText } from "../shared/json-accessors.ts";
import { type ToolNames, toolNames } from "../shared/tool-names.ts";
import { type Warnings, warn, warnField } from "../shared/warnings.ts";
import { inJsonSubset } from "./json-schema.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { inOpenApiSubset, readSchema } from "./openapi-schema.ts";
import { dialectName } from "./signature.ts";

const cleanName = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
const maxNameChars = 128;

/** Tool names of a request that this wire accepts. */
export function namesFor(request: ChatRequest): ToolNames {
  return toolNames(request, maxNameChars, cleanName);
}

/** Members of a function that exist only in this dialect. */
const ownMembers = ["behavior", "response", "responseJsonSchema"];

function inputSchema(wire: JsonObject): { readonly parameters?: JsonObject } {
  if (isObject(wire.parametersJsonSchema)) return { parameters: wire.parametersJsonSchema };
  return isObject(wire.parameters) ? { parameters: readSchema(wire.parameters) } : {};
}

function readFunction(wire: JsonObject, path: string, extras: UnmappedField[]): FunctionTool {
  if (typeof wire.name !== "string" || wire.name === "") throw missing(`${path}.name`);
  for (const member of ownMembers) {
    if (!isAbsent(wire[member])) extras.push({ path: `${path}.${member}`, rule: "ignore" });
  }
  return {
    kind: "function",
    name: wire.name,
    ...optionalText(wire, "description", "description"),
    ...inputSchema(wire),
  };
}

/** One entry may declare functions and several server tools. An empty object enables its tool. */
function readTool(wire: JsonObject, index: number, extras: UnmappedField[]): Tool[] {
  const path = `tools[${index}]`;
  const functions = objectsIn(wire.functionDeclarations).map((each, number) =>
    readFunction(each, `${path}.functionDeclarations[${number}]`, extras),
  );
  const hosted = Object.entries(wire).flatMap(([name, value]): Tool[] => {
    if (name === "functionDeclarations" || value === null || value === undefined) return [];
    return [{ kind: "hosted", origin: dialectName, wire: { [name]: value }, path: `${path}.${name}` }];
  });
  return [...functions, ...hosted];
}

export function readTools(wire: Json | undefined, extras: UnmappedField[]): Tool[] {
  return objectsIn(wire).flatMap((tool, index) => readTool(tool, index, extras));
}

function chosen(mode: string, names: readonly string[]): ToolChoice | undefined {
  const [only, ...others] = names;
  switch (mode) {
    case "ANY":
      if (only === undefined) return { type: "required" };
      return others.length === 0 ? { type: "tool", name: only } : { type: "allowed", names, required: true };
    case "NONE":
      return { type: "none" };
    case "VALIDATED":
      return only === undefined ? { type: "auto" } : { type: "allowed", names, required: false };
    case "AUTO":
      return { type: "auto" };
    default:
      return undefined;
  }
}

const isStrict = (tool: Tool): boolean => tool.kind === "function" && tool.strict === true;
const strict = (tool: Tool): Tool => (tool.kind === "function" ? { ...tool, strict: true } : tool);

/** What `toolConfig` sets for the tools. Validated calls are strict tools in other dialects. */
export function readToolConfig(
  wire: Json | undefined,
  tools: readonly Tool[],
  extras: UnmappedField[],
): Pick<ChatRequest, "tools" | "toolChoice"> {
  const config = isObject(wire) ? wire : {};
  for (const name of ["retrievalConfig", "includeServerSideToolInvocations"]) {
    if (!isAbsent(config[name])) extras.push({ path: `toolConfig.${name}`, rule: "warn" });
  }
  const calling = isObject(config.functionCallingConfig) ? config.functionCallingConfig : {};
  const mode = typeof calling.mode === "string" ? calling.mode.toUpperCase() : "";
  const names = Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames : [];
  const toolChoice =
    tools.length === 0
      ? undefined
      : chosen(
          mode,
          names.filter((name) => typeof name === "string"),
        );
  return { tools: mode === "VALIDATED" ? tools.map(strict) : tools, ...(toolChoice ? { toolChoice } : {}) };
}

/** The schema of an input. One without properties is left out, because servers refuse it. */
function renderSchema(parameters: JsonObject | undefined, limits: ModelLimits, warnings: Warnings): JsonObject {
  if (parameters === undefined || isAbsent(parameters)) return {};
  if (parameters.type === "object" && isAbsent(parameters.properties) && parameters.$ref === undefined) return {};
  const { schema, exact } = limits.jsonSchema ? inJsonSubset(parameters) : inOpenApiSubset(parameters);
  if (!exact) warnField(warnings, "approximated", "tools");
  return limits.jsonSchema ? { parametersJsonSchema: schema } : { parameters: schema };
}

function described(description: string | undefined): JsonObject {
  return description === undefined ? {} : { description };
}

function renderFunction(tool: Tool, names: ToolNames, limits: ModelLimits, warnings: Warnings): JsonObject[] {
  switch (tool.kind) {
    case "function": {
      const head = { name: names.toWire(tool.name), ...described(tool.description) };
      return [{ ...head, ...renderSchema(tool.parameters, limits, warnings) }];
    }
    case "custom": {
      warn(warnings, "emulated", tool.path);
      const { parameters, description } = asFunctionTool(tool);
      const head = { name: names.toWire(tool.name), ...described(description) };
      return [{ ...head, ...renderSchema(parameters, limits, warnings) }];
    }
    case "hosted":
      if (tool.origin === dialectName) return [];
      throw unsupported(tool.path, "the tool is run by a different provider");
  }
}

function modeOf(choice: ToolChoice | undefined, hasStrict: boolean, names: ToolNames): JsonObject | null {
  const free = hasStrict ? "VALIDATED" : "AUTO";
  switch (choice?.type) {
    case undefined:
      return hasStrict ? { mode: free } : null;
    case "auto":
      return { mode: free };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [names.toWire(choice.name)] };
    case "allowed":
      return {
        mode: choice.required ? "ANY" : "VALIDATED",
        allowedFunctionNames: choice.names.map((name) => names.toWire(name)),
      };
  }
}

function checkChoice(choice: ToolChoice | undefined, tools: readonly Tool[], warnings: Warnings): void {
  const names = choice?.type === "tool" ? [choice.name] : choice?.type === "allowed" ? choice.names : [];
  const isKnown = (name: string): boolean => tools.some((tool) => tool.kind !== "hosted" && tool.name === name);
  if (names.every(isKnown)) return;
  throw badValue(warnings.context.fieldPath("toolChoice"), "'allowedFunctionNames' has a name that is not in 'tools'.");
}

/** Renders `tools` and `toolConfig`. A limit of one call is applied when the reply is read. */
export function renderTools(
  request: ChatRequest,
  names: ToolNames,
  limits: ModelLimits,
  warnings: Warnings,
): JsonObject {
  const { tools, toolChoice } = request;
  if (tools.length === 0) return {};
  checkChoice(toolChoice, tools, warnings);
  const functions = tools.flatMap((tool) => renderFunction(tool, names, limits, warnings));
  const hosted = tools.flatMap((tool) => (tool.kind === "hosted" ? [tool.wire] : []));
  const config = modeOf(toolChoice, tools.some(isStrict), names);
  if (config?.mode === "VALIDATED") warnField(warnings, "approximated", "tools");
  if (request.parallelToolCalls === false) warnField(warnings, "emulated", "parallelToolCalls");
  return {
    tools: [...(functions.length === 0 ? [] : [{ functionDeclarations: functions }]), ...hosted],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  };
}
