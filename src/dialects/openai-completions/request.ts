// The body of a text completions request, to and from the canonical request.
import type { ChatRequest } from "../../canonical/chat.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { fieldPaths } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { chatRequest } from "../shared/chat-request.ts";
import { streamMembers } from "../shared/openai-stream-chunks.ts";
import { newWarnings } from "../shared/warnings.ts";
import { completionFields, completionMembers, promptOnly } from "./fields.ts";

export const completionsPath = "completions";

export const schema = requestSchema(completionFields, completionMembers);
export const fieldPath = fieldPaths(completionFields);
const readFields = fieldReader(completionFields, completionMembers);
const renderFields = fieldRenderer(completionFields);

/** Parses a body that has passed the schema. */
export function parse(wire: JsonObject): ChatRequest {
  const stream = wire.stream === true;
  const wantsUsage = stream && isObject(wire.stream_options) && wire.stream_options.include_usage === true;
  const envelope = { model: String(wire.model), stream, ...(wantsUsage ? { includeUsage: true } : {}) };
  return chatRequest(envelope, readFields(wire));
}

/** Renders a request of this dialect's own clients. A chat request would need the prompt template of each model. */
export function render(request: ChatRequest, context: RenderContext): RenderedRequest {
  if (request.completion === undefined) throw unsupported(context.fieldPath("messages"), promptOnly);
  const warnings = newWarnings(context);
  const fields = renderFields({ request, warnings });
  const body = omitUndefined({ model: context.model, ...fields, ...streamMembers(request.stream, context.options) });
  return { call: { path: completionsPath, body }, warnings: warnings.warnings };
}
