// The table of endpoints: every path of the gateway, the key it wants, and who handles it.
import {
  anthropicCount,
  anthropicMessages,
  openaiChat,
  openaiCompaction,
  openaiCompletions,
  openaiEmbeddings,
  openaiResponses,
} from "../dialects/index.ts";
import type { Catalog } from "../gateway/catalog.ts";
import type { Listings } from "../gateway/listings.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import { docsPage, docsSignIn } from "./docs.ts";
import type { Endpoint, KeyRule } from "./endpoint.ts";
import { geminiEndpoints, googleKey } from "./gemini-endpoints.ts";
import { livez, type Readiness, readyz } from "./health.ts";
import { getModel, listModels } from "./models.ts";
import { openapi } from "./openapi.ts";
import { responseRows } from "./responses.ts";
import { type Protocol, protocolOf, sides, versionHeaders } from "./sides.ts";

/** What the gateway's own documents are made from. */
export interface EndpointParts {
  readonly catalog: () => Catalog;
  readonly listings: Listings;
  readonly readiness: Readiness;
  readonly responses: Responses;
}

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const clientOrApiKey: KeyRule = { key: "client", carriers: ["bearer", "x-api-key"] };
const anyCarrier: KeyRule = { key: "client", carriers: ["bearer", "x-api-key", "x-goog-api-key"] };
const browser: KeyRule = { key: "client", carriers: ["bearer", "query"] };
const open: KeyRule = { key: "none" };
const openaiSide = sides.openai;
const anthropicSide = sides.anthropic;

const asks: readonly Endpoint[] = [
  {
    kind: "ask",
    method: "POST",
    path: "/v1/chat/completions",
    operationId: "createChatCompletion",
    summary: "A reply to a conversation, in OpenAI's format.",
    dialect: openaiChat,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/completions",
    operationId: "createCompletion",
    summary: "A continuation of a text, in OpenAI's older format.",
    dialect: openaiCompletions,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/messages",
    operationId: "createMessage",
    summary: "A reply to a conversation, in Anthropic's format.",
    dialect: anthropicMessages,
    requiredHeader: versionHeaders,
    access: clientOrApiKey,
    ...anthropicSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/messages/count_tokens",
    operationId: "countMessageTokens",
    summary: "How many tokens a message would have.",
    dialect: anthropicCount,
    requiredHeader: versionHeaders,
    access: clientOrApiKey,
    ...anthropicSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/embeddings",
    operationId: "createEmbedding",
    summary: "Vectors for texts.",
    dialect: openaiEmbeddings,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/engines/{model}/embeddings",
    operationId: "createEngineEmbedding",
    summary: "Vectors for texts; the path names the model when the body does not.",
    dialect: openaiEmbeddings,
    fromPath: ["model"],
    access: client,
    ...openaiSide,
  },
];

/** Responses, which are kept: their room answers, and asks the corridor. */
function kept(parts: EndpointParts): readonly Endpoint[] {
  const common = { kind: "ask", method: "POST", access: client, ...openaiSide } as const;
  return [
    {
      ...common,
      path: "/v1/responses",
      operationId: "createResponse",
      summary: "A reply to a conversation, kept so that it can go on by its id.",
      dialect: openaiResponses,
      answer: (asked) => parts.responses.create(asked),
    },
    {
      ...common,
      path: "/v1/responses/compact",
      operationId: "compactResponse",
      summary: "A conversation made short, to go on with.",
      dialect: openaiCompaction,
      answer: (asked) => parts.responses.compact(asked),
    },
    ...responseRows(() => parts.responses, { access: client, dialect: openaiResponses, ...openaiSide }),
  ];
}

/** All rows, asks and documents. */
export function endpoints(parts: EndpointParts): readonly Endpoint[] {
  const plain = (path: string, operationId: string, summary: string, access: KeyRule) =>
    ({ kind: "plain", method: "GET", path, operationId, summary, access, ...openaiSide }) as const;
  const { catalog, listings } = parts;
  const google = (): Protocol => "gemini";
  const sideFor = (request: Request) => sides[protocolOf(request)];
  const documents: readonly Endpoint[] = [
    {
      ...plain("/v1/models", "listModels", "Every model that this key can ask for.", anyCarrier),
      sideFor,
      handle: listModels(catalog, listings, protocolOf),
    },
    {
      ...plain("/v1/models/{id...}", "getModel", "One model.", anyCarrier),
      sideFor,
      handle: getModel(catalog, listings, protocolOf),
    },
    {
      ...plain("/v1beta/models", "listGeminiModels", "The same list in Google's shape.", googleKey),
      ...sides.gemini,
      handle: listModels(catalog, listings, google),
    },
    {
      ...plain("/v1beta/models/{id...}", "getGeminiModel", "One model in Google's shape.", googleKey),
      ...sides.gemini,
      handle: getModel(catalog, listings, google),
    },
    { ...plain("/livez", "livez", "Whether the process lives.", open), handle: livez },
    { ...plain("/readyz", "readyz", "Whether the process wants work.", open), handle: readyz(parts.readiness) },
    { ...plain("/docs", "docs", "A page to read this document.", browser), handle: docsPage, signIn: docsSignIn },
    {
      ...plain("/openapi.json", "openapi", "This document.", browser),
      handle: ({ requestId }) => openapi(rows, requestId),
    },
  ];
  const rows = [...asks, ...kept(parts), ...geminiEndpoints, ...documents];
  return rows;
}
