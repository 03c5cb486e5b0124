// Turns put into the order that canon wants: system prefix first, tool results in turns of their own.
import type { Block, TextBlock, Turn } from "../../canonical/chat.ts";

/** Results stand first, right behind the calls that they answer; what the user said comes after them. */
export function heardTurns(blocks: readonly Block[]): Turn[] {
  const results = blocks.filter((block) => block.type === "tool-result");
  if (results.length === 0) return [{ role: "user", blocks }];
  const rest = blocks.filter((block) => block.type !== "tool-result");
  const tool: Turn = { role: "tool", blocks: results };
  return rest.length === 0 ? [tool] : [tool, { role: "user", blocks: rest }];
}

/** System turns before anybody spoke belong to the system prefix. */
export function leadingSystem(turns: readonly Turn[]): {
  readonly leading: TextBlock[];
  readonly turns: readonly Turn[];
} {
  const first = turns.findIndex((turn) => turn.role !== "system");
  const count = first < 0 ? turns.length : first;
  const leading = turns.slice(0, count).flatMap((turn) => turn.blocks);
  return { leading: leading.filter((block) => block.type === "text"), turns: turns.slice(count) };
}
