// Streams from an in-process provider to the client: canonical items in, the client's bytes out.
import { type GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { ResponseFrame } from "../../dialects/dialect.ts";
import { type Chunk, nothing, type StoppedEnd } from "./transcoder.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

/** Items in the client's dialect. */
interface ItemWriter<Item> {
  write(item: Item): Chunk;
  /** The end of the items. */
  end(): Chunk;
  writeError(error: GatewayError): readonly ResponseFrame[] | null;
  stop?(): StoppedEnd | null;
  /** Content-Type; absent for events. */
  type?(): string;
}

/** An upstream stream of items made in this process. */
export function canonicalStream<Item>(items: AsyncIterable<Item>, writer: ItemWriter<Item>): UpstreamStream {
  const iterator = items[Symbol.asyncIterator]();
  let events = 0;
  const nextChunk = async (): Promise<Chunk> => {
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return writer.end();
        events++;
        const chunk = writer.write(value);
        if (chunk.end !== undefined || chunk.bytes.length > 0) return chunk;
      }
    } catch (thrown) {
      return { bytes: nothing, end: { error: toGatewayError(thrown) } };
    }
  };
  return {
    next: (consume) => nextChunk().then(consume),
    endMarkers: () => ({ events, keepAlives: 0 }),
    writeError: (error) => writer.writeError(error),
    stop: () => writer.stop?.() ?? null,
    finishing: () => false,
    type: () => writer.type?.() ?? null,
    close: () => void iterator.return?.().catch(() => undefined),
  };
}
