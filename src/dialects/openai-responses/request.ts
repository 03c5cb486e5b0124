// The body of a response request and the canonical ask, both ways.
import type { ChatRequest, Effort, OutputFormat } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { missing, textAlone, unsupported } from "../errors.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { jsonHint, needsJsonHint, parseSchemaFormat, schemaMembers } from "../shared/openai-format.ts";
import { supportedSampling } from "../shared/openai-models.ts";
import { parseSampling } from "../shared/openai-sampling.ts";
import { parseService, renderUser } from "../shared/openai-user-and-tier.ts";
import { toolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { inputItems, parseInput } from "./parse-input.ts";
import { parseReasoning, renderReasoning, stateInclude, thinks } from "./reasoning.ts";
import { renderInputItems } from "./render-input.ts";
import { parseToolChoice, parseTools, renderTools } from "./tools.ts";
import { parseExtras } from "./unmapped-fields.ts";

export const responsesPath = "responses";
/** The longest name of a tool that every server of this dialect takes. */
export const maxToolNameChars = 64;
const minOutputTokens = 16;
const logprobsInclude = "message.output_text.logprobs";

const paths: { readonly [field in FieldName]?: string } = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  logitBias: "logit_bias",
  logprobs: "top_logprobs",
  stopSequences: "stop",
  choices: "n",
  maxOutputTokens: "max_output_tokens",
  tools: "tools",
  toolChoice: "tool_choice",
  parallelToolCalls: "parallel_tool_calls",
  format: "text.format",
  reasoning: "reasoning.effort",
  verbosity: "text.verbosity",
  tier: "service_tier",
  speed: "service_tier",
  endUser: "safety_identifier",
  messages: "input",
  system: "instructions",
  input: "input",
  dimensions: "dimensions",
  purpose: "input_type",
  title: "title",
};

/** Where a canonical field stands in a response request. */
export function fieldPath(field: FieldName): string {
  return paths[field] ?? field;
}

function parseFormat(format: Json | undefined, path: string): { format?: OutputFormat } {
  if (!isObject(format) || isAbsent(format)) return {};
  if (format.type === "json_schema") return { format: parseSchemaFormat(format, path) };
  return { format: { type: format.type === "json_object" ? "json" : "text" } };
}

function parseLogprobs(wire: JsonObject): { logprobs?: number } {
  const alternatives = typeof wire.top_logprobs === "number" ? wire.top_logprobs : 0;
  const isIncluded = Array.isArray(wire.include) && wire.include.includes(logprobsInclude);
  return isIncluded || alternatives > 0 ? { logprobs: alternatives } : {};
}

/** Changes that items make to the request further down the conversation: the last one counts. */
interface Updates {
  effort?: Json | undefined;
  format?: { readonly value: Json | undefined; readonly path: string };
}

function updatesIn(items: readonly JsonObject[]): Updates {
  const updates: Updates = {};
  items.forEach(({ type, reasoning, text }, index) => {
    if (type !== "configuration_update") return;
    if (isObject(reasoning) && typeof reasoning.effort === "string") updates.effort = reasoning.effort;
    if (isObject(text)) updates.format = { value: text.format, path: `input[${index}].text.format` };
  });
  return updates;
}

/** A request that says nothing at all has nothing to answer. */
function needInput(wire: JsonObject, items: readonly JsonObject[]): void {
  const sources = [wire.instructions, wire.previous_response_id, wire.conversation, wire.prompt];
  if (items.length === 0 && sources.every((source) => isAbsent(source) || source === "")) throw missing("input");
}

/** The ask of a body that has passed the schema. Whatever is stored elsewhere must have been put into `input` before. */
export function parse(wire: JsonObject): ChatRequest {
  const items = inputItems(wire.input);
  needInput(wire, items);
  const parsed = parseTools(wire);
  const { tools } = parsed;
  const { toolChoice, extras: choiceExtras } = parseToolChoice(wire, parsed);
  const text = isObject(wire.text) ? wire.text : {};
  const updates = updatesIn(items);
  const { extras: itemExtras, ...conversation } = parseInput(wire, items);
  const parallel = wire.parallel_tool_calls;
  return {
    operation: "chat",
    model: String(wire.model),
    stream: wire.stream === true,
    ...conversation,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(tools.length > 0 && typeof parallel === "boolean" ? { parallelToolCalls: parallel } : {}),
    ...(typeof wire.max_output_tokens === "number" ? { maxOutputTokens: wire.max_output_tokens } : {}),
    sampling: parseSampling({ temperature: wire.temperature, top_p: wire.top_p }),
    stopSequences: [],
    choices: 1,
    ...parseLogprobs(wire),
    ...parseFormat(updates.format?.value ?? text.format, updates.format?.path ?? "text.format"),
    ...parseReasoning(wire.reasoning, updates.effort),
    ...(typeof text.verbosity === "string" ? { verbosity: text.verbosity } : {}),
    ...parseService(wire),
    unmappedFields: [...parseExtras(wire), ...itemExtras, ...parsed.extras, ...choiceExtras],
  };
}

