// The stream codec: reader, writer and heartbeat. Only the writer can make events, because they are numbered.
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
