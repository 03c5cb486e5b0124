// Builds the messages of a conversation, with each result directly after the message that made its call.
import type { Message, ToolResultBlock } from "../../canonical/chat.ts";

/** A message and the results of its calls, whatever came between them on the wire. */
interface Entry {
  readonly turn: Message;
  readonly results: ToolResultBlock[];
}

/** What has been read so far. */
export interface Conversation {
  readonly entries: Entry[];
  /**
   * The message that made the call with this id: the latest one, because some clients restart their ids in every
   * message.
   */
  readonly callers: Map<string, Entry>;
}

/** An empty conversation. */
export function newConversation(): Conversation {
  return { entries: [], callers: new Map() };
}

/** Adds a message. */
export function speak(reading: Conversation, message: Message): void {
  const entry: Entry = { turn: message, results: [] };
  reading.entries.push(entry);
  for (const block of message.blocks) if (block.type === "tool-call") reading.callers.set(block.id, entry);
}

/** Adds a result; one whose call is unknown keeps its position. */
export function addToolResult(reading: Conversation, result: ToolResultBlock): void {
  const last = reading.entries.at(-1);
  const caller = reading.callers.get(result.callId) ?? (last?.turn.role === "tool" ? last : undefined);
  if (caller !== undefined) caller.results.push(result);
  else reading.entries.push({ turn: { role: "tool", blocks: [] }, results: [result] });
}

/** The messages in order, with results in messages of their own. */
export function turnsOf(reading: Conversation): Message[] {
  return reading.entries.flatMap(({ turn, results }) => {
    if (turn.role === "tool") return [{ ...turn, blocks: results }];
    return results.length === 0 ? [turn] : [turn, { role: "tool", blocks: results }];
  });
}
