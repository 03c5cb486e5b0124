// The dialect of OpenAI's Responses.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import type { Dialect } from "../dialect.ts";
import { error } from "./error.ts";
import { responsesFields } from "./fields.ts";
import { passthrough } from "./passthrough.ts";
import { fieldPath, parse as parseRequest, render as renderRequest, schema } from "./request.ts";
import { parse as parseResponse, render as renderResponse } from "./response.ts";
import { stream } from "./stream.ts";

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
