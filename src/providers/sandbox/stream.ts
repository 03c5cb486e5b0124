// A sandbox reply as a stream: whole blocks are cut into words, so that a client sees them arrive.
import type { ChatResponse } from "../../canonical/chat.ts";
import { type StreamEvent, streamEventsOf } from "../../canonical/stream-event.ts";

/** Words with the white space behind them; JSON in short runs. */
const pieces = /\S+\s*|\s+/g;

/** The deltas of the reply; joined again they are the same reply. */
export function* wordByWord(response: ChatResponse): Generator<StreamEvent> {
  for (const event of streamEventsOf(response)) {
    if (event.type !== "text" && event.type !== "thinking" && event.type !== "tool-input") yield event;
    else for (const text of event.text.match(pieces) ?? []) yield { ...event, text };
  }
}
