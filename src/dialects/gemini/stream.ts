// The streaming side of this dialect: reader, writer, heartbeat, and the array in which the stream comes without events.
import { keepAliveComment } from "../../lib/sse.ts";
import type { StreamCodec } from "../dialect.ts";
import { streamReader } from "./stream-reader.ts";
import { streamWriter } from "./stream-writer.ts";

export const stream: StreamCodec = {
  reader: streamReader,
  writer: streamWriter,
  heartbeat: () => keepAliveComment,
  /** White space between elements keeps an array warm. */
  array: { open: "[", between: ",\r\n", close: "]", heartbeat: "\n" },
};
