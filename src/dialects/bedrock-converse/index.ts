// The dialect of Amazon Bedrock's Converse, by conversion to the Messages API, for models of many vendors. Upstreams
// only.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import type { UpstreamDialect } from "../dialect.ts";
import { parseError } from "./error.ts";
import { converseFields } from "./fields.ts";
import { renderRequest } from "./request.ts";
import { parseResponse } from "./response.ts";
import { streamReader } from "./stream-reader.ts";

export const bedrockConverse: UpstreamDialect<ChatRequest, ChatResponse> = {
  name: "bedrock-converse",
  operation: "chat",
  request: {
    fields: converseFields,
    render: renderRequest,
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html; models refuse
    // blank ones.
    stops: { most: 2500, takes: (sequence) => /\S/.test(sequence) },
  },
  response: { parse: parseResponse },
  stream: { reader: streamReader },
  error: { parse: parseError },
};
