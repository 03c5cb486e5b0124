// The dialect of OpenAI's Responses.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { keepAliveComment } from "../../lib/sse.ts";
import type { Dialect, StreamCodec } from "../dialect.ts";
import { error } from "./error.ts";
import { responsesFields } from "./fields.ts";
import { passthrough } from "./passthrough.ts";
import { fieldPath, parse as parseRequest, render as renderRequest, schema } from "./request.ts";
import { parse as parseResponse, render as renderResponse } from "./response.ts";
import { reader } from "./stream-reader.ts";
import { writer } from "./stream-writer.ts";

const stream: StreamCodec = {
  reader: (context) => reader(context),
  writer,
  heartbeat: () => keepAliveComment,
  writesOwnErrors: true,
};

export const openaiResponses: Dialect<ChatRequest, ChatResponse> = {
  name: "openai-responses",
  operation: "chat",
  request: {
    fields: responsesFields,
    schema,
    parse: parseRequest,
    render: renderRequest,
    stops: { most: 0, takes: () => false },
    fieldPath,
  },
  response: { parse: parseResponse, render: renderResponse },
  stream,
  passthrough,
  error,
};
