// Splits messages in canonical order: the system prefix, and tool results in messages of their own.
import type { Block, Message, TextBlock } from "../../canonical/chat.ts";

/** Results come first, directly after the calls that they answer; other user content follows. */
export function nonAssistantMessages(blocks: readonly Block[]): Message[] {
  const results = blocks.filter((block) => block.type === "tool-result");
  if (results.length === 0) return [{ role: "user", blocks }];
  const rest = blocks.filter((block) => block.type !== "tool-result");
  const tool: Message = { role: "tool", blocks: results };
  return rest.length === 0 ? [tool] : [tool, { role: "user", blocks: rest }];
}

/** System messages at the start belong to the system prefix. */
export function splitSystemPrefix(messages: readonly Message[]): {
  readonly leading: TextBlock[];
  readonly turns: readonly Message[];
} {
  const first = messages.findIndex((message) => message.role !== "system");
  const count = first < 0 ? messages.length : first;
  const leading = messages.slice(0, count).flatMap((message) => message.blocks);
  return { leading: leading.filter((block) => block.type === "text"), turns: messages.slice(count) };
}
