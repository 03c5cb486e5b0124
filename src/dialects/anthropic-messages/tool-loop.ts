// The tool loop at the end of a list of messages: which thinking a model asks back there, and where none may be.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const blocksOf = (message: Json | undefined): JsonObject[] =>
  isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];

const roleOf = (message: Json | undefined): Json | undefined => (isObject(message) ? message.role : undefined);

const holdsResults = (message: Json | undefined): boolean =>
  blocksOf(message).some((block) => block.type === "tool_result");

const isThinking = (block: JsonObject): boolean => block.type === "thinking" || block.type === "redacted_thinking";

/** Where the assistant began the loop that the last results continue; -1 when the list does not end with results. */
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
 * True where a thinking budget would be refused: with one, the assistant's message that began the loop has to begin with
 * its thinking. https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
export function lacksThinking(messages: readonly Json[]): boolean {
  const first = loopStart(messages);
  const [opening] = blocksOf(messages[first]);
  return first >= 0 && (opening === undefined || !isThinking(opening));
}

/** The loop without its thinking, which a model that does not think refuses there. The same list when there is none. */
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
