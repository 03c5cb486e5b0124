// The table of endpoints: every path of the gateway, the key it wants, and who handles it.
import {
  anthropicCount,
  anthropicMessages,
  cohereRerank,
  dashscopeImageEdits,
  dashscopeImages,
  openaiChat,
  openaiCompaction,
  openaiCompletions,
  openaiEmbeddings,
  openaiImageEdits,
  openaiImages,
  openaiModerations,
  openaiResponses,
  plainRerank,
} from "../dialects/index.ts";
import type { Catalog } from "../gateway/catalog.ts";
import type { Listings } from "../gateway/listings.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import { drawsApart } from "../gateway/router.ts";
import type { Videos } from "../gateway/videos/videos.ts";
import type { Clock } from "../lib/clock.ts";
import type { JsonObject } from "../lib/json.ts";
import { audioEndpoints } from "./audio-endpoints.ts";
import { docsPage, docsSignIn } from "./docs.ts";
import type { Endpoint, KeyRule } from "./endpoint.ts";
import { geminiEndpoints, googleKey } from "./gemini-endpoints.ts";
import { livez, type Readiness, readyz } from "./health.ts";
import { getModel, listModels } from "./models.ts";
import { openapi } from "./openapi.ts";
import { responseRows } from "./responses.ts";
import { type Protocol, protocolOf, sides, versionHeaders } from "./sides.ts";
import { videoRows } from "./video-endpoints.ts";

/** What the gateway's own documents are made from. */
export interface EndpointParts {
  readonly catalog: () => Catalog;
  readonly listings: Listings;
  readonly readiness: Readiness;
  readonly responses: Responses;
  readonly videos: Videos;
  readonly clock: Clock;
}

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const clientOrApiKey: KeyRule = { key: "client", carriers: ["bearer", "x-api-key"] };
const anyCarrier: KeyRule = { key: "client", carriers: ["bearer", "x-api-key", "x-goog-api-key"] };
const browser: KeyRule = { key: "client", carriers: ["bearer", "query"] };
const open: KeyRule = { key: "none" };
const openaiSide = sides.openai;
const anthropicSide = sides.anthropic;

/** Images are asked for in a message, unless the body has what OpenAI's format has in its place. */
const isMessage = (wire: JsonObject): boolean =>
  wire.input !== undefined || ["prompt", "image", "images", "mask"].every((name) => wire[name] === undefined);

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
  {
    kind: "ask",
    method: "POST",
    path: "/v1/rerank",
    operationId: "createRerank",
    summary: "Documents in the order in which they answer a query.",
    dialect: plainRerank,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v2/rerank",
    operationId: "createRerankV2",
    summary: "The same, in Cohere's second version.",
    dialect: cohereRerank,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/moderations",
    operationId: "createModeration",
    summary: "What texts and images hold that may do harm.",
    dialect: openaiModerations,
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/images/generations",
    operationId: "createImage",
    summary: "Images from words: in a message with parameters, or in OpenAI's format.",
    dialect: openaiImages,
    other: { dialect: dashscopeImages, speaks: isMessage },
    access: client,
    ...openaiSide,
  },
  {
    kind: "ask",
    method: "POST",
    path: "/v1/images/edits",
    operationId: "createImageEdit",
    summary: "Images from images and words, in the same two formats, or as a form.",
    dialect: openaiImageEdits,
    other: { dialect: dashscopeImageEdits, speaks: isMessage },
    form: {
      only: false,
      files: {
        image: "The image to change; several are sent as `image[]`, up to 16.",
        mask: "Transparent where the first image may change.",
      },
    },
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
  const rows = [
    ...asks,
    ...kept(parts),
    ...audioEndpoints,
    ...videoRows(() => parts, client),
    ...geminiEndpoints((model) => drawsApart(parts.catalog(), parts.listings.now, model)),
    ...documents,
  ];
  return rows;
}
