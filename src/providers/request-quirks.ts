// Quirks of compatible servers in requests, each a pure function on a body that returns the same body when nothing
// changes.
// Each use needs a fixture `test/fixtures/providers/<kind>/call-*.json` with input and output; a test checks that it
// exists.
import { createHash } from "node:crypto";
import type { UpstreamRequest } from "../dialects/dialect.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

export type Patch = (body: JsonObject) => JsonObject;

/** How a provider's requests differ from its dialects. */
export interface RequestQuirks {
  /** By path. */
  readonly patches?: { readonly [path: string]: readonly Patch[] };
  /** Its own paths in place of its dialects' paths. */
  readonly paths?: { readonly [path: string]: string };
}

/** Applies these quirks to a call; the same call when nothing differs. */
export function patchRequest({ patches, paths }: RequestQuirks, call: UpstreamRequest): UpstreamRequest {
  const body = (patches?.[call.path] ?? []).reduce((patched, patch) => patch(patched), call.body);
  const path = paths?.[call.path] ?? call.path;
  return body === call.body && path === call.path ? call : { ...call, path, body };
}

/** Renames a field. */
export function renamed(field: string, name: string): Patch {
  return (body) => {
    const { [field]: value, ...rest } = body;
    return value === undefined || value === null ? body : { [name]: value, ...rest };
  };
}

/** Removes fields that are only hints, for servers that refuse unknown fields. */
export function without(...fields: readonly string[]): Patch {
  return (body) => {
    if (!fields.some((field) => field in body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));
  };
}

/**
 * Removes fields that the server refuses, if they equal the default. Other values are left for the server to refuse.
 */
export function withoutDefaults(defaults: { readonly [field: string]: Json }): Patch {
  const idle = (body: JsonObject) => Object.keys(defaults).filter((field) => body[field] === defaults[field]);
  return (body) => without(...idle(body))(body);
}

/** Applies a function to each message; it returns the same message when nothing changes. */
function eachMessage(change: (message: JsonObject) => JsonObject): Patch {
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

/** `developer` is OpenAI's newer name of the role `system` on other servers. */
export const developerAsSystem: Patch = eachMessage((message) =>
  message.role === "developer" ? { ...message, role: "system" } : message,
);

/** Removes message members that the server refuses. */
export function messagesWithout(roles: readonly string[], ...members: readonly string[]): Patch {
  return eachMessage((message) => (roles.includes(String(message.role)) ? without(...members)(message) : message));
}

/**
 * Converts `reasoning_effort` to a switch of the server, whose value by the client takes precedence. `level` returns
 * the effort that is still sent in addition, if any.
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

/** `reasoning_effort` for servers with fewer levels: unchanged if the server has that one, otherwise its highest. */
export function effortAmong(...levels: readonly [string, ...string[]]): Patch {
  return (body) => {
    const { reasoning_effort: effort } = body;
    if (typeof effort !== "string" || levels.includes(effort)) return body;
    return { ...body, reasoning_effort: levels.at(-1) };
  };
}

/** A patch for models whose names match. */
export function onModels(names: RegExp, patch: Patch): Patch {
  return (body) => (names.test(String(body.model)) ? patch(body) : body);
}

/** Servers that reason by default refuse calls in the history without their reasoning, even if it is empty. */
export const reasoningWithToolCalls: Patch = (body) => {
  if (isObject(body.thinking) && body.thinking.type === "disabled") return body;
  return eachMessage((message) => {
    const hasCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
    return hasCalls && !message.reasoning_content ? { ...message, reasoning_content: " " } : message;
  })(body);
};

const roleOf = (message: Json | undefined): Json | undefined => (isObject(message) ? message.role : undefined);

/**
 * Servers that do not accept a user message directly after tool results get a minimal assistant message in between.
 * Agents send reminders there. https://github.com/mistralai/mistral-common/issues/169
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

/** Call ids as exactly nine letters and digits, in calls and results. */
export const nineCharacterIds: Patch = eachMessage((message) => {
  const id = nineCharacters(message.tool_call_id);
  const named = id === message.tool_call_id ? message : { ...message, tool_call_id: id };
  if (!Array.isArray(message.tool_calls)) return named;
  const calls = message.tool_calls.map((call) => (isObject(call) ? { ...call, id: nineCharacters(call.id) } : call));
  return { ...named, tool_calls: calls };
});
