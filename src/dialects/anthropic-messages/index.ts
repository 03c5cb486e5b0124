// The dialect of Anthropic's Messages API.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { formatFrame, keepAliveComment } from "../../lib/sse.ts";
import type { Dialect, StreamCodec } from "../dialect.ts";
import { corrector } from "../shared/corrected-usage.ts";
import { errorFrames, parseError, renderError } from "./error.ts";
import { messagesFields } from "./fields.ts";
import { passthroughRequest, passthroughUsage, withoutReasoning } from "./passthrough.ts";
import { fieldPath, parseRequest, renderRequest, schema } from "./request.ts";
import { parseResponse, renderResponse } from "./response.ts";
import { dialectName } from "./signature.ts";
import { streamReader } from "./stream-reader.ts";
import { streamWriter } from "./stream-writer.ts";
import { isFalseReport, writeCounts, writeUsage } from "./usage.ts";

const ping = formatFrame({ event: "ping", data: '{"type":"ping"}' });

const stream: StreamCodec = {
  reader: streamReader,
  writer: streamWriter,
  /** A ping is only valid after message_start. */
  heartbeat: (started) => (started ? ping : keepAliveComment),
};

export const anthropicMessages: Dialect<ChatRequest, ChatResponse> = {
  name: dialectName,
  operation: "chat",
  request: {
    fields: messagesFields,
    schema,
    parse: parseRequest,
    render: renderRequest,
    fieldPath,
    // Every stop sequence needs a character that is not white space.
    stops: { most: 8191, takes: (sequence) => /\S/.test(sequence) },
  },
  response: { parse: parseResponse, render: renderResponse },
  stream,
  passthrough: {
    render: passthroughRequest,
    withoutReasoning,
    usage: passthroughUsage,
    withUsage: (reply, usage) => ({ ...reply, usage: writeUsage(usage, 0) }),
    corrected: corrector({
      name: "usage",
      isFalse: isFalseReport,
      render: (usage) => writeCounts(usage, 0),
    }),
  },
  error: { parse: parseError, render: renderError, frames: errorFrames },
};
