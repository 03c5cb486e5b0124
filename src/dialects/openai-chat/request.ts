// The body of a chat completions request and the canonical ask, both ways.
import type { ChatAsk, Effort, OutputFormat } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/warning.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, Rendered } from "../dialect.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { jsonWish, lacksJsonWord, parseSchemaFormat, schemaMembers } from "../shared/openai-format.ts";
import { samplingTaken } from "../shared/openai-models.ts";
import { renderEffort } from "../shared/openai-reasoning-effort.ts";
import { parseSampling, parseStop, renderSampling } from "../shared/openai-sampling.ts";
import { streamMembers } from "../shared/openai-usage-chunk.ts";
import { parseService, renderUser } from "../shared/openai-user-and-tier.ts";
import { type Notes, noteField } from "../shared/warnings.ts";
import { renderMediaWish } from "./output-media.ts";
import { parseMessages } from "./parse-messages.ts";
import { renderMessages } from "./render-messages.ts";
import { namesFor, parseToolChoice, parseTools, renderTools, speaksLegacy } from "./tools.ts";
import { parseExtras } from "./unmapped-fields.ts";

export const chatPath = "chat/completions";
const maxStops = 4;

const paths: { readonly [field in FieldName]: string } = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  stop: "stop",
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
  metadata: "metadata",
  messages: "messages",
  system: "messages",
  input: "messages",
  dimensions: "dimensions",
  encodingFormat: "encoding_format",
  purpose: "input_type",
  title: "title",
};

/** Where a canonical field stands in a chat completions request. */
export function fieldPath(field: FieldName): string {
  return paths[field];
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
  if (alternatives > 0) throw badValue("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
  return {};
}

function parseParallel(wire: JsonObject, isLegacy: boolean): { parallelToolCalls?: boolean } {
  if (isLegacy) return { parallelToolCalls: false };
  return typeof wire.parallel_tool_calls === "boolean" ? { parallelToolCalls: wire.parallel_tool_calls } : {};
}

/** The ask of a body that has passed the schema. */
export function parse(wire: JsonObject): ChatAsk {
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
    ...(tools.length === 0 ? {} : parseParallel(wire, speaksLegacy(wire))),
    ...(typeof bound === "number" ? { maxOutputTokens: bound } : {}),
    sampling: parseSampling(wire),
    stop: parseStop(wire.stop),
    choices: typeof wire.n === "number" ? wire.n : 1,
    ...parseLogprobs(wire),
    ...parseFormat(wire.response_format),
    ...(typeof effort === "string" ? { reasoning: { effort: effort as Effort } } : {}),
    ...(typeof wire.verbosity === "string" ? { verbosity: wire.verbosity } : {}),
    ...parseService(wire),
    extras: parseExtras(wire),
  };
}

function renderFormat(format: OutputFormat | undefined): Json | undefined {
  if (format === undefined) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  return { type: "json_schema", json_schema: schemaMembers(format) };
}

/** Servers refuse JSON mode when no message speaks of JSON; other dialects have no such rule. */
function withJsonWord(ask: ChatAsk, notes: Notes): ChatAsk {
  if (!lacksJsonWord(ask, true)) return ask;
  noteField(notes, "emulated", "format");
  return { ...ask, system: [...ask.system, { type: "text", text: jsonWish }] };
}

function renderBound(ask: ChatAsk, notes: Notes): JsonObject {
  const { maxOutputTokens: most, options } = notes.context;
  const wanted = ask.maxOutputTokens;
  if (wanted === undefined) return {};
  if (most !== undefined && wanted > most) noteField(notes, "approximated", "maxOutputTokens");
  const bound = most === undefined ? wanted : Math.min(wanted, most);
  return options?.legacyMaxTokens ? { max_tokens: bound } : { max_completion_tokens: bound };
}

function renderChoosing(ask: ChatAsk, effort: Effort | undefined, notes: Notes): JsonObject {
  if (ask.sampling.topK !== undefined) noteField(notes, "dropped", "topK");
  if (ask.stop.length > maxStops) {
    throw unsupported(notes.context.fieldPath("stop"), `it takes at most ${maxStops} stop sequences`);
  }
  return {
    ...renderSampling(samplingTaken(ask, effort, notes)),
    logprobs: ask.logprobs === undefined ? undefined : true,
    top_logprobs: ask.logprobs,
    stop: ask.stop.length === 0 ? undefined : [...ask.stop],
    n: ask.choices > 1 ? ask.choices : undefined,
  };
}

/** The call for an ask, with usage asked for in every stream. */
export function render(ask: ChatAsk, context: RenderContext): Rendered {
  const notes: Notes = { context, warnings: [] };
  const told = withJsonWord(ask, notes);
  const names = namesFor(ask);
  const effort = renderEffort(ask.reasoning, notes);
  const body = compact({
    model: context.model,
    messages: renderMessages(told, names, notes),
    ...streamMembers(ask.stream, context.options),
    ...renderBound(ask, notes),
    ...renderChoosing(ask, effort, notes),
    ...renderMediaWish(ask, notes),
    ...renderTools(ask, names, notes),
    response_format: renderFormat(ask.format),
    reasoning_effort: effort,
    verbosity: ask.verbosity,
    service_tier: ask.tier,
    user: renderUser(ask.endUser),
  });
  return { call: { path: chatPath, body }, warnings: notes.warnings };
}
