// Every field of embeddings on every format: what its table says is what is sent, refused or warned of.
import {
  cohereEmbeddings,
  dashscopeEmbeddings,
  geminiBatchEmbeddings,
  geminiEmbeddings,
  jinaEmbeddings,
  ollamaEmbeddings,
  openaiEmbeddings,
  teiEmbeddings,
  vertexEmbeddings,
  voyageEmbeddings,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import { bareTei, fars, near } from "./upstream-dialects.ts";

const { up, gateway, be } = await near();

const openai: FieldClient = {
  dialect: openaiEmbeddings,
  path: () => "/v1/embeddings",
  body: (model) => ({ model, input: "t1" }),
  says: {
    input: { param: "input", body: { input: "t2" } },
    format: { param: "encoding_format", body: { encoding_format: "base64" } },
    dimensions: { param: "dimensions", body: { dimensions: 4 } },
    purpose: { param: "input_type", body: { input_type: "query" } },
    endUser: { param: "user", body: { user: "u" } },
  },
};

const google: FieldClient = {
  dialect: geminiEmbeddings,
  path: (model) => `/v1beta/models/${model}:embedContent`,
  body: () => ({ content: { parts: [{ text: "t1" }] } }),
  says: {
    input: { param: "content", body: {} },
    dimensions: { param: "outputDimensionality", body: { outputDimensionality: 4 } },
    purpose: { param: "taskType", body: { taskType: "RETRIEVAL_QUERY" } },
    title: { param: "title", body: { title: "T", taskType: "RETRIEVAL_DOCUMENT" } },
  },
};

/** Of its two formats, DashScope's own is taken where a task type is given. */
const tasks = {
  [openaiEmbeddings.name]: { input_type: "query" },
  [geminiEmbeddings.name]: { taskType: "RETRIEVAL_QUERY" },
};

const upstreamOf = (dialect: FieldUpstream["dialect"], kind: string): FieldUpstream => {
  const far = fars.find((each) => each.kind === kind);
  return { dialect, model: `${kind}/m`, ready: () => far && be(far) };
};

provesFields({
  title: "embeddings",
  ...{ up, gateway },
  clients: [openai, google],
  upstreams: [
    upstreamOf(openaiEmbeddings, "openai"),
    upstreamOf(geminiBatchEmbeddings, "gemini"),
    upstreamOf(vertexEmbeddings, "vertex"),
    upstreamOf(cohereEmbeddings, "cohere"),
    upstreamOf(jinaEmbeddings, "jina"),
    upstreamOf(voyageEmbeddings, "voyage"),
    { ...upstreamOf(dashscopeEmbeddings, "dashscope"), needs: tasks },
    upstreamOf(ollamaEmbeddings, "ollama"),
    { dialect: teiEmbeddings, model: "tei/m", ready: () => be(bareTei) },
  ],
});
