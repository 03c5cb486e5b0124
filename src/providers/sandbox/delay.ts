// Time in the sandbox: silences that can be broken off, and bodies that come piece by piece.
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

async function* paced(pieces: Iterable<Uint8Array>, directives: Directives, signal: AbortSignal, breaks: boolean) {
  let sent = 0;
  for (const piece of pieces) {
    if (sent > 0) await pause(directives.paceMs, signal);
    if (sent === directives.cut && breaks) throw new Error("the sandbox was instructed to break off");
    if (sent === directives.cut) return;
    yield piece;
    sent++;
  }
}

/** The pieces at the pace of the directives, and no further than they say. */
export function pacedBody(
  pieces: Iterable<Uint8Array>,
  directives: Directives,
  signal: AbortSignal,
  breaks = false,
): ReadableStream<Uint8Array> {
  const source = paced(pieces, directives, signal, breaks);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
