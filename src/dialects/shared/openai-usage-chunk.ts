// The last chunk of an OpenAI-shaped stream, which tells usage: always asked for upstream, shown to those who asked.
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { DialectOptions } from "../dialect.ts";
import { isAbsent } from "./absent.ts";

/** Asks for usage in a body that is ours to change; the meter needs it. */
export function askForUsage(body: JsonObject, options: DialectOptions | undefined): void {
  if (options?.noStreamOptions) delete body.stream_options;
  else if (body.stream === true) {
    body.stream_options = { ...(isObject(body.stream_options) ? body.stream_options : {}), include_usage: true };
  }
}

/** The members that make a request a stream with usage. */
export function streamMembers(isStream: boolean, options: DialectOptions | undefined): JsonObject {
  const body: JsonObject = isStream ? { stream: true } : {};
  askForUsage(body, options);
  return body;
}

/** Members that give a chunk without choices a purpose of its own beside usage. */
const purposes = ["error", "prompt_filter_results", "moderation", "citations", "search_results"];

/** False for the usage chunk that only the meter asked for. Most chunks are told apart without a parse. */
export function keepsChunk(frame: Frame, wire: JsonObject): boolean {
  const options = wire.stream_options;
  if (isObject(options) && options.include_usage === true) return true;
  if (!frame.data.includes('"total_tokens"') && !frame.data.includes('"prompt_tokens"')) return true;
  const chunk = parseJsonText(frame.data);
  if (!isObject(chunk) || !isObject(chunk.usage)) return true;
  if (!Array.isArray(chunk.choices) || chunk.choices.length > 0) return true;
  return purposes.some((name) => !isAbsent(chunk[name]));
}
