// Normalizes messages for this wire: assistant messages are merged, and every call is followed by exactly one result.
import type { Block, Message, TextBlock, ToolResultBlock } from "../../canonical/chat.ts";
import { type Warnings, warnField } from "./warnings.ts";

interface Entry {
  readonly turn: Message;
  readonly callIds: readonly string[];
  readonly results: Map<string, ToolResultBlock>;
}

const paragraph: TextBlock = { type: "text", text: "\n\n" };

function joined(left: Message, right: Message): Message {
  const meets = left.blocks.at(-1)?.type === "text" && right.blocks[0]?.type === "text";
  return { ...left, blocks: [...left.blocks, ...(meets ? [paragraph] : []), ...right.blocks] };
}

/** Merges consecutive assistant messages, because servers refuse them. */
function merged(messages: readonly Message[]): Message[] {
  const list: Message[] = [];
  for (const message of messages) {
    const last = list.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") list[list.length - 1] = joined(last, message);
    else list.push(message);
  }
  return list;
}

function idsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === "tool-call" ? [block.id] : []));
}

/** A result whose call is missing becomes text, because servers refuse it as a result. */
function orphan(result: ToolResultBlock): Message {
  const label: TextBlock = { type: "text", text: `Result of an earlier tool call (${result.callId}):` };
  return { role: "user", blocks: [label, ...result.content] };
}

/** The result of a call without one, as after an interrupt. */
function unanswered(callId: string): ToolResultBlock {
  return { type: "tool-result", callId, content: [{ type: "text", text: "no result was provided" }], isError: true };
}

function expand({ turn, callIds, results }: Entry, warnings: Warnings): Message[] {
  if (callIds.length === 0) return [turn];
  if (callIds.some((id) => !results.has(id))) warnField(warnings, "approximated", "messages");
  return [turn, { role: "tool", blocks: callIds.map((id) => results.get(id) ?? unanswered(id)) }];
}

/**
 * Pairs calls with results. Missing results are made up, results without a call become text, and the last of two is
 * used.
 */
export function settle(messages: readonly Message[], warnings: Warnings): Message[] {
  const entries: Entry[] = [];
  let caller: Entry | undefined;
  for (const message of merged(messages)) {
    if (message.role !== "tool") {
      const entry: Entry = { turn: message, callIds: idsOf(message.blocks), results: new Map() };
      entries.push(entry);
      if (message.role === "assistant") caller = entry;
      continue;
    }
    for (const block of message.blocks) {
      if (block.type !== "tool-result") continue;
      if (caller?.callIds.includes(block.callId)) {
        if (caller.results.has(block.callId)) warnField(warnings, "approximated", "messages");
        caller.results.set(block.callId, block);
        continue;
      }
      warnField(warnings, "approximated", "messages");
      entries.push({ turn: orphan(block), callIds: [], results: new Map() });
    }
  }
  return entries.flatMap((entry) => expand(entry, warnings));
}
