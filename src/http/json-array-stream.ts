// A stream of events as one JSON array, for clients that do not request events.
import type { ArrayForm } from "../dialects/dialect.ts";
import { frameSplitter, readFrame } from "../lib/sse.ts";

const encoder = new TextEncoder();
const maxFrameBytes = 64 * 1024 * 1024;

/**
 * Converts events to elements; comments and pings become white space. It reads on demand, which preserves
 * backpressure.
 */
export function asArray(events: ReadableStream<Uint8Array>, form: ArrayForm): ReadableStream<Uint8Array> {
  const splitter = frameSplitter(maxFrameBytes);
  let elements = 0;
  const elementsIn = (raws: readonly string[]): string => {
    let text = "";
    for (const raw of raws) {
      const frame = readFrame(raw);
      if (frame === null) text += form.heartbeat;
      else text += (elements++ === 0 ? form.open : form.between) + frame.data;
    }
    return text;
  };
  const closing = (): string => (elements === 0 ? form.open + form.close : form.close);
  return events.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = elementsIn(splitter.push(chunk)?.raws ?? []);
        if (text !== "") controller.enqueue(encoder.encode(text));
      },
      flush(controller) {
        controller.enqueue(encoder.encode(elementsIn(splitter.rest()?.raws ?? []) + closing()));
      },
    }),
  );
}
