// The stream codec: reader, writer, heartbeat, and the JSON array for streams without events.
import { keepAliveComment } from "../../lib/sse.ts";
import type { StreamCodec } from "../dialect.ts";
import { streamReader } from "./stream-reader.ts";
import { streamWriter } from "./stream-writer.ts";

export const stream: StreamCodec = {
  reader: streamReader,
  writer: streamWriter,
  heartbeat: () => keepAliveComment,
  /** White space between elements keeps the connection open. */
  array: { open: "[", between: ",\r\n", close: "]", heartbeat: "\n" },
};
