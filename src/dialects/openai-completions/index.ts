// The dialect of OpenAI's text completions: continues a prompt, without a conversation.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { keepAliveComment } from "../../lib/sse.ts";
import type { Dialect, StreamCodec } from "../dialect.ts";
import { error } from "./error.ts";
import { completionFields } from "./fields.ts";
import { passthrough } from "./passthrough.ts";
import { split } from "./prompt.ts";
import { fieldPath, parse as parseRequest, render as renderRequest, schema } from "./request.ts";
import { parse as parseResponse, render as renderResponse } from "./response.ts";
import { reader } from "./stream-reader.ts";
import { writer } from "./stream-writer.ts";

const stream: StreamCodec = { reader, writer, heartbeat: () => keepAliveComment };

export const openaiCompletions: Dialect<ChatRequest, ChatResponse> = {
  name: "openai-completions",
  operation: "chat",
  request: {
    fields: completionFields,
    schema,
    parse: parseRequest,
    split,
    render: renderRequest,
    supportsChoices: true,
    fieldPath,
  },
  response: { parse: parseResponse, render: renderResponse },
  stream,
  passthrough,
  error,
};
