// Passthrough: forwards the client's wire except for the model, the usage that the meter needs, and the gateway's
// envelopes.
import { unwrapProviderState } from "../../canonical/provider-state.ts";
import { totalOutput, type Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { holdsText, lastMembers } from "../../lib/json-tail.ts";
import type { Passthrough, RenderContext, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { isAbsent, removeAbsent } from "../shared/json-accessors.ts";
import { askForUsage, correctedChunk, doneFrame, shownChunk } from "../shared/openai-stream-chunks.ts";
import { parseUsage, renderUsage } from "../shared/openai-usage.ts";
import { detailText, nativeDetail } from "./reasoning.ts";
import { chatPath } from "./request.ts";
import { signatureMember } from "./tool-calls.ts";

/** Whether a message may contain state. Most do not, and stay the same objects. */
function mayHoldState(message: Json): message is JsonObject {
  if (!isObject(message)) return false;
  return Array.isArray(message.reasoning_details) || Array.isArray(message.tool_calls);
}

/**
 * An entry in the gateway's envelope becomes the original one, or null for another provider; other entries are
 * unchanged.
 */
function restoreDetail(detail: Json, origin: string): Json | null {
  if (!isObject(detail)) return detail;
  const token = typeof detail.signature === "string" ? detail.signature : detail.data;
  const state = typeof token === "string" ? unwrapProviderState(token) : null;
  if (state === null) return detail;
  return state.origin === origin
    ? nativeDetail(state, detailText(detail), detail.type === "reasoning.encrypted")
    : null;
}

function restoreCall(call: Json, origin: string): Json {
  const extra = isObject(call) ? call.extra_content : undefined;
  const google = isObject(extra) ? extra.google : undefined;
  const token = isObject(google) ? google.thought_signature : undefined;
  const state = typeof token === "string" ? unwrapProviderState(token) : null;
  if (state === null || !isObject(call)) return call;
  if (state.origin === origin) return { ...call, ...signatureMember(state.data) };
  const { extra_content: _foreign, ...rest } = call;
  return rest;
}

function mapped(list: readonly Json[], each: (item: Json) => Json | null): Json[] | null {
  const items = list.map(each);
  if (items.every((item, index) => item === list[index])) return null;
  return items.filter((item) => item !== null);
}

/** Thinking that another provider signed is removed together with its state. */
function restoreMessage(message: Json, origin: string): Json {
  if (!mayHoldState(message)) return message;
  let restored = message;
  if (Array.isArray(message.reasoning_details)) {
    const details = mapped(message.reasoning_details, (detail) => restoreDetail(detail, origin));
    if (details !== null && details.length > 0) restored = { ...restored, reasoning_details: details };
    if (details !== null && details.length === 0) {
      const { reasoning_details: _details, reasoning_content: _text, reasoning: _mirror, ...rest } = restored;
      restored = rest;
    }
  }
  if (Array.isArray(message.tool_calls)) {
    const calls = mapped(message.tool_calls, (call) => restoreCall(call, origin));
    if (calls !== null) restored = { ...restored, tool_calls: calls };
  }
  return restored;
}

/** Fields that servers refuse when they are empty. */
const noise = ["stop", "tools", "tool_choice", "parallel_tool_calls", "n", "logit_bias", "functions", "function_call"];

function withoutNoise(body: JsonObject): void {
  removeAbsent(body, noise);
  if (body.tools === undefined) {
    delete body.tool_choice;
    delete body.parallel_tool_calls;
  }
}

function withOptions(body: JsonObject, context: RenderContext): void {
  askForUsage(body, context.options);
  if (context.options?.legacyMaxTokens && !isAbsent(body.max_completion_tokens)) {
    body.max_tokens = body.max_completion_tokens;
    delete body.max_completion_tokens;
  }
}

function call(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const body: JsonObject = { ...wire, model: context.model };
  const messages = Array.isArray(wire.messages) ? wire.messages : [];
  if (messages.some(mayHoldState)) {
    body.messages = mapped(messages, (message) => restoreMessage(message, context.origin)) ?? messages;
  }
  withoutNoise(body);
  withOptions(body, context);
  return { path: chatPath, body };
}

function usage(reply: JsonObject): Usage | undefined {
  if (!Array.isArray(reply.choices)) throw invalidUpstreamResponse("the response has no choices");
  return parseUsage(reply.usage);
}

/** Shorter replies are parsed in the time that the searches take. */
const longBytes = 8 * 1024;

/** An error could be anywhere in it, and so could choices be missing: both have to be read. */
function usageInBytes(bytes: Uint8Array): Usage | undefined {
  if (bytes.length < longBytes) return undefined;
  const members = lastMembers(bytes, "usage");
  const hasChoices = holdsText(bytes, '"choices":[') || holdsText(bytes, '"choices": [');
  if (members === null || !hasChoices || holdsText(bytes, '"error"')) return undefined;
  const used = parseUsage(members["usage"]);
  return used === undefined || totalOutput(used) === 0 ? undefined : used;
}

const withUsage = (reply: JsonObject, used: Usage): JsonObject => ({ ...reply, usage: renderUsage(used) });

export const passthrough: Passthrough = {
  render: call,
  visibleFrame: shownChunk,
  corrected: correctedChunk,
  terminator: doneFrame,
  usage,
  usageInBytes,
  withUsage,
};
