// Streams of the sandbox: replies split into words, at the pace of the directives and up to their cut.
import type { ChatResponse } from "../../canonical/chat.ts";
import { type StreamEvent, streamEventsOf } from "../../canonical/stream-event.ts";
import { streamTruncated } from "../../dialects/errors.ts";
import { pause } from "../../lib/abortable.ts";
import type { Directives } from "./directives.ts";

/** Words with the following white space; JSON in short runs. */
const pieces = /\S+\s*|\s+/g;

/** The events of the reply; joined they give the same reply. */
export function* wordByWord(response: ChatResponse): Generator<StreamEvent> {
  for (const event of streamEventsOf(response)) {
    if (event.type !== "text" && event.type !== "thinking" && event.type !== "tool-input") yield event;
    else for (const text of event.text.match(pieces) ?? []) yield { ...event, text };
  }
}

/** Events without content of the reply. */
const isSilent = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && /^block-/.test(String(item.type));

/** The items of a stream at the pace of the directives, up to their cut. Throws at the cut if `breaks` is set. */
export async function* paced<Item>(
  items: Iterable<Item>,
  directives: Directives,
  signal: AbortSignal,
  breaks = false,
): AsyncGenerator<Item> {
  let sent = 0;
  for (const item of items) {
    const isPiece = !isSilent(item);
    if (isPiece && sent > 0) await pause(directives.paceMs, signal);
    if (isPiece && sent === directives.cut) {
      if (breaks) throw streamTruncated();
      return;
    }
    yield item;
    if (isPiece) sent++;
  }
}
