// The body of a Messages request, to and from the canonical request.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { fieldPaths } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { chatRequest } from "../shared/chat-request.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { toolNames } from "../shared/tool-names.ts";
import { newWarnings, type Warnings, warnField } from "../shared/warnings.ts";
import { messagesFields, messagesMembers } from "./fields.ts";
import { limitsOf, type ModelLimits } from "./model-capabilities.ts";
import { isAtRest, renderReasoning } from "./reasoning.ts";
import { renderMessages } from "./render-messages.ts";
import { withOutputTool } from "./structured-output-tool.ts";
import { lacksThinking, withoutThinking } from "./tool-loop.ts";
import { maxToolNameChars } from "./tool-names.ts";

/** The API version for requests of clients in another dialect. */
export const apiVersion = "2023-06-01";
export const messagesPath = "v1/messages";

/** The output limit for a model whose maximum is unknown; the field is required here. */
const fallbackMaxTokens = 8192;

export const schema = requestSchema(messagesFields, messagesMembers);
export const fieldPath = fieldPaths(messagesFields);
const readFields = fieldReader(messagesFields, messagesMembers);
const renderFields = fieldRenderer(messagesFields);

/** The canonical request of a wire that has passed the schema. */
export function parseRequest(wire: JsonObject): ChatRequest {
  return chatRequest({ model: String(wire["model"]), stream: wire["stream"] === true }, readFields(wire));
}

/** The output limit: the client's, otherwise the model's maximum, without a warning. */
export function outputBound(request: ChatRequest, limits: ModelLimits, warnings: Warnings) {
  const { context } = warnings;
  const ceiling = context.maxOutputTokens ?? limits.maxOutputTokens;
  const wanted = request.maxOutputTokens;
  const bound = wanted ?? ceiling ?? fallbackMaxTokens;
  const maxTokens = Math.min(bound, context.maxOutputTokens ?? bound);
  if (maxTokens < bound) warnField(warnings, "approximated", "maxOutputTokens");
  return { maxTokens, ceiling: ceiling ?? Number.MAX_SAFE_INTEGER };
}

/** Renders a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const limits = limitsOf(context);
  const warnings = newWarnings(context);
  const names = toolNames(request, maxToolNameChars);
  const { leading, turns } = splitSystemPrefix(request.messages);
  const messages = renderMessages(request, turns, { context, limits, names, warnings });
  const bound = outputBound(request, limits, warnings);
  const thought = renderReasoning({ ask: request, limits, warnings, lacksThinking: lacksThinking(messages), ...bound });
  const canForce = limits.forcedTool && !thought.isOn;
  const fields = renderFields({
    ...{ request, warnings, limits, names, thought, canForce, isThinking: thought.isOn },
    output: withOutputTool(request, limits, canForce, warnings),
    system: [...request.system, ...leading],
    messages: isAtRest(thought, limits) ? withoutThinking(messages) : messages,
  });
  const body: JsonObject = { model: context.model, ...fields, ...(request.stream ? { stream: true } : {}) };
  return {
    call: { path: messagesPath, body, headers: { "anthropic-version": apiVersion } },
    warnings: warnings.warnings,
  };
}
