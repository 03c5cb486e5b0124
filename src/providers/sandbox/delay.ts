// Time in the sandbox: silences that can be broken off, and streams that come piece by piece.
import { streamTruncated } from "../../dialects/errors.ts";
import type { Directives } from "./directives.ts";

/** Waits, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Events that bring nothing of a reply by themselves. */
const isSilent = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && /^block-/.test(String(item.type));

/** The items of a stream at the pace of the directives, and no further than they say. Throws at the cut where `breaks` is set. */
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
