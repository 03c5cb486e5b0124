// Passthrough: forwards the client's wire under another model's path; only the gateway's envelopes are replaced.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { PassthroughRequest, RenderContext, RequestMeta } from "../dialect.ts";
import { limitsOf } from "./model-capabilities.ts";
import { callPath, wholeVerb } from "./request.ts";
import { dummySignature, openEnvelope, ownState } from "./signature.ts";

const signatureOf = (part: JsonObject): Json | undefined => part.thoughtSignature ?? part.thought_signature;

/** Whether a part comes from another provider: it has that provider's state, or the mark for missing state. */
function isForeign(part: Json, origin: string): boolean {
  const held = isObject(part) ? signatureOf(part) : undefined;
  const state = typeof held === "string" ? openEnvelope(held) : null;
  return state !== null && ownState(state, origin) === null;
}

/** A fragment of thinking in several parts: only the last one has state. */
const isUnsignedThought = (part: Json): boolean => isObject(part) && part.thought === true && !signatureOf(part);

/**
 * The part with the state of its upstream. Thinking of another provider is removed; its other parts lose only the
 * state.
 */
function openPart(part: Json, origin: string, standIn: string | undefined): Json | null {
  if (!isObject(part)) return part;
  const member = part.thoughtSignature === undefined ? "thought_signature" : "thoughtSignature";
  const held = part[member];
  const providerState = typeof held === "string" ? openEnvelope(held) : null;
  if (providerState === null) return part;
  const state = ownState(providerState, origin) ?? undefined;
  if (state !== undefined) return { ...part, [member]: state };
  const isCall = part.functionCall !== undefined || part.function_call !== undefined;
  if (isCall) return { ...part, [member]: standIn };
  if (part.thought === true || part.text === "") return null;
  return { ...part, [member]: undefined };
}

/** The content without envelopes: the same object when it has none, null when nothing is left. */
function openContent(content: Json, origin: string, standIn: string | undefined): Json | null {
  if (!isObject(content) || content.role !== "model" || !Array.isArray(content.parts)) return content;
  const { parts } = content;
  const opened = parts.map((part) => openPart(part, origin, standIn));
  if (opened.every((part, index) => part === parts[index])) return content;
  const dropsThoughts = parts.some((part) => isForeign(part, origin));
  const remaining = opened.filter((part) => part !== null && !(dropsThoughts && isUnsignedThought(part)));
  return remaining.length === 0 ? null : { ...content, parts: remaining };
}

/** The contents without envelopes; the same list when there are none. */
function openContents(contents: Json | undefined, context: RenderContext): Json | undefined {
  if (!Array.isArray(contents)) return contents;
  const standIn = limitsOf(context).proof ? dummySignature : undefined;
  const opened = contents.map((content) => openContent(content, context.origin, standIn));
  if (opened.every((content, index) => content === contents[index])) return contents;
  return opened.filter((content) => content !== null);
}

const isCall = (part: Json): part is JsonObject =>
  isObject(part) && (isObject(part.functionCall) || isObject(part.function_call));

const isResult = (part: Json): boolean =>
  isObject(part) && (isObject(part.functionResponse) || isObject(part.function_response));

const holdsWords = (content: Json): boolean =>
  isObject(content) && content.role !== "model" && Array.isArray(content.parts) && !content.parts.some(isResult);

/** The content with a dummy signature on its first call; the same object when that call is signed or there is none. */
function withStandIn(content: Json): Json {
  if (!isObject(content) || content.role !== "model" || !Array.isArray(content.parts)) return content;
  const first = content.parts.find(isCall);
  if (first === undefined || first.thoughtSignature || first.thought_signature) return content;
  const parts = content.parts.map((part) => (part === first ? { ...first, thoughtSignature: dummySignature } : part));
  return { ...content, parts };
}

/**
 * The contents with dummy signatures where the client has lost them. The server requires signatures only in the
 * current turn: https://ai.google.dev/gemini-api/docs/thought-signatures. The same list when none is missing.
 */
function withStandIns(contents: Json | undefined): Json | undefined {
  if (!Array.isArray(contents)) return contents;
  const spoken = contents.findLastIndex(holdsWords);
  const proven = contents.map((content, index) => (index > spoken ? withStandIn(content) : content));
  return proven.every((content, index) => content === contents[index]) ? contents : proven;
}

/** Servers accept the system instruction only as a content. */
function withInstruction(body: JsonObject): void {
  for (const name of ["systemInstruction", "system_instruction"]) {
    const instruction = body[name];
    if (typeof instruction === "string") body[name] = { parts: [{ text: instruction }] };
  }
}

/** The client's body as the upstream may see it. */
export function passthroughBody(wire: JsonObject, context: RenderContext): JsonObject {
  const body: JsonObject = { ...wire, contents: openContents(wire.contents, context) };
  withInstruction(body);
  if (typeof wire.model === "string") body.model = `models/${context.model}`;
  return body;
}

/** The call under the client's method. Streams are always requested as events, whatever form the client requested. */
export function passthroughRequest(
  wire: JsonObject,
  context: RenderContext,
  envelope: RequestMeta,
): PassthroughRequest {
  const path = callPath(context.model, envelope.params.verb ?? wholeVerb);
  const body = passthroughBody(wire, context);
  const contents = limitsOf(context).proof ? withStandIns(body.contents) : body.contents;
  if (contents === body.contents) return { path, body };
  return {
    path,
    body: { ...body, contents },
    warnings: [{ code: "approximated", path: context.fieldPath("reasoning") }],
  };
}
