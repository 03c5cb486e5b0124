// The dialect of OpenAI's chat completions, which most servers support.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { keepAliveComment } from "../../lib/sse.ts";
import type { Dialect, StreamCodec } from "../dialect.ts";
import { error } from "./error.ts";
import { chatFields, maxStops } from "./fields.ts";
import { outline } from "./outline.ts";
import { passthrough } from "./passthrough.ts";
import { fieldPath, parse as parseRequest, render as renderRequest, schema } from "./request.ts";
import { parse as parseResponse, render as renderResponse } from "./response.ts";
import { reader } from "./stream-reader.ts";
import { writer } from "./stream-writer.ts";

const stream: StreamCodec = { reader, writer, heartbeat: () => keepAliveComment };

export const openaiChat: Dialect<ChatRequest, ChatResponse> = {
  name: "openai-chat",
  operation: "chat",
  request: {
    fields: chatFields,
    schema,
    parse: parseRequest,
    outline,
    render: renderRequest,
    fieldPath,
    supportsChoices: true,
    stops: { most: maxStops, takes: () => true },
  },
  response: { parse: parseResponse, render: renderResponse },
  stream,
  passthrough,
  error,
};
