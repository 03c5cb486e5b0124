// Events and keep-alives of an upstream's stream, and the rule that nothing is forwarded to the client before the first
// event.
import { signOf } from "../../dialects/shared/keep-alive.ts";
import { cutFrom, type FrameSplitter, type SseChunk } from "../../lib/sse.ts";

/** How many chunks contained a part of the reply, and how many only a keep-alive. */
export interface EndMarkers {
  readonly events: number;
  readonly keepAlives: number;
}

interface EndMarkerWatch {
  readonly signs: EndMarkers;
  /** The completed frames to forward; null before the first event, so that another candidate can still be tried. */
  pass(chunk: SseChunk | null): SseChunk | null;
}

export function watchEndMarkers(splitter: FrameSplitter): EndMarkerWatch {
  const signs = { events: 0, keepAlives: 0 };
  let began = false;
  return {
    signs,
    pass(chunk) {
      if (chunk === null) {
        if (splitter.holdsEvent()) signs.events++;
        return null;
      }
      const { raws } = chunk;
      const first = raws.length === 0 ? 0 : raws.findIndex((raw) => signOf(raw) === "event");
      if (first >= 0 || splitter.holdsEvent()) signs.events++;
      else if (raws.some((raw) => signOf(raw) === "keep-alive")) signs.keepAlives++;
      if (began || first === 0) {
        began = true;
        return chunk;
      }
      began = first > 0;
      return began ? cutFrom(chunk, first) : null;
    },
  };
}

export function sumEndMarkers(all: readonly EndMarkers[]): EndMarkers {
  const sum = (count: (signs: EndMarkers) => number): number => all.reduce((total, signs) => total + count(signs), 0);
  return { events: sum(({ events }) => events), keepAlives: sum(({ keepAlives }) => keepAlives) };
}
