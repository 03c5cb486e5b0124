// The body of a chat completions request, to and from the canonical request.
import type { ChatRequest } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { fieldPaths } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { chatRequest } from "../shared/chat-request.ts";
import { jsonHint, needsJsonHint } from "../shared/openai-format.ts";
import { renderEffort } from "../shared/openai-reasoning-effort.ts";
import { streamMembers } from "../shared/openai-stream-chunks.ts";
import { newWarnings, type Warnings, warnField } from "../shared/warnings.ts";
import { chatFields, chatMembers } from "./fields.ts";
import { namesFor } from "./tools.ts";

export const chatPath = "chat/completions";

export const schema = requestSchema(chatFields, chatMembers);
export const fieldPath = fieldPaths(chatFields);
const readFields = fieldReader(chatFields, chatMembers);
const renderFields = fieldRenderer(chatFields);

/** Parses a body that has passed the schema. */
export function parse(wire: JsonObject): ChatRequest {
  const stream = wire.stream === true;
  const wantsUsage = stream && isObject(wire.stream_options) && wire.stream_options.include_usage === true;
  const envelope = { model: String(wire.model), stream, ...(wantsUsage ? { includeUsage: true } : {}) };
  return chatRequest(envelope, readFields(wire));
}

/** Servers refuse JSON mode when no message mentions JSON; other dialects have no such rule. */
function withJsonHint(request: ChatRequest, warnings: Warnings): ChatRequest {
  if (!needsJsonHint(request, true)) return request;
  warnField(warnings, "emulated", "format");
  return { ...request, system: [...request.system, { type: "text", text: jsonHint }] };
}

/** Older servers have another name for the output limit. */
function withOlderNames({ max_completion_tokens: bound, ...body }: JsonObject): JsonObject {
  return bound === undefined ? body : { ...body, max_tokens: bound };
}

/** Renders a request, with usage requested in every stream. */
export function render(given: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings = newWarnings(context);
  const request = withJsonHint(given, warnings);
  const effort = renderEffort(request.reasoning, warnings);
  const fields = renderFields({
    request,
    warnings,
    names: namesFor(request),
    ...(effort === undefined ? {} : { effort }),
  });
  const body = {
    model: context.model,
    ...streamMembers(request.stream, context.options),
    ...(context.options?.legacyMaxTokens ? withOlderNames(fields) : fields),
  };
  return { call: { path: chatPath, body }, warnings: warnings.warnings };
}
