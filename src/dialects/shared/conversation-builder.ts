// Turns as they are read off a list of messages, each result directly behind the turn that made its call.
import type { Message, ToolResultBlock } from "../../canonical/chat.ts";

/** A turn and the results of the calls in it, whatever came between them on the wire. */
interface Entry {
  readonly turn: Message;
  readonly results: ToolResultBlock[];
}

/** What has been read so far. */
export interface Conversation {
  readonly entries: Entry[];
  /** Which turn made the call with this id: the latest one, since some clients number calls from one in every turn. */
  readonly callers: Map<string, Entry>;
}

/** A conversation of which nothing has been read. */
export function newConversation(): Conversation {
  return { entries: [], callers: new Map() };
}

/** Somebody's turn. */
export function speak(reading: Conversation, message: Message): void {
  const entry: Entry = { turn: message, results: [] };
  reading.entries.push(entry);
  for (const block of message.blocks) if (block.type === "tool-call") reading.callers.set(block.id, entry);
}

/** A result; one whose call is unknown keeps its own place. */
export function addToolResult(reading: Conversation, result: ToolResultBlock): void {
  const last = reading.entries.at(-1);
  const caller = reading.callers.get(result.callId) ?? (last?.turn.role === "tool" ? last : undefined);
  if (caller !== undefined) caller.results.push(result);
  else reading.entries.push({ turn: { role: "tool", blocks: [] }, results: [result] });
}

/** The turns in order, results in turns of their own. */
export function turnsOf(reading: Conversation): Message[] {
  return reading.entries.flatMap(({ turn, results }) => {
    if (turn.role === "tool") return [{ ...turn, blocks: results }];
    return results.length === 0 ? [turn] : [turn, { role: "tool", blocks: results }];
  });
}
