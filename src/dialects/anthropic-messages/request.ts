// A request in this dialect into canon, and a canonical request as a call.
import type { ChatAsk, TextBlock } from "../../canonical/chat.ts";
import type { Extra } from "../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, Rendered } from "../dialect.ts";
import { leadingSystem } from "../shared/system-prefix.ts";
import { digest, toolNames } from "../shared/tool-names.ts";
import { cacheControl } from "./cache-control.ts";
import { textParts } from "./content.ts";
import { isAbsent, type Losses, lossesFor, optionalNumber, optionalText } from "./field-names.ts";
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

function readTier(wire: JsonObject): Pick<ChatAsk, "tier"> {
  if (wire["speed"] === "fast") return { tier: "fast" };
  return wire["service_tier"] === "standard_only" ? { tier: "default" } : {};
}

/** The canonical request of a wire that has passed the schema. */
export function parseRequest(wire: JsonObject): ChatAsk {
  const extras: Extra[] = readExtras(wire);
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
    turns,
    tools,
    ...(tools.length > 0 ? readToolChoice(wire["tool_choice"]) : {}),
    ...optionalNumber(wire, "max_tokens", "maxOutputTokens"),
    sampling: readSampling(wire),
    stop: stop.filter((text) => typeof text === "string"),
    choices: 1,
    ...(format ? { format } : {}),
    ...(reasoning && !isAbsent({ ...reasoning }) ? { reasoning } : {}),
    ...readTier(wire),
    ...(isObject(metadata) ? optionalText(metadata, "user_id", "endUser") : {}),
    extras,
  };
}

/** The bound of the reply: the client's, else the model's own. No warning for a bound that no client gave: it lost nothing. */
export function outputBound(ask: ChatAsk, context: RenderContext, limits: ModelLimits, losses: Losses) {
  const ceiling = context.maxOutputTokens ?? limits.maxOutputTokens;
  const wanted = ask.maxOutputTokens;
  const bound = wanted ?? ceiling ?? fallbackMaxTokens;
  const maxTokens = Math.min(bound, context.maxOutputTokens ?? bound);
  if (maxTokens < bound) losses.add("approximated", "maxOutputTokens");
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

function renderTier(ask: ChatAsk, losses: Losses): JsonObject {
  switch (ask.tier) {
    case undefined:
      return {};
    case "default":
      return { service_tier: "standard_only" };
    case "fast":
      losses.add("approximated", "tier");
      return { speed: "fast" };
    case "flex":
    case "priority":
      losses.add("dropped", "tier");
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
export function renderRequest(ask: ChatAsk, context: RenderContext): Rendered {
  const limits = limitsOf(context.model);
  const losses = lossesFor(context);
  const names = toolNames(ask, maxToolNameChars);
  const { leading, turns } = leadingSystem(ask.turns);
  const messages = renderMessages(ask, turns, { context, limits, names, losses });
  const bound = outputBound(ask, context, limits, losses);
  const thought = renderReasoning({ ask, limits, losses, lacksThinking: lacksThinking(messages), ...bound });
  const sampling = renderSampling(ask, limits, thought.isOn, context, losses);
  const format = renderFormat(ask.format, limits, context, losses);
  const canForce = limits.forcedTool && !thought.isOn;
  const output = withOutputTool(ask, limits, canForce, losses);
  const instruction = ask.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  if (ask.verbosity !== undefined) losses.add("dropped", "verbosity");
  const body: JsonObject = {
    model: context.model,
    max_tokens: thought.maxTokens,
    ...renderSystem([...ask.system, ...leading], instruction),
    messages: isAtRest(thought, limits) ? withoutThinking(messages) : messages,
    ...renderTools(output?.ask ?? ask, names, canForce, context, losses),
    ...sampling,
    ...(ask.stop.length > 0 ? { stop_sequences: [...ask.stop] } : {}),
    ...(thought.thinking ? { thinking: thought.thinking } : {}),
    ...outputConfig(thought.effort, format),
    ...renderTier(ask, losses),
    ...renderUser(ask.endUser),
    ...(ask.stream ? { stream: true } : {}),
  };
  return { call: { path: messagesPath, body, headers: { "anthropic-version": apiVersion } }, warnings: losses.list };
}
