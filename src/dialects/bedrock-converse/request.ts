// A canonical request as a Converse call, converted from the Messages API rendering.
import type { Block, ChatRequest } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import { renderMessages } from "../anthropic-messages/render-messages.ts";
import { outputBound } from "../anthropic-messages/request.ts";
import { emulatesSchemas, withOutputTool } from "../anthropic-messages/structured-output-tool.ts";
import { withoutThinking } from "../anthropic-messages/tool-loop.ts";
import type { RenderContext, RenderedRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { fieldRenderer } from "../render-fields.ts";
import { readDataUri } from "../shared/media.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { newWarnings } from "../shared/warnings.ts";
import { converseFields } from "./fields.ts";
import { familyOf } from "./model-capabilities.ts";
import { renderThinking } from "./reasoning.ts";
import { hasNoTools, namesFor, turnsWithoutTools } from "./tools.ts";

const wholeVerb = "converse";
const streamVerb = "converse-stream";

/** The path of a model: an id, or an ARN, which contains slashes. A client may choose the name, so it is escaped. */
function callPath(model: string, verb: string): string {
  if (/^\.*$/.test(model)) {
    throw new GatewayError("model_not_found", `The model '${model}' does not exist.`, { param: "model" });
  }
  return `model/${encodeURIComponent(model)}/${verb}`;
}

function refuseBlock(block: Block, context: RenderContext): void {
  if (block.type === "tool-result") for (const part of block.content) refuseBlock(part, context);
  const path = ("path" in block ? block.path : undefined) ?? context.fieldPath("messages");
  if (block.type === "foreign") throw unsupported(path, "this content type is not supported");
  if (block.type !== "image" && block.type !== "document") return;
  const { source } = block;
  if (source.kind === "file") throw unsupported(path, "the file is stored with a different provider");
  if (source.kind === "url" && readDataUri(source.url) === null)
    throw unsupported(path, "URLs are not supported; send the bytes");
}

/** Refuses fields that the Messages API has and Converse does not. */
function refuseUnsayable(request: ChatRequest, context: RenderContext): void {
  for (const message of request.messages) for (const block of message.blocks) refuseBlock(block, context);
  const hosted = request.tools.find((tool) => tool.kind === "hosted");
  if (hosted?.kind === "hosted") throw unsupported(hosted.path, "the tool is run by a different provider");
}

const renderFields = fieldRenderer(converseFields);

/** Renders a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const family = familyOf(context);
  const { limits } = family;
  const warnings = newWarnings(context);
  refuseUnsayable(request, context);
  // An emulated schema adds a tool.
  const hasTools = !hasNoTools(request) || (request.format?.type === "schema" && emulatesSchemas(limits));
  const { leading, turns } = splitSystemPrefix(
    hasTools ? request.messages : turnsWithoutTools(request.messages, warnings),
  );
  const rendered = renderMessages(request, turns, { context, limits, names: namesFor(request), warnings });
  const thinking = renderThinking(request, family, outputBound(request, limits, warnings), rendered, warnings);
  const canForce = limits.forcedTool && !thinking.isOn;
  const body = renderFields({
    ...{ request, warnings, family, limits, thinking, canForce, isThinking: thinking.isOn },
    output: withOutputTool(request, limits, canForce, warnings),
    to: { family, warnings, documents: new Set() },
    system: [...request.system, ...leading],
    messages: thinking.rests ? withoutThinking(rendered) : rendered,
  });
  const path = callPath(context.model, request.stream ? streamVerb : wholeVerb);
  return { call: { path, body }, warnings: warnings.warnings };
}
