// The tool loop at the end of the messages: which thinking a model requires there, and which it refuses.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const blocksOf = (message: Json | undefined): JsonObject[] =>
  isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];

const roleOf = (message: Json | undefined): Json | undefined => (isObject(message) ? message.role : undefined);

const holdsResults = (message: Json | undefined): boolean =>
  blocksOf(message).some((block) => block.type === "tool_result");

const isThinking = (block: JsonObject): boolean => block.type === "thinking" || block.type === "redacted_thinking";

/** Index of the assistant message that started the loop; -1 when the list does not end with results. */
function loopStart(messages: readonly Json[]): number {
  let first = -1;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (roleOf(message) === "assistant") first = at;
    else if (roleOf(message) === "user" && !holdsResults(message)) break;
  }
  return holdsResults(messages.findLast((message) => roleOf(message) !== "system")) ? first : -1;
}

/**
 * Whether a thinking budget would be refused: with one, the assistant message that starts the loop must begin with
 * thinking.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
export function lacksThinking(messages: readonly Json[]): boolean {
  const first = loopStart(messages);
  const [opening] = blocksOf(messages[first]);
  return first >= 0 && (opening === undefined || !isThinking(opening));
}

/** The loop without its thinking, which is refused when thinking is off. The same list when it has none. */
export function withoutThinking(messages: JsonObject[]): JsonObject[] {
  const first = loopStart(messages);
  const held = (message: JsonObject): boolean => blocksOf(message).some(isThinking);
  if (first < 0 || !messages.slice(first).some(held)) return messages;
  return messages.map((message, at) =>
    at < first || !held(message)
      ? message
      : { ...message, content: blocksOf(message).filter((block) => !isThinking(block)) },
  );
}
