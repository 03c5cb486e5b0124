// The dialect of Google's generateContent.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import type { Dialect } from "../dialect.ts";
import { corrector } from "../shared/corrected-usage.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import { geminiErrors } from "./error.ts";
import { geminiFields, maxStops } from "./fields.ts";
import { passthroughRequest } from "./passthrough.ts";
import { fieldPath, GenerateContentRequest, parseRequest, renderRequest } from "./request.ts";
import { parseResponse, renderResponse } from "./response.ts";
import { dialectName } from "./signature.ts";
import { stream } from "./stream.ts";
import { readUsage, writeUsage } from "./usage.ts";

export const gemini: Dialect<ChatRequest, ChatResponse> = {
  name: dialectName,
  operation: "chat",
  request: {
    fields: geminiFields,
    schema: GenerateContentRequest,
    parse: parseRequest,
    render: renderRequest,
    stops: { most: maxStops, takes: (sequence) => sequence !== "" },
    fieldPath,
  },
  response: { parse: parseResponse, render: renderResponse },
  stream,
  passthrough: {
    render: passthroughRequest,
    withUsage: (reply, usage) => ({ ...reply, usageMetadata: writeUsage(usage) }),
    corrected: corrector({
      name: "usageMetadata",
      isFalse: (counts) => !isAbsent(counts.promptTokenCount) && readUsage(counts) === undefined,
      render: writeUsage,
    }),
  },
  error: geminiErrors,
};
