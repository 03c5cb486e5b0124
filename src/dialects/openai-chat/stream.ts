// The stream codec: reader, writer and heartbeat.
import { keepAliveComment } from "../../lib/sse.ts";
import type { StreamCodec } from "../dialect.ts";
import { reader } from "./stream-reader.ts";
import { writer } from "./stream-writer.ts";

export const stream: StreamCodec = { reader, writer, heartbeat: () => keepAliveComment };
