// The body of a chat completions request and the canonical ask, both ways.
import { createHash } from "node:crypto";
import type { ChatAsk, Effort, OutputFormat, Reasoning, Sampling } from "../../canon/conversation.ts";
import type { FieldName } from "../../canon/warning.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, Rendered } from "../dialect.ts";
import { badValue, unsupported } from "../reject.ts";
import { missing } from "./content.ts";
import { isAbsent, parseExtras } from "./extras.ts";
import { parseMessages } from "./messages.ts";
import { type Notes, noteField } from "./notes.ts";
import { renderMessages } from "./render-messages.ts";
import { parseToolChoice, parseTools, renderTools, speaksLegacy } from "./tools.ts";

export const chatPath = "chat/completions";
const maxStops = 4;
const maxUserChars = 64;

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
};

/** Where a canonical field stands in a chat completions request. */
export function fieldPath(field: FieldName): string {
  return paths[field];
}

function parseSampling(wire: JsonObject): Sampling {
  const sampling: Record<string, Json> = {};
  const names = ["temperature", "topP", "presencePenalty", "frequencyPenalty", "seed"] as const;
  for (const name of names) {
    const value = wire[paths[name]];
    if (typeof value === "number") sampling[name] = value;
  }
  if (!isAbsent(wire.logit_bias)) sampling.logitBias = wire.logit_bias as JsonObject as Json;
  return sampling as Sampling;
}

function parseStop(stop: Json | undefined): string[] {
  const list = Array.isArray(stop) ? stop : [stop];
  return list.filter((text): text is string => typeof text === "string" && text !== "");
}

function parseFormat(format: Json | undefined): { format?: OutputFormat } {
  if (!isObject(format)) return {};
  if (format.type === "text") return { format: { type: "text" } };
  if (format.type === "json_object") return { format: { type: "json" } };
  const body = format.json_schema;
  if (!isObject(body)) throw missing("response_format.json_schema");
  if (!isObject(body.schema)) throw missing("response_format.json_schema.schema");
  return {
    format: {
      type: "schema",
      schema: body.schema,
      ...(typeof body.name === "string" ? { name: body.name } : {}),
      ...(typeof body.description === "string" ? { description: body.description } : {}),
      ...(typeof body.strict === "boolean" ? { strict: body.strict } : {}),
    },
  };
}

function parseLogprobs(wire: JsonObject): { logprobs?: number } {
  const alternatives = typeof wire.top_logprobs === "number" ? wire.top_logprobs : 0;
  if (wire.logprobs === true) return { logprobs: alternatives };
  if (alternatives > 0) throw badValue("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
  return {};
}

const tiers = ["default", "flex", "priority", "fast"] as const;

function parseService(wire: JsonObject): Pick<ChatAsk, "tier" | "endUser" | "verbosity"> {
  const tier = tiers.find((known) => known === wire.service_tier);
  const endUser = [wire.safety_identifier, wire.user].find((id) => typeof id === "string" && id !== "");
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(typeof endUser === "string" ? { endUser } : {}),
    ...(typeof wire.verbosity === "string" ? { verbosity: wire.verbosity } : {}),
  };
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
    ...parseService(wire),
    extras: parseExtras(wire),
  };
}

/** Budgets from which an effort counts as medium and as high: the steps of Google's own compatible endpoint. */
const mediumBudgetTokens = 8192;
const highBudgetTokens = 24_576;

function effortOf(reasoning: Reasoning | undefined, notes: Notes): Effort | undefined {
  if (reasoning === undefined || reasoning.effort !== undefined) return reasoning?.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return "none";
  noteField(notes, "approximated", "reasoning");
  if (budget < mediumBudgetTokens) return "low";
  return budget < highBudgetTokens ? "medium" : "high";
}

function renderFormat(format: OutputFormat | undefined): Json | undefined {
  if (format === undefined) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name = "response", description, schema, strict } = format;
  return { type: "json_schema", json_schema: compact({ name, description, schema, strict }) };
}

const jsonWord = /json/i;

function mentionsJson(ask: ChatAsk): boolean {
  if (ask.system.some((block) => jsonWord.test(block.text))) return true;
  return ask.turns.some((turn) => turn.blocks.some((block) => block.type === "text" && jsonWord.test(block.text)));
}

/** Servers refuse JSON mode when no message speaks of JSON; other dialects have no such rule. */
function withJsonWord(ask: ChatAsk, notes: Notes): ChatAsk {
  if (ask.format?.type !== "json" || mentionsJson(ask)) return ask;
  noteField(notes, "emulated", "format");
  return { ...ask, system: [...ask.system, { type: "text", text: "Answer in JSON." }] };
}

function renderBound(ask: ChatAsk, notes: Notes): JsonObject {
  const { maxOutputTokens: most, options } = notes.context;
  const wanted = ask.maxOutputTokens;
  if (wanted === undefined) return {};
  if (most !== undefined && wanted > most) noteField(notes, "approximated", "maxOutputTokens");
  const bound = most === undefined ? wanted : Math.min(wanted, most);
  return options?.legacyMaxTokens ? { max_tokens: bound } : { max_completion_tokens: bound };
}

function renderSampling(ask: ChatAsk, notes: Notes): JsonObject {
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed, logitBias } = ask.sampling;
  if (topK !== undefined) noteField(notes, "dropped", "topK");
  if (ask.logprobs !== undefined) {
    throw unsupported(notes.context.fieldPath("logprobs"), "log probabilities cannot be carried between formats yet");
  }
  if (ask.stop.length > maxStops) {
    throw unsupported(notes.context.fieldPath("stop"), `it takes at most ${maxStops} stop sequences`);
  }
  return {
    temperature,
    top_p: topP,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    seed,
    logit_bias: logitBias === undefined ? undefined : { ...logitBias },
    stop: ask.stop.length === 0 ? undefined : [...ask.stop],
    n: ask.choices > 1 ? ask.choices : undefined,
  };
}

/** End user ids longer than servers take are hashed: same user, same id. */
function renderUser(endUser: string | undefined): string | undefined {
  if (endUser === undefined || endUser.length <= maxUserChars) return endUser;
  return createHash("sha256").update(endUser).digest("hex");
}

function renderStream(ask: ChatAsk, context: RenderContext): JsonObject {
  if (!ask.stream) return {};
  return context.options?.noStreamOptions
    ? { stream: true }
    : { stream: true, stream_options: { include_usage: true } };
}

/** The call for an ask, with usage asked for in every stream. */
export function render(ask: ChatAsk, context: RenderContext): Rendered {
  const notes: Notes = { context, warnings: [] };
  const told = withJsonWord(ask, notes);
  const body = compact({
    model: context.model,
    messages: renderMessages(told, notes),
    ...renderStream(ask, context),
    ...renderBound(ask, notes),
    ...renderSampling(ask, notes),
    ...renderTools(ask, notes),
    response_format: renderFormat(ask.format),
    reasoning_effort: effortOf(ask.reasoning, notes),
    verbosity: ask.verbosity,
    service_tier: ask.tier,
    user: renderUser(ask.endUser),
  });
  return { call: { path: chatPath, body }, warnings: notes.warnings };
}
