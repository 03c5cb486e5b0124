// A request in this dialect into canon, and a canonical request as a call. What the Messages API says in other words is
// rendered and read by its rules, and only spelled here.
import type { Block, ChatRequest, OutputFormat } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { cacheControl } from "../anthropic-messages/cache-control.ts";
import { textParts } from "../anthropic-messages/content.ts";
import { type CallWarnings, lossesFor } from "../anthropic-messages/field-names.ts";
import { jsonInstruction, renderFormat } from "../anthropic-messages/output-format.ts";
import { renderMessages } from "../anthropic-messages/render-messages.ts";
import { outputBound } from "../anthropic-messages/request.ts";
import { renderSampling } from "../anthropic-messages/sampling.ts";
import { emulatesSchemas, withOutputTool } from "../anthropic-messages/structured-output-tool.ts";
import { withoutThinking } from "../anthropic-messages/tool-loop.ts";
import { renderTools } from "../anthropic-messages/tools.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { readDataUri } from "../shared/media.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { type Spelling, spellContent } from "./content.ts";
import { type Family, familyOf } from "./model-capabilities.ts";
import { renderThinking, type Thinking } from "./reasoning.ts";
import { hasNoTools, namesFor, spellTools, turnsWithoutTools } from "./tools.ts";

export const wholeVerb = "converse";
export const streamVerb = "converse-stream";

/** Where to ask a model: an id, or an ARN, which holds slashes. Its name may come from a client, so it may not lead elsewhere. */
export function callPath(model: string, verb: string): string {
  if (/^\.*$/.test(model)) {
    throw new GatewayError("model_not_found", `The model '${model}' does not exist.`, { param: "model" });
  }
  return `model/${encodeURIComponent(model)}/${verb}`;
}

function refuseBlock(block: Block, context: RenderContext): void {
  if (block.type === "tool-result") for (const part of block.content) refuseBlock(part, context);
  const path = ("path" in block ? block.path : undefined) ?? context.fieldPath("messages");
  if (block.type === "foreign") throw unsupported(path, "this content type is not supported");
  if (block.type !== "image" && block.type !== "document") return;
  const { source } = block;
  if (source.kind === "file") throw unsupported(path, "the file is stored with a different provider");
  if (source.kind === "url" && readDataUri(source.url) === null)
    throw unsupported(path, "URLs are not supported; send the bytes");
}

/** What the Messages API takes and this one does not. */
function refuseUnsayable(request: ChatRequest, context: RenderContext): void {
  for (const message of request.messages) for (const block of message.blocks) refuseBlock(block, context);
  const hosted = request.tools.find((tool) => tool.kind === "hosted");
  if (hosted?.kind === "hosted") throw unsupported(hosted.path, "the tool is run by a different provider");
}

function renderSystem(
  request: ChatRequest,
  leading: ChatRequest["system"],
  instruction: string | null,
  to: Spelling,
): JsonObject {
  const parts = [...request.system, ...leading].flatMap((block) => textParts(block.text, cacheControl(block.cache)));
  if (instruction !== null) parts.push({ type: "text", text: instruction });
  return parts.length === 0 ? {} : { system: spellContent(parts, to) };
}

const cleanName = /^[A-Za-z0-9_-]{1,64}$/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_JsonSchemaDefinition.html: the schema is text. */
function spellFormat(format: OutputFormat | undefined, native: JsonObject | null): JsonObject {
  if (native === null || format?.type !== "schema") return {};
  const { name, description } = format;
  const jsonSchema = omitUndefined({
    schema: JSON.stringify(native.schema),
    name: name !== undefined && cleanName.test(name) ? name : undefined,
    description,
  });
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

function renderTier(request: ChatRequest, warnings: CallWarnings): JsonObject {
  if (request.tier === undefined) return {};
  if (request.tier !== "fast") return { serviceTier: { type: request.tier } };
  warnings.add("dropped", "tier");
  return {};
}

function renderTopK(topK: Json | undefined, family: Family, warnings: CallWarnings): JsonObject {
  if (topK === undefined) return {};
  if (family.topK === "own") return { top_k: topK };
  if (family.topK === "nested") return { inferenceConfig: { topK } };
  warnings.add("dropped", "topK");
  return {};
}

/** Both forms of the reply are asked for the stop text; where there is none, a path is ignored. */
const stopPaths = ["/stop_sequence", "/delta/stop_sequence"];

function renderTuning(request: ChatRequest, thinking: Thinking, to: Spelling, context: RenderContext): JsonObject {
  const { family, losses } = to;
  const sampling = renderSampling(request, family.limits, thinking.isOn, context, losses);
  const inferenceConfig = omitUndefined({
    maxTokens: thinking.maxTokens ?? undefined,
    temperature: sampling.temperature,
    topP: sampling.top_p,
    stopSequences: request.stopSequences.length > 0 ? [...request.stopSequences] : undefined,
  });
  const canForce = family.limits.forcedTool && !thinking.isOn;
  const tools = hasNoTools(request) ? {} : renderTools(request, namesFor(request), canForce, context, losses);
  const { toolConfig, additional } = spellTools(tools, family, losses);
  const fields = { ...thinking.additional, ...renderTopK(sampling.top_k, family, losses), ...additional };
  return {
    ...(Object.keys(inferenceConfig).length > 0 ? { inferenceConfig } : {}),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {}),
    ...(family.tellsStop && request.stopSequences.length > 0 ? { additionalModelResponseFieldPaths: stopPaths } : {}),
  };
}

/** The call for a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const family = familyOf(context);
  const { limits } = family;
  const warnings = lossesFor(context);
  const to: Spelling = { family, losses: warnings, documents: new Set() };
  refuseUnsayable(request, context);
  // An emulated schema adds a tool.
  const hasTools = !hasNoTools(request) || (request.format?.type === "schema" && emulatesSchemas(limits));
  const { leading, turns } = splitSystemPrefix(
    hasTools ? request.messages : turnsWithoutTools(request.messages, warnings),
  );
  const said = renderMessages(request, turns, { context, limits, names: namesFor(request), losses: warnings });
  const thinking = renderThinking(request, family, outputBound(request, context, limits, warnings), said, warnings);
  const messages = thinking.rests ? withoutThinking(said) : said;
  const output = withOutputTool(request, limits, limits.forcedTool && !thinking.isOn, warnings);
  const asked = output?.ask ?? request;
  const instruction = request.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  const format = renderFormat(request.format, limits, context, warnings);
  if (request.verbosity !== undefined) warnings.add("dropped", "verbosity");
  const body: JsonObject = {
    messages: messages.map(({ role, content }) => ({ role, content: spellContent(content, to) })),
    ...renderSystem(request, leading, instruction, to),
    ...renderTuning(asked, thinking, to, context),
    ...spellFormat(request.format, format),
    ...renderTier(request, warnings),
  };
  const path = callPath(context.model, request.stream ? streamVerb : wholeVerb);
  return { call: { path, body }, warnings: warnings.list };
}
