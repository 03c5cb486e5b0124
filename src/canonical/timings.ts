// How the time of a request was spent: its parts, as a row stores them and as readers use them.

/** In the order in which they happen: one begins where the one before it ends. */
export const timingParts = [
  "authentication",
  "body",
  "parsing",
  "queue",
  "access",
  "routing",
  "limits",
  "record",
  "attempts",
  "wait",
  "stream",
  "settlement",
] as const;

export type TimingPart = (typeof timingParts)[number];

/** Microseconds of each part; null for one that the request did not reach. */
export type Timings = { readonly [part in TimingPart]: number | null };

/** The mark of a part that was not reached. */
export const notReached = -1;

/**
 * As stored: the microseconds of each part in order, separated by commas, and nothing for one that was not reached.
 * `marks` are the times at which the parts ended, in milliseconds. This runs for every request: an array and
 * JSON.stringify take three times as long.
 */
export function timingText(marks: readonly number[], startMs: number): string {
  let text = "";
  let before = 0;
  for (let index = 0; index < marks.length; index++) {
    if (index > 0) text += ",";
    const mark = marks[index] ?? notReached;
    if (mark === notReached) continue;
    const at = Math.max(before, Math.round((mark - startMs) * 1_000));
    text += at - before;
    before = at;
  }
  return text;
}

/** Null in rows of older versions. */
export function timingsOf(stored: string | null): Timings | null {
  if (stored === null) return null;
  const found = stored.split(",");
  return Object.fromEntries(
    timingParts.map((part, index) => [part, found[index] ? Number(found[index]) : null]),
  ) as Timings;
}
