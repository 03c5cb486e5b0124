// What replies hold at least, by operation: for the OpenAPI document. Fields beyond these travel on as the provider sent them.
import { type TProperties, type TSchema, Type } from "typebox";

const open = (properties: TProperties): TSchema => Type.Object(properties, { additionalProperties: true });
const maybe = Type.Optional;
const text = Type.String();
const whole = Type.Integer();
const free = open({});
const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);

/** Token counts by their names on this wire. */
const counts = (...names: readonly string[]): TSchema => open(Object.fromEntries(names.map((name) => [name, whole])));

const chatCompletion = open({
  id: text,
  object: Type.Literal("chat.completion"),
  created: whole,
  model: text,
  choices: Type.Array(
    open({
      index: whole,
      message: open({ role: text, content: maybe(nullable(text)) }),
      finish_reason: nullable(Type.Enum(["stop", "length", "tool_calls", "content_filter", "function_call"])),
    }),
  ),
  usage: maybe(counts("prompt_tokens", "completion_tokens", "total_tokens")),
  system_fingerprint: maybe(nullable(text)),
});

const completion = open({
  id: text,
  object: Type.Literal("text_completion"),
  created: whole,
  model: text,
  choices: Type.Array(open({ text, index: whole, finish_reason: maybe(nullable(text)) })),
  usage: maybe(counts("prompt_tokens", "completion_tokens", "total_tokens")),
});

const message = open({
  id: text,
  type: Type.Literal("message"),
  role: Type.Literal("assistant"),
  content: Type.Array(open({ type: text })),
  model: text,
  stop_reason: nullable(text),
  usage: counts("input_tokens", "output_tokens"),
});

const response = open({
  id: text,
  object: Type.Literal("response"),
  created_at: whole,
  status: Type.Enum(["completed", "failed", "in_progress", "incomplete", "queued", "cancelled"]),
  model: text,
  output: Type.Array(open({ type: text })),
  usage: maybe(nullable(counts("input_tokens", "output_tokens", "total_tokens"))),
});

const compaction = open({
  id: text,
  object: Type.Literal("response.compaction"),
  created_at: whole,
  output: Type.Array(free),
  usage: maybe(nullable(free)),
});

const embeddings = open({
  object: Type.Literal("list"),
  data: Type.Array(
    open({
      object: Type.Literal("embedding"),
      index: whole,
      embedding: Type.Union([Type.Array(Type.Number()), text], { description: "Numbers, or base64 of float32." }),
    }),
  ),
  model: text,
  usage: counts("prompt_tokens", "total_tokens"),
});

const rerank = open({
  id: text,
  results: Type.Array(open({ index: whole, relevance_score: Type.Number(), document: maybe(free) })),
  meta: free,
});

const moderation = open({
  id: text,
  model: text,
  results: Type.Array(open({ flagged: Type.Boolean(), categories: free, category_scores: free })),
});

const images = open({
  created: whole,
  data: Type.Array(open({ url: maybe(text), b64_json: maybe(text), revised_prompt: maybe(text) })),
});

const transcript = open({ text });

const generated = open({
  candidates: maybe(
    Type.Array(open({ content: maybe(open({ parts: maybe(Type.Array(free)) })), finishReason: maybe(text) })),
  ),
  usageMetadata: maybe(free),
});

const task = open({ task_id: text, status: text });
const video = open({
  id: text,
  object: text,
  model: text,
  status: text,
  progress: whole,
  created_at: whole,
  seconds: text,
});

const predictions = open({
  predictions: Type.Array(open({ bytesBase64Encoded: maybe(text), mimeType: maybe(text) })),
});
const operation = open({ name: text, done: maybe(Type.Boolean()), response: maybe(free), error: maybe(free) });

/** Each path of Google's has the same replies. */
const googleMedia = Object.fromEntries(
  ["relayV1Beta", "relayV1", "relayVertex", "relayVertexProject"].flatMap((prefix) => [
    [`${prefix}Predict`, predictions],
    [`${prefix}Video`, operation],
    [`${prefix}Operation`, operation],
    [`${prefix}FetchOperation`, operation],
  ]),
);

/** Operations that are not here answer with a list or a document that is told in the summary. */
export const replySchemas: Readonly<Record<string, TSchema>> = {
  createChatCompletion: chatCompletion,
  createCompletion: completion,
  createMessage: message,
  countMessageTokens: counts("input_tokens"),
  countResponseInputTokens: open({ object: Type.Literal("response.input_tokens"), input_tokens: whole }),
  createResponse: response,
  getResponse: response,
  cancelResponse: response,
  compactResponse: compaction,
  createEmbedding: embeddings,
  createEngineEmbedding: embeddings,
  createRerank: rerank,
  createRerankV2: rerank,
  createModeration: moderation,
  createImage: images,
  createImageEdit: images,
  createImageVariation: images,
  createTranscription: transcript,
  createTranslation: transcript,
  relayV1Beta: generated,
  relayV1: generated,
  createVideoGeneration: task,
  createVideoAText2Video: task,
  createVideoAImage2Video: task,
  createVideoBVideo: open({ code: whole, message: text, data: maybe(nullable(free)) }),
  createVideo: video,
  getVideo: video,
  remixVideo: video,
  ...googleMedia,
};
