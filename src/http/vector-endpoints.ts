// The rows of vectors, of ranking and of moderation.
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
    summary: "Vectors for texts.",
    dialect: openaiEmbeddings,
  },
  {
    ...common,
    path: "/v1/engines/{model}/embeddings",
    operationId: "createEngineEmbedding",
    summary: "Vectors for texts; the path names the model when the body does not.",
    dialect: openaiEmbeddings,
    fromPath: ["model"],
  },
  {
    ...common,
    path: "/v1/rerank",
    operationId: "createRerank",
    summary: "Documents in the order in which they answer a query.",
    dialect: plainRerank,
  },
  {
    ...common,
    path: "/v2/rerank",
    operationId: "createRerankV2",
    summary: "The same, in Cohere's second version.",
    dialect: cohereRerank,
  },
  {
    ...common,
    path: "/v1/moderations",
    operationId: "createModeration",
    summary: "What texts and images hold that may do harm.",
    dialect: openaiModerations,
  },
];
