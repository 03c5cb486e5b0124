// Both directions of a stream, and what keeps a silent one warm: numbered events cannot be made up beside the writer.
import { keepAliveComment } from "../../lib/sse.ts";
import type { StreamCodec } from "../dialect.ts";
import { reader } from "./stream-reader.ts";
import { writer } from "./stream-writer.ts";

export const stream: StreamCodec = {
  reader: (context) => reader(context),
  writer,
  heartbeat: () => keepAliveComment,
  writesOwnErrors: true,
};
