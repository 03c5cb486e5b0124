// A sandbox reply as a stream: whole blocks are cut into words, so that a client sees them arrive.
import type { ChatAnswer } from "../../canonical/chat.ts";
import { type Delta, replay } from "../../canonical/stream-event.ts";

/** Words with the white space behind them; JSON in short runs. */
const pieces = /\S+\s*|\s+/g;

/** The deltas of the reply; joined again they are the same reply. */
export function* wordByWord(answer: ChatAnswer): Generator<Delta> {
  for (const delta of replay(answer)) {
    if (delta.type !== "text" && delta.type !== "thinking" && delta.type !== "tool-input") yield delta;
    else for (const text of delta.text.match(pieces) ?? []) yield { ...delta, text };
  }
}
