// The members that all records of one OpenAI-shaped stream share, and the last records: usage and terminator.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { CompatibilityFlags, WriteContext } from "../dialect.ts";
import { corrector } from "./corrected-usage.ts";
import { isAbsent } from "./json-accessors.ts";
import { parseUsage, renderUsage } from "./openai-usage.ts";

/** The start of every record up to its choices; built once for a stream. */
export function recordHead(
  object: string,
  context: WriteContext,
  start?: Extract<StreamEvent, { type: "start" }>,
): string {
  const id = start?.id || context.id;
  const created = start?.createdAt ?? context.createdAt;
  const model = start?.model || context.request.model;
  return `{"id":${JSON.stringify(id)},"object":"${object}","created":${created},"model":${JSON.stringify(model)},"choices":[`;
}

/** The end of every record. If the client requested usage, records before the last have `usage: null`. */
export function recordTail(wantsUsage: boolean): string {
  return wantsUsage ? '],"usage":null}' : "]}";
}

/** Usage has a record of its own, only if the client requested it and it is known. */
export function lastRecords(head: string, wantsUsage: boolean, usage: Usage | undefined): Frame[] {
  const done: Frame = { data: "[DONE]" };
  return wantsUsage && usage !== undefined
    ? [{ data: `${head}],"usage":${JSON.stringify(renderUsage(usage))}}` }, done]
    : [done];
}

/** Requests usage in a rendered body, because the meter needs it. */
export function askForUsage(body: JsonObject, options: CompatibilityFlags | undefined): void {
  if (options?.noStreamOptions) delete body.stream_options;
  else if (body.stream === true) {
    const options = isObject(body.stream_options) ? body.stream_options : {};
    if (options.include_usage !== true) body.stream_options = { ...options, include_usage: true };
  }
}

/** The members that make a request a stream with usage. */
export function streamMembers(isStream: boolean, options: CompatibilityFlags | undefined): JsonObject {
  const body: JsonObject = isStream ? { stream: true } : {};
  askForUsage(body, options);
  return body;
}

/** Members that make a chunk without choices useful in addition to usage. */
const purposes = ["error", "prompt_filter_results", "moderation", "citations", "search_results"];

/** Replaces usage of a chunk that cannot be true. */
export const correctedChunk = corrector({
  name: "usage",
  isFalse: (usage) => parseUsage(usage) === undefined,
  render: renderUsage,
});

/** The terminator of such a stream. */
export const doneFrame: Frame = { data: "[DONE]" };

/**
 * A chunk without usage that the client did not request; null where nothing is left. Some servers add usage to a chunk
 * with choices, some to every chunk. Most chunks are recognized without parsing them.
 */
export function shownChunk(frame: Frame, wire: JsonObject): Frame | null {
  const options = wire.stream_options;
  if (isObject(options) && options.include_usage === true) return frame;
  if (!frame.data.includes('"total_tokens"') && !frame.data.includes('"prompt_tokens"')) return frame;
  const chunk = parseExactText(frame.data);
  if (!isObject(chunk) || !isObject(chunk.usage) || !Array.isArray(chunk.choices)) return frame;
  if (chunk.choices.length === 0 && purposes.every((name) => isAbsent(chunk[name]))) return null;
  const { usage: _usage, ...rest } = chunk;
  return { ...frame, data: JSON.stringify(rest) };
}
