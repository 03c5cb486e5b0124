// Passthrough: forwards the client's wire; only the model and the gateway's envelopes are replaced.

import type { Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { PassthroughRequest, RenderContext, RequestMeta } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { isMadeUpCitation } from "./citations.ts";
import { limitsOf } from "./model-capabilities.ts";
import { apiVersion, messagesPath } from "./request.ts";
import { forUpstream } from "./signature.ts";
import { lacksThinking, withoutThinking } from "./tool-loop.ts";
import { readUsage } from "./usage.ts";
import { objectsIn } from "./wire-members.ts";

/** The member that holds opaque state, by block type. */
const stateMembers = new Map<unknown, string>([
  ["thinking", "signature"],
  ["redacted_thinking", "data"],
]);

/** The block without the gateway's envelope: the same object when it has none, null when it must be removed. */
function openBlock(block: Json, origin: string): Json {
  if (!isObject(block)) return block;
  const member = stateMembers.get(block["type"]);
  if (member !== undefined) {
    const held = block[member];
    if (typeof held !== "string") return block;
    const state = forUpstream(held, origin);
    return state === held ? block : state === null ? null : { ...block, [member]: state };
  }
  const { citations } = block;
  if (!Array.isArray(citations) || !citations.some(isMadeUpCitation)) return block;
  const remaining = citations.filter((citation) => !isMadeUpCitation(citation));
  return { ...block, citations: remaining.length > 0 ? remaining : undefined };
}

function openMessage(message: Json, origin: string): Json {
  if (!isObject(message) || message["role"] !== "assistant" || !Array.isArray(message["content"])) return message;
  const { content } = message;
  const opened = content.map((block) => openBlock(block, origin));
  if (opened.every((block, index) => block === content[index])) return message;
  const remaining = opened.filter((block) => block !== null);
  return remaining.length > 0 ? { ...message, content: remaining } : null;
}

/** The messages without envelopes; the same list when there are none. */
function openMessages(messages: Json | undefined, origin: string): Json | undefined {
  if (!Array.isArray(messages)) return messages;
  const opened = messages.map((message) => openMessage(message, origin));
  if (opened.every((message, index) => message === messages[index])) return messages;
  return opened.filter((message) => message !== null);
}

const samplingFields = ["temperature", "top_p", "top_k"] as const;

/**
 * Newer API versions refuse sampling parameters even for models that accept them, so such requests use the first one.
 */
function versionFor(wire: JsonObject, context: RenderContext, envelope: RequestMeta): string {
  const requested = envelope.header("vendor-version") ?? envelope.header("anthropic-version") ?? apiVersion;
  const samples = samplingFields.some((field) => wire[field] !== undefined && wire[field] !== null);
  return samples && requested > apiVersion && limitsOf(context).sampling ? apiVersion : requested;
}

/** A wire with thinking off. Its tool loop may then not contain thinking. */
export function withoutReasoning(wire: JsonObject): JsonObject {
  return { ...wire, thinking: { type: "disabled" }, messages: withoutThinking(objectsIn(wire.messages)) };
}

/**
 * Whether the upstream would refuse a thinking budget because another provider's thinking was removed from the
 * history.
 */
function lostThinking(wire: JsonObject, messages: Json | undefined): boolean {
  const isBudget = isObject(wire.thinking) && wire.thinking.type === "enabled";
  return isBudget && messages !== wire.messages && Array.isArray(messages) && lacksThinking(messages);
}

/** The client's wire with the upstream's model name, under the API version and betas that the client requested. */
export function passthroughRequest(
  wire: JsonObject,
  context: RenderContext,
  envelope: RequestMeta,
): PassthroughRequest {
  const version = versionFor(wire, context, envelope);
  const beta = envelope.header("anthropic-beta");
  const messages = openMessages(wire["messages"], context.origin);
  const body: JsonObject = { ...wire, model: context.model, messages };
  const isLost = lostThinking(wire, messages);
  return {
    path: messagesPath,
    body: isLost ? withoutReasoning(body) : body,
    headers: { "anthropic-version": version, ...(beta ? { "anthropic-beta": beta } : {}) },
    ...(isLost ? { warnings: [{ code: "approximated", path: context.fieldPath("reasoning") }] } : {}),
  };
}

/** The usage of a complete reply. */
export function passthroughUsage(reply: JsonObject): Usage | undefined {
  if (!Array.isArray(reply.content)) throw invalidUpstreamResponse("the response has no content");
  return readUsage(reply.usage);
}
