// The rows of text: chat, completions, messages, token counts, and stored responses.
import {
  anthropicCount,
  anthropicMessages,
  openaiChat,
  openaiCompaction,
  openaiCompletions,
  openaiCount,
  openaiResponses,
} from "../dialects/index.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import type { Endpoint, KeyRule, ModelEndpoint } from "./endpoint.ts";
import { protocols, versionHeaders } from "./protocols.ts";
import { responseRows } from "./responses.ts";

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const clientOrApiKey: KeyRule = { key: "client", carriers: ["bearer", "x-api-key"] };
const common = { kind: "ask", method: "POST", access: client, ...protocols.openai } as const;
const anthropicSide = protocols.anthropic;

export const textEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/chat/completions",
    operationId: "createChatCompletion",
    summary: "Creates a chat completion, in OpenAI's format.",
    dialect: openaiChat,
  },
  {
    ...common,
    path: "/v1/completions",
    operationId: "createCompletion",
    summary: "Creates a text completion, in OpenAI's legacy format.",
    dialect: openaiCompletions,
  },
  {
    ...common,
    path: "/v1/messages",
    operationId: "createMessage",
    summary: "Creates a message, in Anthropic's format.",
    dialect: anthropicMessages,
    requiredHeader: versionHeaders,
    access: clientOrApiKey,
    ...anthropicSide,
  },
  {
    ...common,
    path: "/v1/messages/count_tokens",
    operationId: "countMessageTokens",
    summary: "Counts the tokens of a message.",
    dialect: anthropicCount,
    requiredHeader: versionHeaders,
    access: clientOrApiKey,
    ...anthropicSide,
  },
];

/** Responses, which are stored: their own handler calls the pipeline. */
export function responseEndpoints(responses: Responses): readonly Endpoint[] {
  return [
    {
      ...common,
      path: "/v1/responses",
      operationId: "createResponse",
      summary: "Creates a response and stores it so that it can be continued by its ID.",
      dialect: openaiResponses,
      answer: (incoming) => responses.create(incoming),
    },
    {
      ...common,
      path: "/v1/responses/compact",
      operationId: "compactResponse",
      summary: "Compacts a conversation into a shorter input that can be continued.",
      dialect: openaiCompaction,
      answer: (incoming) => responses.compact(incoming),
    },
    {
      ...common,
      path: "/v1/responses/input_tokens",
      operationId: "countResponseInputTokens",
      summary: "Counts the input tokens of a request, including the items of `previous_response_id`.",
      dialect: openaiCount,
      answer: (incoming) => responses.countInput(incoming),
    },
    ...responseRows(() => responses, { access: client, dialect: openaiResponses, ...protocols.openai }),
  ];
}
