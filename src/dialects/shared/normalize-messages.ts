// Turns made fit for this wire: assistant turns merged, every call with exactly one result directly behind it.
import type { Block, TextBlock, ToolResultBlock, Turn } from "../../canonical/chat.ts";
import { type Notes, noteField } from "./warnings.ts";

interface Entry {
  readonly turn: Turn;
  readonly callIds: readonly string[];
  readonly results: Map<string, ToolResultBlock>;
}

const paragraph: TextBlock = { type: "text", text: "\n\n" };

function joined(left: Turn, right: Turn): Turn {
  const meets = left.blocks.at(-1)?.type === "text" && right.blocks[0]?.type === "text";
  return { ...left, blocks: [...left.blocks, ...(meets ? [paragraph] : []), ...right.blocks] };
}

/** Two assistant turns in a row are one message here: servers refuse the second. */
function merged(turns: readonly Turn[]): Turn[] {
  const list: Turn[] = [];
  for (const turn of turns) {
    const last = list.at(-1);
    if (turn.role === "assistant" && last?.role === "assistant") list[list.length - 1] = joined(last, turn);
    else list.push(turn);
  }
  return list;
}

function idsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === "tool-call" ? [block.id] : []));
}

/** A result whose call is not there any more: said as text, since servers refuse it as a result. */
function orphan(result: ToolResultBlock): Turn {
  const label: TextBlock = { type: "text", text: `Result of an earlier tool call (${result.callId}):` };
  return { role: "user", blocks: [label, ...result.content] };
}

/** A call that nobody answered, as after an interrupt. */
function unanswered(callId: string): ToolResultBlock {
  return { type: "tool-result", callId, content: [{ type: "text", text: "no result was provided" }], isError: true };
}

function expand({ turn, callIds, results }: Entry, notes: Notes): Turn[] {
  if (callIds.length === 0) return [turn];
  if (callIds.some((id) => !results.has(id))) noteField(notes, "approximated", "messages");
  return [turn, { role: "tool", blocks: callIds.map((id) => results.get(id) ?? unanswered(id)) }];
}

/** Pairs calls with results. Lost results are made up, results without a call become text, the last of two wins. */
export function settle(turns: readonly Turn[], notes: Notes): Turn[] {
  const entries: Entry[] = [];
  let caller: Entry | undefined;
  for (const turn of merged(turns)) {
    if (turn.role !== "tool") {
      const entry: Entry = { turn, callIds: idsOf(turn.blocks), results: new Map() };
      entries.push(entry);
      if (turn.role === "assistant") caller = entry;
      continue;
    }
    for (const block of turn.blocks) {
      if (block.type !== "tool-result") continue;
      if (caller?.callIds.includes(block.callId)) {
        if (caller.results.has(block.callId)) noteField(notes, "approximated", "messages");
        caller.results.set(block.callId, block);
        continue;
      }
      noteField(notes, "approximated", "messages");
      entries.push({ turn: orphan(block), callIds: [], results: new Map() });
    }
  }
  return entries.flatMap((entry) => expand(entry, notes));
}
