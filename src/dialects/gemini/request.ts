// The body of a generateContent request, to and from the canonical request.
import type { TObject, TProperties, TSchema } from "typebox";
import type { ChatRequest } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest, RequestMeta } from "../dialect.ts";
import { fieldPaths } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { object, optional } from "../schema-helpers.ts";
import { chatRequest } from "../shared/chat-request.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { newWarnings } from "../shared/warnings.ts";
import { inCamelCase } from "./field-case.ts";
import { geminiFields, geminiMembers } from "./fields.ts";
import { limitsOf } from "./model-capabilities.ts";
import { contentSchema, instructionSchema, message, spelled, toolConfigSchema, toolSchema } from "./schema.ts";
import { namesFor } from "./tools.ts";

/** The method of a path for streaming. */
export const streamVerb = "streamGenerateContent";
export const wholeVerb = "generateContent";

/** The model in a path. Clients write the collection before it, some of them twice. */
export function modelFromPath(segment: string): string {
  return segment.replace(/^(?:\/*models\/+)+/, "");
}

/** The path of a model. A client may choose the name, so it is escaped. */
export function callPath(model: string, verb: string): string {
  const segments = modelFromPath(model).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw new GatewayError("model_not_found", `The model '${model}' does not exist.`, { param: "model" });
  }
  const name = segments.map(encodeURIComponent).join("/");
  const collection = segments.length === 1 ? "models/" : "";
  return `v1beta/${collection}${name}:${verb}${verb === streamVerb ? "?alt=sse" : ""}`;
}

const propertiesOf = (schema: TSchema): TProperties => (schema as TObject).properties;

function spelledMembers(): TProperties {
  const members = propertiesOf(requestSchema(geminiFields, geminiMembers));
  const generationConfig = members.generationConfig as TSchema & { description: string };
  const { description } = generationConfig;
  return spelled({ ...members, generationConfig: message(propertiesOf(generationConfig), { description }) });
}

/** The body, with every field in both spellings. */
const requestMembers = spelledMembers();
export const GenerateContentRequest: TSchema = object(requestMembers);

/** Either the contents, or the whole request. Which one is present is checked in parsing. */
export const CountTokensRequest: TSchema = object({
  contents: optional("array", { items: contentSchema, description: "Contents whose tokens are counted." }),
  ...spelled({
    systemInstruction: instructionSchema,
    tools: optional("array", { items: toolSchema }),
    toolConfig: toolConfigSchema,
    generateContentRequest: optional("object", {
      required: ["contents"],
      properties: requestMembers,
      description: "The complete request whose tokens are counted.",
    }),
  }),
});

export const fieldPath = fieldPaths(geminiFields);
const readFields = fieldReader(geminiFields, geminiMembers);
const renderFields = fieldRenderer(geminiFields);

/** The canonical request of a body in camelCase. The path gives the model and whether it streams. */
export function readRequest(wire: JsonObject, model: string, stream: boolean): ChatRequest {
  return chatRequest({ model: modelFromPath(model), stream }, readFields(wire));
}

/** The canonical request of a wire that has passed the schema. */
export function parseRequest(wire: JsonObject, envelope: RequestMeta): ChatRequest {
  const { model = "", verb } = envelope.params;
  return readRequest(inCamelCase(wire), model, verb === streamVerb);
}

/** Renders a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings = newWarnings(context);
  const { leading, turns } = splitSystemPrefix(request.messages);
  const body = renderFields({
    ...{ request, warnings, limits: limitsOf(context), names: namesFor(request) },
    system: [...request.system, ...leading],
    messages: turns,
  });
  const path = callPath(context.model, request.stream ? streamVerb : wholeVerb);
  return { call: { path, body }, warnings: warnings.warnings };
}
