// Quirks of compatible servers in requests, each a pure function on a body, which returns the same body when it changes nothing.
// Every use has a fixture `test/fixtures/providers/<kind>/call-*.json` with what is given and what is sent; a test demands it.
import { createHash } from "node:crypto";
import type { UpstreamRequest } from "../dialects/dialect.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

export type Patch = (body: JsonObject) => JsonObject;

/** How a provider's requests differ from its dialects. */
export interface RequestQuirks {
  /** By path. */
  readonly patches?: { readonly [path: string]: readonly Patch[] };
  /** Paths of its own for paths of its dialects. */
  readonly paths?: { readonly [path: string]: string };
}

/** A call for a provider with these quirks; the same call when nothing differs. */
export function patchRequest({ patches, paths }: RequestQuirks, call: UpstreamRequest): UpstreamRequest {
  const body = (patches?.[call.path] ?? []).reduce((patched, patch) => patch(patched), call.body);
  const path = paths?.[call.path] ?? call.path;
  return body === call.body && path === call.path ? call : { ...call, path, body };
}

/** A field under the server's own name for it. */
export function renamed(field: string, name: string): Patch {
  return (body) => {
    const { [field]: value, ...rest } = body;
    return value === undefined || value === null ? body : { [name]: value, ...rest };
  };
}

/** Without fields that are only hints, for servers that reject unknown fields. */
export function without(...fields: readonly string[]): Patch {
  return (body) => {
    if (!fields.some((field) => field in body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));
  };
}

/** Without fields that the server refuses, where they say what happens anyway; any other value is left for it to refuse. */
export function withoutDefaults(defaults: { readonly [field: string]: Json }): Patch {
  const idle = (body: JsonObject) => Object.keys(defaults).filter((field) => body[field] === defaults[field]);
  return (body) => without(...idle(body))(body);
}

/** Each message through a function that gives the same message when it has nothing to change. */
export function eachMessage(change: (message: JsonObject) => JsonObject): Patch {
  return (body) => {
    if (!Array.isArray(body.messages)) return body;
    let isSame = true;
    const messages = body.messages.map((message) => {
      const changed = isObject(message) ? change(message) : message;
      isSame &&= changed === message;
      return changed;
    });
    return isSame ? body : { ...body, messages };
  };
}

/** `developer` is OpenAI's newer name of a role that other servers call `system`. */
export const developerAsSystem: Patch = eachMessage((message) =>
  message.role === "developer" ? { ...message, role: "system" } : message,
);

/** Messages without members that the server refuses. */
export function messagesWithout(roles: readonly string[], ...members: readonly string[]): Patch {
  return eachMessage((message) => (roles.includes(String(message.role)) ? without(...members)(message) : message));
}

/**
 * `reasoning_effort` as a switch of the server's own, whose value by the client wins. `level` gives the effort that
 * is still sent in addition, if any.
 */
export function effortAsSwitch(
  field: string,
  off: Json,
  on: Json,
  level: (effort: string, model: string) => string | undefined = () => undefined,
): Patch {
  return (body) => {
    const { reasoning_effort: effort, ...rest } = body;
    if (typeof effort !== "string") return body;
    const switched = { [field]: effort === "none" ? off : on, ...rest };
    const remaining = effort === "none" ? undefined : level(effort, String(body.model));
    return remaining === undefined ? switched : { ...switched, reasoning_effort: remaining };
  };
}

/** `reasoning_effort` where the server has fewer levels: as it is where it has that one, else its highest. */
export function effortAmong(...levels: readonly [string, ...string[]]): Patch {
  return (body) => {
    const { reasoning_effort: effort } = body;
    if (typeof effort !== "string" || levels.includes(effort)) return body;
    return { ...body, reasoning_effort: levels.at(-1) };
  };
}

/** A patch for the models whose names match; others are not changed. */
export function onModels(names: RegExp, patch: Patch): Patch {
  return (body) => (names.test(String(body.model)) ? patch(body) : body);
}

/** Servers that think by default refuse calls in the history that come without the thought behind them, even an empty one. */
export const reasoningWithToolCalls: Patch = (body) => {
  if (isObject(body.thinking) && body.thinking.type === "disabled") return body;
  return eachMessage((message) => {
    const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
    return hasCalls && !message.reasoning_content ? { ...message, reasoning_content: " " } : message;
  })(body);
};

const roleOf = (message: Json | undefined): Json | undefined => (isObject(message) ? message.role : undefined);

/**
 * Servers that accept no words of the user right behind the results of calls: an assistant message goes between, with the
 * least that one can say. Agents put reminders there. https://github.com/mistralai/mistral-common/issues/169
 */
export const assistantBehindResults: Patch = (body) => {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const isRefused = (message: Json, index: number): boolean =>
    roleOf(message) === "user" && roleOf(messages[index - 1]) === "tool";
  if (!messages.some(isRefused)) return body;
  const between = { role: "assistant", content: "." };
  return {
    ...body,
    messages: messages.flatMap((message, index) => (isRefused(message, index) ? [between, message] : [message])),
  };
};

const shortId = /^[a-zA-Z0-9]{9}$/;

/** The same id always becomes the same nine letters and digits. */
function nineCharacters(id: Json | undefined): Json | undefined {
  if (typeof id !== "string" || shortId.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

/** Ids of tool calls as exactly nine letters and digits, in calls and results alike. */
export const nineCharacterIds: Patch = eachMessage((message) => {
  const id = nineCharacters(message.tool_call_id);
  const named = id === message.tool_call_id ? message : { ...message, tool_call_id: id };
  if (!Array.isArray(message.tool_calls)) return named;
  const calls = message.tool_calls.map((call) => (isObject(call) ? { ...call, id: nineCharacters(call.id) } : call));
  return { ...named, tool_calls: calls };
});
