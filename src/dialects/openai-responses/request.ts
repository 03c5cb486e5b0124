// The body of a response request, to and from the canonical request.
import type { ChatRequest, Effort } from "../../canonical/chat.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { fieldPaths } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { chatRequest } from "../shared/chat-request.ts";
import { jsonHint, needsJsonHint } from "../shared/openai-format.ts";
import { toolNames } from "../shared/tool-names.ts";
import { newWarnings, type Warnings, warnField } from "../shared/warnings.ts";
import { logprobsInclude, responsesFields, responsesMembers } from "./fields.ts";
import { renderReasoning, stateInclude, thinks } from "./reasoning.ts";

export const responsesPath = "responses";
/** The longest tool name that every server of this dialect accepts. */
export const maxToolNameChars = 64;

export const schema = requestSchema(responsesFields, responsesMembers);
export const fieldPath = fieldPaths(responsesFields);
const readFields = fieldReader(responsesFields, responsesMembers);
const renderFields = fieldRenderer(responsesFields);

/** Parses a body that has passed the schema. Stored items must already be in `input`. */
export function parse(wire: JsonObject): ChatRequest {
  return chatRequest({ model: String(wire.model), stream: wire.stream === true }, readFields(wire));
}

/** Servers look for the word JSON in the messages; the instructions do not count. */
function withJsonHint(request: ChatRequest, warnings: Warnings): ChatRequest {
  if (!needsJsonHint(request, false)) return request;
  warnField(warnings, "emulated", "format");
  const hint = { role: "system", blocks: [{ type: "text", text: jsonHint }] } as const;
  return { ...request, messages: [hint, ...request.messages] };
}

/** The gateway stores responses itself, so a reasoning model must return its state. */
function included(request: ChatRequest, context: RenderContext, reasoning: JsonObject | undefined): string[] {
  return [
    ...(thinks(context, reasoning) ? [stateInclude] : []),
    ...(request.logprobs === undefined ? [] : [logprobsInclude]),
  ];
}

/** Renders a request. */
export function render(given: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings = newWarnings(context);
  const request = withJsonHint(given, warnings);
  const reasoning = renderReasoning(request.reasoning, warnings);
  const include = included(request, context, reasoning);
  const fields = renderFields({
    request,
    warnings,
    names: toolNames(request, maxToolNameChars),
    ...(reasoning === undefined ? {} : { reasoning, effort: reasoning.effort as Effort }),
  });
  const body = omitUndefined({
    model: context.model,
    stream: request.stream ? true : undefined,
    ...fields,
    store: false,
    include: include.length > 0 ? include : undefined,
  });
  return { call: { path: responsesPath, body }, warnings: warnings.warnings };
}
