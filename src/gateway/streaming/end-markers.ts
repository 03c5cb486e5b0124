// Signs of life in an upstream's stream, and the rule that nothing goes on to the client before the first event.
import { signOf } from "../../dialects/shared/keep-alive.ts";
import { type Cut, cutFrom, type FrameSplitter } from "../../lib/sse.ts";

/** How many chunks held something of the answer, and how many only a sign that the upstream is still at work. */
export interface Signs {
  readonly events: number;
  readonly keepAlives: number;
}

export interface SignWatch {
  readonly signs: Signs;
  /** What a chunk completed, as it goes on; null before the first event, so that another candidate can still answer. */
  pass(cut: Cut | null): Cut | null;
}

export function watchSigns(splitter: FrameSplitter): SignWatch {
  const signs = { events: 0, keepAlives: 0 };
  let began = false;
  return {
    signs,
    pass(cut) {
      if (cut === null) {
        if (splitter.holdsEvent()) signs.events++;
        return null;
      }
      const { raws } = cut;
      const first = raws.length === 0 ? 0 : raws.findIndex((raw) => signOf(raw) === "event");
      if (first >= 0 || splitter.holdsEvent()) signs.events++;
      else if (raws.some((raw) => signOf(raw) === "keep-alive")) signs.keepAlives++;
      if (began || first === 0) {
        began = true;
        return cut;
      }
      began = first > 0;
      return began ? cutFrom(cut, first) : null;
    },
  };
}

export function sumSigns(all: readonly Signs[]): Signs {
  const sum = (count: (signs: Signs) => number): number => all.reduce((total, signs) => total + count(signs), 0);
  return { events: sum(({ events }) => events), keepAlives: sum(({ keepAlives }) => keepAlives) };
}
