// A wire of this dialect into the Messages API's words, which are then read by its rules.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { parseRequest as parseMessages } from "../anthropic-messages/request.ts";
import type { RequestMeta } from "../dialect.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { readContent } from "./content.ts";
import { streamVerb } from "./request.ts";
import { readToolConfig } from "./tools.ts";

/** Fields that canon holds; they are read elsewhere. */
const held = new Set([
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "outputConfig",
  "serviceTier",
]);

/** A field that is not in this table and not held is dropped with a warning. */
const rules: ReadonlyMap<string, UnmappedField["rule"]> = new Map([
  ["requestMetadata", "ignore"],
  ["guardrailConfig", "reject"],
  ["promptVariables", "reject"],
]);

/** The fields beside the common ones that mean the same on the Messages API. */
const shared = ["thinking", "top_k", "tool_choice"] as const;

function readExtras(wire: JsonObject): UnmappedField[] {
  return Object.entries(wire).flatMap(([path, value]) =>
    held.has(path) || isAbsent(value) ? [] : [{ path, rule: rules.get(path) ?? "warn" }],
  );
}

const tiers = ["default", "flex", "priority"] as const;

function readTier(wire: JsonObject): Pick<ChatRequest, "tier"> {
  const type = isObject(wire.serviceTier) ? wire.serviceTier.type : undefined;
  const tier = tiers.find((known) => known === type);
  return tier === undefined ? {} : { tier };
}

function within(object: Json | undefined, ...names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), object);
}

function readFormat(wire: JsonObject): { readonly name?: string; readonly format?: JsonObject } {
  const definition = within(wire.outputConfig, "textFormat", "structure", "jsonSchema");
  const schema = typeof within(definition, "schema") === "string" ? String(within(definition, "schema")) : undefined;
  if (schema === undefined) return {};
  const name = within(definition, "name");
  const format = { type: "json_schema", schema: parseExactText(schema) };
  return { format, ...(typeof name === "string" ? { name } : {}) };
}

/** The body of the Messages API that says the same. */
function messagesWire(wire: JsonObject): JsonObject {
  const inference = isObject(wire.inferenceConfig) ? wire.inferenceConfig : {};
  const additional = isObject(wire.additionalModelRequestFields) ? wire.additionalModelRequestFields : {};
  const config = isObject(additional.output_config) ? additional.output_config : {};
  return {
    messages: objectsIn(wire.messages).map(({ role, content }) => ({ role, content: readContent(content) })),
    system: readContent(wire.system),
    max_tokens: inference.maxTokens,
    temperature: inference.temperature,
    top_p: inference.topP,
    stop_sequences: inference.stopSequences,
    ...readToolConfig(wire.toolConfig),
    ...Object.fromEntries(shared.flatMap((name) => (name in additional ? [[name, additional[name]]] : []))),
    output_config: { ...config, format: readFormat(wire).format },
  };
}

/** The canonical request of a body; which model, and whether as a stream, the path says. */
export function parseRequest(wire: JsonObject, envelope: RequestMeta): ChatRequest {
  const { model = "", verb } = envelope.params;
  const request = parseMessages({ ...messagesWire(wire), model, stream: verb === streamVerb });
  const { name } = readFormat(wire);
  const format = request.format?.type === "schema" && name !== undefined ? { format: { ...request.format, name } } : {};
  return { ...request, ...format, ...readTier(wire), unmappedFields: [...readExtras(wire), ...request.unmappedFields] };
}
