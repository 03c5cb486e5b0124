// A request in this dialect into canon, and a canonical request as a call.
import type { ChatRequest } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, RenderedRequest, RequestMeta } from "../dialect.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { splitSystemPrefix } from "../shared/system-prefix.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { inCamelCase } from "./field-case.ts";
import { readGeneration, renderGeneration } from "./generation-config.ts";
import { renderText } from "./media.ts";
import { limitsOf } from "./model-capabilities.ts";
import { readContents, readInstruction } from "./parse-contents.ts";
import { renderContents } from "./render-contents.ts";
import { namesFor, readToolConfig, readTools, renderTools } from "./tools.ts";

/** The method of a path that answers as a stream. */
export const streamVerb = "streamGenerateContent";
export const wholeVerb = "generateContent";

/** The model that a path names; clients write the collection before it, some of them twice. */
export function modelFromPath(segment: string): string {
  return segment.replace(/^(?:\/*models\/+)+/, "");
}

/** Where to ask a model. Its name may come from a client, so no part of it may lead elsewhere. */
export function callPath(model: string, verb: string): string {
  const segments = modelFromPath(model).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw new GatewayError("model_not_found", `The model '${model}' does not exist.`, { param: "model" });
  }
  const name = segments.map(encodeURIComponent).join("/");
  const collection = segments.length === 1 ? "models/" : "";
  return `v1beta/${collection}${name}:${verb}${verb === streamVerb ? "?alt=sse" : ""}`;
}

/** Fields that canon holds; they are read elsewhere. */
const held = new Set([
  "model",
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "serviceTier",
]);

/** A field that is not in this table and not held is dropped with a warning. */
const rules: ReadonlyMap<string, UnmappedField["rule"]> = new Map([
  ["store", "ignore"],
  ["cachedContent", "reject"],
  ["continuationToken", "reject"],
]);

function readExtras(wire: JsonObject): UnmappedField[] {
  return Object.entries(wire).flatMap(([path, value]) =>
    held.has(path) || isAbsent(value) ? [] : [{ path, rule: rules.get(path) ?? "warn" }],
  );
}

const tiers: ReadonlyMap<string, "default" | "flex" | "priority"> = new Map([
  ["standard", "default"],
  ["flex", "flex"],
  ["priority", "priority"],
]);

function readTier(tier: Json | undefined): Pick<ChatRequest, "tier"> {
  const known = typeof tier === "string" ? tiers.get(tier.toLowerCase()) : undefined;
  return known === undefined ? {} : { tier: known };
}

/** The canonical request of a body in camelCase; which model, and whether as a stream, the path says. */
export function readRequest(wire: JsonObject, model: string, stream: boolean): ChatRequest {
  const extras = readExtras(wire);
  const generation = readGeneration(isObject(wire.generationConfig) ? wire.generationConfig : {}, extras);
  return {
    operation: "chat",
    model: modelFromPath(model),
    stream,
    system: readInstruction(wire.systemInstruction),
    messages: readContents(wire.contents, extras),
    ...generation,
    ...readToolConfig(wire.toolConfig, readTools(wire.tools, extras), extras),
    ...readTier(wire.serviceTier),
    unmappedFields: extras,
  };
}

/** The canonical request of a wire that has passed the schema. */
export function parseRequest(wire: JsonObject, envelope: RequestMeta): ChatRequest {
  const { model = "", verb } = envelope.params;
  return readRequest(inCamelCase(wire), model, verb === streamVerb);
}

const wireTiers: Readonly<Record<NonNullable<ChatRequest["tier"]>, string | null>> = {
  default: "standard",
  flex: "flex",
  priority: "priority",
  fast: null,
};

function renderTier(request: ChatRequest, warnings: Warnings): JsonObject {
  if (request.tier === undefined) return {};
  const serviceTier = wireTiers[request.tier];
  if (serviceTier === null) warnField(warnings, "dropped", "tier");
  return serviceTier === null ? {} : { serviceTier };
}

/** The call for a canonical request. Throws `unsupported_parameter` for what must not be left out. */
export function renderRequest(request: ChatRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  const limits = limitsOf(context);
  const names = namesFor(request);
  const { leading, turns } = splitSystemPrefix(request.messages);
  const system = [...request.system, ...leading].flatMap(renderText);
  const generationConfig = renderGeneration(request, limits, warnings);
  if (request.verbosity !== undefined) warnField(warnings, "dropped", "verbosity");
  const body: JsonObject = {
    contents: renderContents(request, turns, { notes: warnings, limits, names }),
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...renderTools(request, names, limits, warnings),
    ...(isAbsent(generationConfig) ? {} : { generationConfig }),
    ...renderTier(request, warnings),
  };
  const path = callPath(context.model, request.stream ? streamVerb : wholeVerb);
  return { call: { path, body }, warnings: warnings.warnings };
}
