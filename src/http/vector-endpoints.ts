// The rows of embeddings, rerank and moderations.
import { cohereRerank, openaiEmbeddings, openaiModerations, plainRerank } from "../dialects/index.ts";
import type { KeyRule, ModelEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const common = { kind: "ask", method: "POST", access: client, ...protocols.openai } as const;

export const vectorEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/embeddings",
    operationId: "createEmbedding",
    summary: "Creates embeddings.",
    dialect: openaiEmbeddings,
  },
  {
    ...common,
    path: "/v1/engines/{model}/embeddings",
    operationId: "createEngineEmbedding",
    summary: "Creates embeddings. The path gives the model if the body has none.",
    dialect: openaiEmbeddings,
    fromPath: ["model"],
  },
  {
    ...common,
    path: "/v1/rerank",
    operationId: "createRerank",
    summary: "Ranks documents by relevance to a query.",
    dialect: plainRerank,
  },
  {
    ...common,
    path: "/v2/rerank",
    operationId: "createRerankV2",
    summary: "Ranks documents by relevance to a query, in Cohere's v2 format.",
    dialect: cohereRerank,
  },
  {
    ...common,
    path: "/v1/moderations",
    operationId: "createModeration",
    summary: "Classifies whether text and images are potentially harmful.",
    dialect: openaiModerations,
  },
];
