// What the frames of a stream show about their server: a part of the reply, a keep-alive, or nothing.
import { readFrame } from "../../lib/sse.ts";

/**
 * `event`: a part of the reply. `keep-alive`: a documented sign that the vendor is still working. `nothing`: any other
 * comment.
 */
export type Sign = "event" | "keep-alive" | "nothing";

/**
 * Comments that vendors document: https://openrouter.ai/docs/api/reference/streaming ("OPENROUTER PROCESSING") and
 * https://api-docs.deepseek.com/quick_start/rate_limit ("keep-alive").
 */
const comments: ReadonlySet<string> = new Set(["OPENROUTER PROCESSING", "keep-alive"]);

/**
 * Events that are not part of a reply: https://platform.claude.com/docs/en/build-with-claude/streaming#ping-events;
 * OpenAI's responses.
 */
const keepAliveEvents = /^event: ?(?:ping|keepalive)(?:[\r\n]|$)/;

/** Runs for every chunk, so the most frequent prefix is checked first, and the data is not parsed. */
export function signOf(raw: string): Sign {
  if (raw.startsWith("data:")) return "event";
  if (keepAliveEvents.test(raw)) return "keep-alive";
  if (readFrame(raw) !== null) return "event";
  return raw.startsWith(":") && comments.has(raw.slice(1).trim()) ? "keep-alive" : "nothing";
}
