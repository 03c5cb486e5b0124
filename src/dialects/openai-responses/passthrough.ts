// Passthrough: forwards the client's wire except for the model, settings of storage, and what the gateway added.
import { unwrapProviderState } from "../../canonical/provider-state.ts";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Passthrough, RenderContext, UpstreamRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { corrector } from "../shared/corrected-usage.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import { isOurs } from "./ids.ts";
import { passthroughReader } from "./passthrough-reader.ts";
import { callState, nativeState, stateInclude, thinks } from "./reasoning.ts";
import { responsesPath } from "./request.ts";
import { identityMembers } from "./response-object.ts";
import { parseUsage, renderUsage } from "./usage.ts";

/** Only these items contain ids or envelopes of the gateway; most items of a long history stay the same objects. */
function withoutOurId(item: JsonObject): JsonObject {
  if (!isOurs(item.id)) return item;
  const { id: _id, status: _status, ...rest } = item;
  return rest;
}

/**
 * Reasoning goes back only to its origin, and only with its state if the upstream does not store it; null: it is left
 * out.
 */
function openReasoning(item: JsonObject, context: RenderContext): JsonObject | null {
  if (callState(item) !== null) return null;
  const sealed = item.encrypted_content;
  const state = typeof sealed === "string" ? unwrapProviderState(sealed) : null;
  if (state === null) {
    const isStoredUpstream = context.options?.nativeState === true && !isOurs(item.id);
    return isStoredUpstream || !isAbsent(item.content) || (typeof sealed === "string" && sealed !== "")
      ? withoutOurId(item)
      : null;
  }
  const members = state.origin === context.origin ? nativeState(state) : null;
  if (members === null) return null;
  const { id: _id, status: _status, encrypted_content: _sealed, ...rest } = item;
  return { ...rest, ...members };
}

function openItem(item: Json, context: RenderContext): Json {
  if (!isObject(item)) return item;
  return item.type === "reasoning" ? openReasoning(item, context) : withoutOurId(item);
}

/** The input without the gateway's ids and envelopes; the same list when there are none. */
function openInput(input: Json | undefined, context: RenderContext): Json | undefined {
  if (!Array.isArray(input)) return input;
  const opened = input.map((item) => openItem(item, context));
  if (opened.every((item, index) => item === input[index])) return input;
  return opened.filter((item) => item !== null);
}

/** The `include` list, plus the state of reasoning if the upstream does not store it. */
function includes(wire: JsonObject, context: RenderContext): Json | undefined {
  const included = Array.isArray(wire.include) ? wire.include : [];
  const reasoning = isObject(wire.reasoning) ? wire.reasoning : undefined;
  if (included.includes(stateInclude) || !thinks(context, reasoning)) return wire.include;
  return [...included, stateInclude];
}

/** Fields that depend on storage at the upstream. */
const keeping = ["previous_response_id", "conversation", "background"];

function keepNothing(body: JsonObject, wire: JsonObject, context: RenderContext): void {
  if (!isAbsent(wire.conversation)) {
    throw unsupported("conversation", "conversations are stored in the provider's account, which other keys share");
  }
  for (const field of keeping) delete body[field];
  body.store = false;
  const include = includes(wire, context);
  if (include !== undefined) body.include = include;
}

/**
 * Servers refuse a tool choice without tools. Tools are in `tools`, in items of any type that lists tools
 * (`additional_tools`, `tool_search_output`, `mcp_list_tools`), or in a stored prompt.
 */
function mayCarryTools({ tools, input, prompt }: JsonObject): boolean {
  if (!isAbsent(tools) || !isAbsent(prompt)) return true;
  return Array.isArray(input) && input.some((item) => isObject(item) && !isAbsent(item.tools));
}

function call(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const body: JsonObject = { ...wire, model: context.model };
  if (wire.input !== undefined) body.input = openInput(wire.input, context);
  if (!context.options?.nativeState) keepNothing(body, wire, context);
  if (isAbsent(wire.tools)) delete body.tools;
  if (!mayCarryTools(wire)) {
    delete body.tool_choice;
    delete body.parallel_tool_calls;
  }
  return { path: responsesPath, body };
}

const corrected = corrector({
  name: "usage",
  within: "response",
  isFalse: (usage) => parseUsage(usage) === undefined,
  render: renderUsage,
});
const withUsage = (reply: JsonObject, usage: Usage): JsonObject => ({ ...reply, usage: renderUsage(usage) });

const normalize: Passthrough["normalize"] = (reply, _wire, context) =>
  context?.stored === undefined ? reply : { ...reply, ...identityMembers(context.stored) };

export const passthrough: Passthrough = { render: call, reader: passthroughReader, withUsage, corrected, normalize };
