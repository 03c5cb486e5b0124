// A request in this dialect into canon, and a canonical request as a call.
import type { ChatRequest, TextBlock } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { digest, toolNames } from "../shared/tool-names.ts";
import { cacheControl } from "./cache-control.ts";
import { textParts } from "./content.ts";
import { type CallWarnings, isAbsent, lossesFor, optionalNumber, optionalText } from "./field-names.ts";
import { limitsOf, type ModelLimits } from "./model-capabilities.ts";
import { jsonInstruction, readFormat, renderFormat } from "./output-format.ts";
import { readConversation } from "./parse-messages.ts";
import { isAtRest, readReasoning, renderReasoning } from "./reasoning.ts";
import { renderMessages } from "./render-messages.ts";
import { readSampling, renderSampling } from "./sampling.ts";
import { withOutputTool } from "./structured-output-tool.ts";
import { lacksThinking, withoutThinking } from "./tool-loop.ts";
import { maxToolNameChars } from "./tool-names.ts";
import { readToolChoice, readTools, renderTools } from "./tools.ts";
import { readExtras } from "./unmapped-fields.ts";

/** Version of the API for requests that another dialect asked. */
export const apiVersion = "2023-06-01";
export const messagesPath = "v1/messages";

/** The output bound for a model that nobody knows the maximum of; the field is required here. */
const fallbackMaxTokens = 8192;
const maxUserIdChars = 256;

function readTier(wire: JsonObject): Pick<ChatRequest, "tier"> {
  if (wire["speed"] === "fast") return { tier: "fast" };
  return wire["service_tier"] === "standard_only" ? { tier: "default" } : {};
}

/** The canonical request of a wire that has passed the schema. */
export function parseRequest(wire: JsonObject): ChatRequest {
  const extras: UnmappedField[] = readExtras(wire);
  const { metadata } = wire;
  const format = readFormat(wire, extras);
  const reasoning = readReasoning(wire, extras);
  const tools = readTools(wire["tools"], extras);
  const { system, turns } = readConversation(wire, extras);
  const stop = Array.isArray(wire["stop_sequences"]) ? wire["stop_sequences"] : [];
  return {
    operation: "chat",
    model: String(wire["model"]),
    stream: wire["stream"] === true,
    system,
    messages: turns,
    tools,
    ...(tools.length > 0 ? readToolChoice(wire["tool_choice"]) : {}),
    ...optionalNumber(wire, "max_tokens", "maxOutputTokens"),
    sampling: readSampling(wire),
    stopSequences: stop.filter((text) => typeof text === "string"),
    choices: 1,
    ...(format ? { format } : {}),
    ...(reasoning && !isAbsent({ ...reasoning }) ? { reasoning } : {}),
    ...readTier(wire),
    ...(isObject(metadata) ? optionalText(metadata, "user_id", "endUser") : {}),
    unmappedFields: extras,
  };
}

/** The bound of the reply: the client's, else the model's own. No warning for a bound that no client gave: it lost nothing. */
export function outputBound(request: ChatRequest, context: RenderContext, limits: ModelLimits, warnings: CallWarnings) {
  const ceiling = context.maxOutputTokens ?? limits.maxOutputTokens;
  const wanted = request.maxOutputTokens;
  const bound = wanted ?? ceiling ?? fallbackMaxTokens;
  const maxTokens = Math.min(bound, context.maxOutputTokens ?? bound);
  if (maxTokens < bound) warnings.add("approximated", "maxOutputTokens");
  return { maxTokens, ceiling: ceiling ?? Number.MAX_SAFE_INTEGER };
}

function renderSystem(blocks: readonly TextBlock[], instruction: string | null): JsonObject {
  const parts = blocks.flatMap((block) => textParts(block.text, cacheControl(block.cache)));
  if (instruction !== null) parts.push({ type: "text", text: instruction });
  if (parts.length === 0) return {};
  const [only] = parts;
  const isPlain = parts.length === 1 && Object.keys(only ?? {}).length === 2;
  return { system: isPlain ? only?.["text"] : parts };
}

function renderTier(request: ChatRequest, warnings: CallWarnings): JsonObject {
  switch (request.tier) {
    case undefined:
      return {};
    case "default":
      return { service_tier: "standard_only" };
    case "fast":
      warnings.add("approximated", "tier");
      return { speed: "fast" };
    case "flex":
    case "priority":
      warnings.add("dropped", "tier");
      return {};
  }
}

function renderUser(user: string | undefined): JsonObject {
  if (user === undefined) return {};
  return { metadata: { user_id: user.length > maxUserIdChars ? digest(user, 64) : user } };
}

function outputConfig(effort: string | undefined, format: JsonObject | null): JsonObject {
  if (effort === undefined && format === null) return {};
  return { output_config: { ...(effort === undefined ? {} : { effort }), ...(format === null ? {} : { format }) } };
}

/** The call for a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const limits = limitsOf(context);
  const warnings = lossesFor(context);
  const names = toolNames(request, maxToolNameChars);
  const { leading, turns } = splitSystemPrefix(request.messages);
  const messages = renderMessages(request, turns, { context, limits, names, losses: warnings });
  const bound = outputBound(request, context, limits, warnings);
  const thought = renderReasoning({
    ask: request,
    limits,
    losses: warnings,
    lacksThinking: lacksThinking(messages),
    ...bound,
  });
  const sampling = renderSampling(request, limits, thought.isOn, context, warnings);
  const format = renderFormat(request.format, limits, context, warnings);
  const canForce = limits.forcedTool && !thought.isOn;
  const output = withOutputTool(request, limits, canForce, warnings);
  const instruction = request.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  if (request.verbosity !== undefined) warnings.add("dropped", "verbosity");
  const body: JsonObject = {
    model: context.model,
    max_tokens: thought.maxTokens,
    ...renderSystem([...request.system, ...leading], instruction),
    messages: isAtRest(thought, limits) ? withoutThinking(messages) : messages,
    ...renderTools(output?.ask ?? request, names, canForce, context, warnings),
    ...sampling,
    ...(request.stopSequences.length > 0 ? { stop_sequences: [...request.stopSequences] } : {}),
    ...(thought.thinking ? { thinking: thought.thinking } : {}),
    ...outputConfig(thought.effort, format),
    ...renderTier(request, warnings),
    ...renderUser(request.endUser),
    ...(request.stream ? { stream: true } : {}),
  };
  return { call: { path: messagesPath, body, headers: { "anthropic-version": apiVersion } }, warnings: warnings.list };
}
