// The dialect of OpenAI's text completions: continues a prompt, without a conversation.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import type { Dialect } from "../dialect.ts";
import { error } from "./error.ts";
import { completionFields } from "./fields.ts";
import { passthrough } from "./passthrough.ts";
import { split } from "./prompt.ts";
import { fieldPath, parse as parseRequest, render as renderRequest, schema } from "./request.ts";
import { parse as parseResponse, render as renderResponse } from "./response.ts";
import { stream } from "./stream.ts";

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
