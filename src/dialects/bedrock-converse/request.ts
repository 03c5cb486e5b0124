// A request in this dialect into canon, and a canonical request as a call. What the Messages API says in other words is
// rendered and read by its rules, and only spelled here.
import type { Block, ChatAsk, OutputFormat } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import { compact, type Json, type JsonObject } from "../../lib/json.ts";
import { cacheControl } from "../anthropic-messages/cache-control.ts";
import { textParts } from "../anthropic-messages/content.ts";
import { type Losses, lossesFor } from "../anthropic-messages/field-names.ts";
import { jsonInstruction, renderFormat } from "../anthropic-messages/output-format.ts";
import { renderMessages } from "../anthropic-messages/render-messages.ts";
import { outputBound } from "../anthropic-messages/request.ts";
import { renderSampling } from "../anthropic-messages/sampling.ts";
import { emulatesSchemas, withOutputTool } from "../anthropic-messages/structured-output-tool.ts";
import { withoutThinking } from "../anthropic-messages/tool-loop.ts";
import { renderTools } from "../anthropic-messages/tools.ts";
import type { RenderContext, Rendered } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { readDataUri } from "../shared/media.ts";
import { leadingSystem } from "../shared/system-prefix.ts";
import { type Spelling, spellContent } from "./content.ts";
import { type Family, familyOf } from "./model-capabilities.ts";
import { renderThinking, type Thinking } from "./reasoning.ts";
import { hasNoTools, namesFor, spellTools, turnsWithoutTools } from "./tools.ts";

export const wholeVerb = "converse";
export const streamVerb = "converse-stream";

/** Where to ask a model: an id, or an ARN, which holds slashes. Its name may come from a client, so it may not lead elsewhere. */
export function callPath(model: string, verb: string): string {
  if (/^\.*$/.test(model)) {
    throw new GatewayError("model_not_found", `There is no model named '${model}'.`, { param: "model" });
  }
  return `model/${encodeURIComponent(model)}/${verb}`;
}

function refuseBlock(block: Block, context: RenderContext): void {
  if (block.type === "tool-result") for (const part of block.content) refuseBlock(part, context);
  const path = ("path" in block ? block.path : undefined) ?? context.fieldPath("messages");
  if (block.type === "foreign") throw unsupported(path, "this kind of content has no counterpart");
  if (block.type !== "image" && block.type !== "document") return;
  const { source } = block;
  if (source.kind === "file") throw unsupported(path, "the file is stored with another provider");
  if (source.kind === "url" && readDataUri(source.url) === null)
    throw unsupported(path, "the bytes themselves are needed, an address is not followed");
}

/** What the Messages API takes and this one does not. */
function refuseUnsayable(ask: ChatAsk, context: RenderContext): void {
  for (const turn of ask.turns) for (const block of turn.blocks) refuseBlock(block, context);
  const hosted = ask.tools.find((tool) => tool.kind === "hosted");
  if (hosted?.kind === "hosted") throw unsupported(hosted.path, "the tool runs at another provider");
}

function renderSystem(ask: ChatAsk, leading: ChatAsk["system"], instruction: string | null, to: Spelling): JsonObject {
  const parts = [...ask.system, ...leading].flatMap((block) => textParts(block.text, cacheControl(block.cache)));
  if (instruction !== null) parts.push({ type: "text", text: instruction });
  return parts.length === 0 ? {} : { system: spellContent(parts, to) };
}

const cleanName = /^[A-Za-z0-9_-]{1,64}$/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_JsonSchemaDefinition.html: the schema is text. */
function spellFormat(format: OutputFormat | undefined, native: JsonObject | null): JsonObject {
  if (native === null || format?.type !== "schema") return {};
  const { name, description } = format;
  const jsonSchema = compact({
    schema: JSON.stringify(native.schema),
    name: name !== undefined && cleanName.test(name) ? name : undefined,
    description,
  });
  return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } };
}

function renderTier(ask: ChatAsk, losses: Losses): JsonObject {
  if (ask.tier === undefined) return {};
  if (ask.tier !== "fast") return { serviceTier: { type: ask.tier } };
  losses.add("dropped", "tier");
  return {};
}

function renderTopK(topK: Json | undefined, family: Family, losses: Losses): JsonObject {
  if (topK === undefined) return {};
  if (family.topK === "own") return { top_k: topK };
  if (family.topK === "nested") return { inferenceConfig: { topK } };
  losses.add("dropped", "topK");
  return {};
}

/** Both forms of the reply are asked for the stop text; where there is none, a path is ignored. */
const stopPaths = ["/stop_sequence", "/delta/stop_sequence"];

function renderTuning(ask: ChatAsk, thinking: Thinking, to: Spelling, context: RenderContext): JsonObject {
  const { family, losses } = to;
  const sampling = renderSampling(ask, family.limits, thinking.isOn, context, losses);
  const inferenceConfig = compact({
    maxTokens: thinking.maxTokens ?? undefined,
    temperature: sampling.temperature,
    topP: sampling.top_p,
    stopSequences: ask.stop.length > 0 ? [...ask.stop] : undefined,
  });
  const canForce = family.limits.forcedTool && !thinking.isOn;
  const tools = hasNoTools(ask) ? {} : renderTools(ask, namesFor(ask), canForce, context, losses);
  const { toolConfig, additional } = spellTools(tools, family, losses);
  const fields = { ...thinking.additional, ...renderTopK(sampling.top_k, family, losses), ...additional };
  return {
    ...(Object.keys(inferenceConfig).length > 0 ? { inferenceConfig } : {}),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {}),
    ...(family.tellsStop && ask.stop.length > 0 ? { additionalModelResponseFieldPaths: stopPaths } : {}),
  };
}

/** The call for a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(ask: ChatAsk, context: RenderContext): Rendered {
  const family = familyOf(context.model);
  const { limits } = family;
  const losses = lossesFor(context);
  const to: Spelling = { family, losses, documents: new Set() };
  refuseUnsayable(ask, context);
  // An emulated schema adds a tool.
  const hasTools = !hasNoTools(ask) || (ask.format?.type === "schema" && emulatesSchemas(limits));
  const { leading, turns } = leadingSystem(hasTools ? ask.turns : turnsWithoutTools(ask.turns, losses));
  const said = renderMessages(ask, turns, { context, limits, names: namesFor(ask), losses });
  const thinking = renderThinking(ask, family, outputBound(ask, context, limits, losses), said, losses);
  const messages = thinking.rests ? withoutThinking(said) : said;
  const output = withOutputTool(ask, limits, limits.forcedTool && !thinking.isOn, losses);
  const asked = output?.ask ?? ask;
  const instruction = ask.format?.type === "json" ? jsonInstruction : (output?.instruction ?? null);
  const format = renderFormat(ask.format, limits, context, losses);
  if (ask.verbosity !== undefined) losses.add("dropped", "verbosity");
  const body: JsonObject = {
    messages: messages.map(({ role, content }) => ({ role, content: spellContent(content, to) })),
    ...renderSystem(ask, leading, instruction, to),
    ...renderTuning(asked, thinking, to, context),
    ...spellFormat(ask.format, format),
    ...renderTier(ask, losses),
  };
  const path = callPath(context.model, ask.stream ? streamVerb : wholeVerb);
  return { call: { path, body }, warnings: losses.list };
}
