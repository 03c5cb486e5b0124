// The body of a chat completions request and the canonical ask, both ways.
import type { ChatRequest, Effort, OutputFormat } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { jsonHint, needsJsonHint, parseSchemaFormat, schemaMembers } from "../shared/openai-format.ts";
import { supportedSampling } from "../shared/openai-models.ts";
import { renderEffort } from "../shared/openai-reasoning-effort.ts";
import { parseSampling, parseStop, renderSampling } from "../shared/openai-sampling.ts";
import { streamMembers } from "../shared/openai-usage-chunk.ts";
import { parseService, renderUser } from "../shared/openai-user-and-tier.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { renderMediaWish } from "./output-media.ts";
import { parseMessages } from "./parse-messages.ts";
import { renderMessages } from "./render-messages.ts";
import { namesFor, parseToolChoice, parseTools, renderTools, usesLegacyFunctions } from "./tools.ts";
import { parseExtras } from "./unmapped-fields.ts";

export const chatPath = "chat/completions";
const maxStops = 4;

const paths: { readonly [field in FieldName]?: string } = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  stopSequences: "stop",
  choices: "n",
  maxOutputTokens: "max_completion_tokens",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
  format: "response_format",
  reasoning: "reasoning_effort",
  verbosity: "verbosity",
  tier: "service_tier",
  speed: "service_tier",
  endUser: "user",
  messages: "messages",
  system: "messages",
  input: "messages",
  dimensions: "dimensions",
  purpose: "input_type",
  title: "title",
};

/** Where a canonical field stands in a chat completions request. */
export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}

function parseFormat(format: Json | undefined): { format?: OutputFormat } {
  if (!isObject(format)) return {};
  if (format.type === "text") return { format: { type: "text" } };
  if (format.type === "json_object") return { format: { type: "json" } };
  const body = format.json_schema;
  if (!isObject(body)) throw missing("response_format.json_schema");
  return { format: parseSchemaFormat(body, "response_format.json_schema") };
}

function parseLogprobs(wire: JsonObject): { logprobs?: number } {
  const alternatives = typeof wire.top_logprobs === "number" ? wire.top_logprobs : 0;
  if (wire.logprobs === true) return { logprobs: alternatives };
  if (alternatives > 0) throw badValue("top_logprobs", "'top_logprobs' requires 'logprobs' to be true.");
  return {};
}

function parseParallel(wire: JsonObject, isLegacy: boolean): { parallelToolCalls?: boolean } {
  if (isLegacy) return { parallelToolCalls: false };
  return typeof wire.parallel_tool_calls === "boolean" ? { parallelToolCalls: wire.parallel_tool_calls } : {};
}

/** The ask of a body that has passed the schema. */
export function parse(wire: JsonObject): ChatRequest {
  const tools = parseTools(wire);
  const toolChoice = parseToolChoice(wire, tools);
  const bound = [wire.max_completion_tokens, wire.max_tokens].find((value) => typeof value === "number");
  const stream = wire.stream === true;
  const wantsUsage = stream && isObject(wire.stream_options) && wire.stream_options.include_usage === true;
  const effort = wire.reasoning_effort;
  return {
    operation: "chat",
    model: String(wire.model),
    stream,
    ...(wantsUsage ? { includeUsage: true } : {}),
    ...parseMessages(wire.messages as JsonObject[]),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(tools.length === 0 ? {} : parseParallel(wire, usesLegacyFunctions(wire))),
    ...(typeof bound === "number" ? { maxOutputTokens: bound } : {}),
    sampling: parseSampling(wire),
    stopSequences: parseStop(wire.stop),
    choices: typeof wire.n === "number" ? wire.n : 1,
    ...parseLogprobs(wire),
    ...parseFormat(wire.response_format),
    ...(typeof effort === "string" ? { reasoning: { effort: effort as Effort } } : {}),
    ...(typeof wire.verbosity === "string" ? { verbosity: wire.verbosity } : {}),
    ...parseService(wire),
    unmappedFields: parseExtras(wire),
  };
}

function renderFormat(format: OutputFormat | undefined): Json | undefined {
  if (format === undefined) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  return { type: "json_schema", json_schema: schemaMembers(format) };
}

/** Servers refuse JSON mode when no message speaks of JSON; other dialects have no such rule. */
function withJsonWord(request: ChatRequest, warnings: Warnings): ChatRequest {
  if (!needsJsonHint(request, true)) return request;
  warnField(warnings, "emulated", "format");
  return { ...request, system: [...request.system, { type: "text", text: jsonHint }] };
}

function renderBound(request: ChatRequest, warnings: Warnings): JsonObject {
  const { maxOutputTokens: most, options } = warnings.context;
  const wanted = request.maxOutputTokens;
  if (wanted === undefined) return {};
  if (most !== undefined && wanted > most) warnField(warnings, "approximated", "maxOutputTokens");
  const bound = most === undefined ? wanted : Math.min(wanted, most);
  return options?.legacyMaxTokens ? { max_tokens: bound } : { max_completion_tokens: bound };
}

function renderChoosing(request: ChatRequest, effort: Effort | undefined, warnings: Warnings): JsonObject {
  if (request.sampling.topK !== undefined) warnField(warnings, "dropped", "topK");
  if (request.stopSequences.length > maxStops) {
    throw unsupported(
      warnings.context.fieldPath("stopSequences"),
      `this model supports at most ${maxStops} stop sequences`,
    );
  }
  return {
    ...renderSampling(supportedSampling(request, effort, warnings)),
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs,
    stop: request.stopSequences.length === 0 ? undefined : [...request.stopSequences],
    n: request.choices > 1 ? request.choices : undefined,
  };
}

/** The call for an ask, with usage asked for in every stream. */
export function render(request: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  const told = withJsonWord(request, warnings);
  const names = namesFor(request);
  const effort = renderEffort(request.reasoning, warnings);
  const body = omitUndefined({
    model: context.model,
    messages: renderMessages(told, names, warnings),
    ...streamMembers(request.stream, context.options),
    ...renderBound(request, warnings),
    ...renderChoosing(request, effort, warnings),
    ...renderMediaWish(request, warnings),
    ...renderTools(request, names, warnings),
    response_format: renderFormat(request.format),
    reasoning_effort: effort,
    verbosity: request.verbosity,
    service_tier: request.tier,
    user: renderUser(request.endUser),
  });
  return { call: { path: chatPath, body }, warnings: warnings.warnings };
}
