// What the frames of a stream say of their server: that it answers, that it is still at work, or nothing.
import { readFrame } from "../../lib/sse.ts";

/** `event`: a part of the answer. `keep-alive`: a sign that its vendor documents as "still at work". `nothing`: any other comment. */
export type Sign = "event" | "keep-alive" | "nothing";

/**
 * Comments that vendors document: https://openrouter.ai/docs/api/reference/streaming ("OPENROUTER PROCESSING") and
 * https://api-docs.deepseek.com/quick_start/rate_limit ("keep-alive").
 */
const comments: ReadonlySet<string> = new Set(["OPENROUTER PROCESSING", "keep-alive"]);

/** Events that are no part of an answer: https://platform.claude.com/docs/en/build-with-claude/streaming#ping-events; OpenAI's responses. */
const keepAliveEvents = /^event: ?(?:ping|keepalive)(?:[\r\n]|$)/;

/** Runs for every chunk: what almost all frames begin with is looked at first, and their data is not read. */
export function signOf(raw: string): Sign {
  if (raw.startsWith("data:")) return "event";
  if (keepAliveEvents.test(raw)) return "keep-alive";
  if (readFrame(raw) !== null) return "event";
  return raw.startsWith(":") && comments.has(raw.slice(1).trim()) ? "keep-alive" : "nothing";
}
