// The dialect of Amazon Bedrock's Converse: the Messages API in other words, for models of many makers. No client speaks it to the gateway.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import { keepAliveComment } from "../../lib/sse.ts";
import type { Dialect } from "../dialect.ts";
import { converseErrors } from "./error.ts";
import { parseRequest } from "./parse.ts";
import { fieldPath, renderRequest } from "./request.ts";
import { parseResponse, renderResponse } from "./response.ts";
import { ConverseRequest } from "./schema.ts";
import { streamReader } from "./stream-reader.ts";
import { streamWriter } from "./stream-writer.ts";

export const bedrockConverse: Dialect<ChatRequest, ChatResponse> = {
  name: "bedrock-converse",
  operation: "chat",
  request: {
    schema: ConverseRequest,
    parse: parseRequest,
    render: renderRequest,
    fieldPath,
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html; blank ones the models refuse.
    stops: { most: 2500, takes: (sequence) => /\S/.test(sequence) },
  },
  response: { parse: parseResponse, render: renderResponse },
  stream: { reader: streamReader, writer: streamWriter, heartbeat: () => keepAliveComment },
  passthrough: {
    render() {
      throw new GatewayError("internal_error", "Clients cannot use this format.");
    },
  },
  error: converseErrors,
};
