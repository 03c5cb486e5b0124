// The streaming side of this dialect: reader, writer and heartbeat.
import { formatFrame, keepAliveComment } from "../../lib/sse.ts";
import type { StreamCodec } from "../dialect.ts";
import { streamReader } from "./stream-reader.ts";
import { streamWriter } from "./stream-writer.ts";

const ping = formatFrame({ event: "ping", data: '{"type":"ping"}' });

export const stream: StreamCodec = {
  reader: streamReader,
  writer: streamWriter,
  /** A ping is only valid after message_start. */
  heartbeat: (started) => (started ? ping : keepAliveComment),
};
