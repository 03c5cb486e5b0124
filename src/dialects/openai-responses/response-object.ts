// The response object around its output: its state, and the request's settings with their defaults.
import type { ChatRequest } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ResponseIdentity, WriteContext } from "../dialect.ts";
import { responseId } from "./ids.ts";

/** Members of a request that a response repeats. */
const defaults: JsonObject = {
  background: false,
  conversation: null,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: "default",
  store: true,
  temperature: 1,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
};

function echoedTool(tool: Json): Json {
  if (!isObject(tool) || tool.type !== "function") return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}

function echoedText(text: Json | undefined): JsonObject {
  const own = isObject(text) ? text : {};
  return { ...own, format: isObject(own.format) ? own.format : { type: "text" } };
}

function echoedReasoning(reasoning: Json | undefined): JsonObject {
  return { effort: null, summary: null, ...(isObject(reasoning) ? reasoning : {}) };
}

/** The members of a response that the gateway sets. */
export function identityMembers({ id, isStored, isBackground, previousId }: ResponseIdentity): JsonObject {
  return { id, store: isStored, previous_response_id: previousId, ...(isBackground ? { background: true } : {}) };
}

/** The settings of a request: the client's values, defaults for missing ones, and the gateway's own members. */
export function echo({ wire, stored }: WriteContext): JsonObject {
  const settings: JsonObject = {};
  for (const name in defaults) settings[name] = wire[name] ?? defaults[name];
  return {
    ...settings,
    reasoning: echoedReasoning(wire.reasoning),
    text: echoedText(wire.text),
    tools: Array.isArray(wire.tools) ? wire.tools.map(echoedTool) : [],
    ...(stored === undefined ? {} : identityMembers(stored)),
  };
}

/** The members that change while a response is generated. */
export interface Standing {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: Json;
  readonly usage: Json;
  /** Why it is incomplete. */
  readonly reason?: string | null;
  readonly error?: JsonObject;
}

/** Model, id and time of the response. */
export interface Identity {
  readonly id: string;
  readonly createdAt: number;
  readonly model: string;
}

/** The upstream's values, otherwise the model and time of the request. */
export function identityOf(context: WriteContext, reported: { model: string; createdAt?: number }): Identity {
  return {
    id: responseId(context.id),
    createdAt: reported.createdAt ?? context.createdAt,
    model: reported.model === "" ? (context.request as ChatRequest).model : reported.model,
  };
}

/** The response without the request's settings. */
export function responseHead(identity: Identity, standing: Standing): JsonObject {
  const { status, output, usage, reason, error } = standing;
  return omitUndefined({
    id: identity.id,
    object: "response",
    created_at: identity.createdAt,
    completed_at: null,
    access_programs: null,
    status,
    error: error ?? null,
    incomplete_details: reason ? { reason } : null,
    model: identity.model,
    output,
    usage,
  });
}