/** What cannot be said here and must not be lost in silence; the corridor has taken away what it does by itself. */
function refuseUnsayable(request: ChatRequest, context: RenderContext): void {
  const refuse = (field: FieldName, reason: string): never => {
    throw unsupported(context.fieldPath(field), reason);
  };
  if (request.stopSequences.length > 0) refuse("stopSequences", "stop sequences are not supported");
  if (request.choices > 1) refuse("choices", "only one choice per request is supported");
  if (request.media !== undefined) throw unsupported(request.media.path, textAlone);
  if (request.sampling.logitBias !== undefined) refuse("logitBias", "token biases are not supported");
}

function renderSampling(request: ChatRequest, reasoning: JsonObject | undefined, warnings: Warnings): JsonObject {
  const effort = reasoning?.effort as Effort | undefined;
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = supportedSampling(
    request,
    effort,
    warnings,
  );
  if (topK !== undefined) warnField(warnings, "dropped", "topK");
  if (presencePenalty) warnField(warnings, "dropped", "presencePenalty");
  if (frequencyPenalty) warnField(warnings, "dropped", "frequencyPenalty");
  if (seed !== undefined) warnField(warnings, "dropped", "seed");
  return { temperature, top_p: topP };
}

function renderBound(request: ChatRequest, warnings: Warnings): number | undefined {
  const wanted = request.maxOutputTokens;
  if (wanted === undefined) return undefined;
  const most = warnings.context.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const bound = Math.max(minOutputTokens, Math.min(wanted, most));
  if (bound !== wanted) warnField(warnings, "approximated", "maxOutputTokens");
  return bound;
}

function renderFormat(format: OutputFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === "schema") return { type: "json_schema", ...schemaMembers(format) };
  return { type: format.type === "json" ? "json_object" : "text" };
}

function renderText(request: ChatRequest): JsonObject | undefined {
  const text = omitUndefined({ format: renderFormat(request.format), verbosity: request.verbosity });
  return Object.keys(text).length === 0 ? undefined : text;
}

/** Servers look for the word in the messages; the instructions do not count. */
function withJsonWord(request: ChatRequest, warnings: Warnings): ChatRequest {
  if (!needsJsonHint(request, false)) return request;
  warnField(warnings, "emulated", "format");
  return {
    ...request,
    messages: [{ role: "system", blocks: [{ type: "text", text: jsonHint }] }, ...request.messages],
  };
}

/** Nothing is kept upstream, so whoever thinks must hand out the state of it. */
function renderState(request: ChatRequest, context: RenderContext, reasoning: JsonObject | undefined): JsonObject {
  const include = [
    ...(thinks(context, reasoning) ? [stateInclude] : []),
    ...(request.logprobs === undefined ? [] : [logprobsInclude]),
  ];
  return {
    store: false,
    top_logprobs: request.logprobs || undefined,
    include: include.length > 0 ? include : undefined,
  };
}

/** The call for an ask. */
export function render(request: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  refuseUnsayable(request, context);
  const names = toolNames(request, maxToolNameChars);
  const reasoning = renderReasoning(request.reasoning, warnings);
  const body = omitUndefined({
    model: context.model,
    ...renderInputItems(withJsonWord(request, warnings), names, warnings),
    stream: request.stream ? true : undefined,
    max_output_tokens: renderBound(request, warnings),
    ...renderSampling(request, reasoning, warnings),
    ...renderTools(request, names, warnings),
    text: renderText(request),
    reasoning,
    service_tier: request.tier,
    safety_identifier: renderUser(request.endUser),
    ...renderState(request, context, reasoning),
  });
  return { call: { path: responsesPath, body }, warnings: warnings.warnings };
}
