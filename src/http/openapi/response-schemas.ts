// The guaranteed members of replies, by name, for the OpenAPI document. Other members are passed on from the provider.
import { type TProperties, type TSchema, Type } from "typebox";

const open = (properties: TProperties): TSchema => Type.Object(properties, { additionalProperties: true });
const maybe = Type.Optional;
const text = Type.String();
const whole = Type.Integer();
const free = open({});
const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
const described = (schema: TSchema, description: string): TSchema => ({ ...schema, description });
const list = (item: TSchema, more: TProperties = {}): TSchema =>
  open({ object: Type.Literal("list"), data: Type.Array(item), ...more });
const deleted = (object: string): TSchema => open({ id: text, object: Type.Literal(object), deleted: Type.Boolean() });

/** Token counts by their names in this format. */
const counts = (...names: readonly string[]): TSchema => open(Object.fromEntries(names.map((name) => [name, whole])));

const unixTime = described(whole, "Unix time in seconds.");
const completionUsage = maybe(counts("prompt_tokens", "completion_tokens", "total_tokens"));

const ChatCompletion = open({
  id: text,
  object: Type.Literal("chat.completion"),
  created: unixTime,
  model: described(text, "The model that the provider reported."),
  choices: Type.Array(
    open({
      index: whole,
      message: open({
        role: text,
        content: maybe(nullable(text)),
        refusal: maybe(nullable(text)),
        tool_calls: maybe(
          Type.Array(
            open({
              id: text,
              type: text,
              function: maybe(open({ name: text, arguments: described(text, "JSON text.") })),
            }),
          ),
        ),
      }),
      finish_reason: nullable(Type.Enum(["stop", "length", "tool_calls", "content_filter", "function_call"])),
    }),
  ),
  usage: completionUsage,
  system_fingerprint: maybe(nullable(text)),
});

const Completion = open({
  id: text,
  object: Type.Literal("text_completion"),
  created: unixTime,
  model: text,
  choices: Type.Array(open({ text, index: whole, finish_reason: maybe(nullable(text)) })),
  usage: completionUsage,
});

const Message = open({
  id: text,
  type: Type.Literal("message"),
  role: Type.Literal("assistant"),
  content: described(
    Type.Array(open({ type: text, text: maybe(text) })),
    "Content blocks: text, thinking or tool use.",
  ),
  model: text,
  stop_reason: described(nullable(text), "`end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`."),
  stop_sequence: maybe(nullable(text)),
  usage: counts("input_tokens", "output_tokens"),
});

const Response = open({
  id: text,
  object: Type.Literal("response"),
  created_at: unixTime,
  status: Type.Enum(["completed", "failed", "in_progress", "incomplete", "queued", "cancelled"]),
  model: text,
  output: Type.Array(open({ type: text, id: maybe(text) })),
  usage: maybe(nullable(counts("input_tokens", "output_tokens", "total_tokens"))),
});

const ResponseItemList = list(free, { first_id: nullable(text), last_id: nullable(text), has_more: Type.Boolean() });

const Compaction = open({
  id: text,
  object: Type.Literal("response.compaction"),
  created_at: unixTime,
  output: Type.Array(free),
  usage: maybe(nullable(free)),
});

const EmbeddingList = open({
  object: Type.Literal("list"),
  data: Type.Array(
    open({
      object: Type.Literal("embedding"),
      index: whole,
      embedding: described(Type.Union([Type.Array(Type.Number()), text]), "Numbers, or Base64 of 32-bit floats."),
    }),
  ),
  model: text,
  usage: counts("prompt_tokens", "total_tokens"),
});

const RerankResult = open({
  id: text,
  results: Type.Array(open({ index: whole, relevance_score: Type.Number(), document: maybe(free) })),
  meta: free,
});

const Moderation = open({
  id: text,
  model: text,
  results: Type.Array(open({ flagged: Type.Boolean(), categories: free, category_scores: free })),
});

const ImageResponse = open({
  created: unixTime,
  data: Type.Array(open({ url: maybe(text), b64_json: maybe(text), revised_prompt: maybe(text) })),
});

const GenerateContentResponse = open({
  candidates: maybe(
    Type.Array(
      open({
        content: maybe(open({ role: maybe(text), parts: maybe(Type.Array(free)) })),
        finishReason: maybe(text),
        index: maybe(whole),
      }),
    ),
  ),
  usageMetadata: maybe(
    open({
      promptTokenCount: maybe(whole),
      candidatesTokenCount: maybe(whole),
      totalTokenCount: maybe(whole),
    }),
  ),
  modelVersion: maybe(text),
  responseId: maybe(text),
});

const Predictions = open({
  predictions: Type.Array(open({ bytesBase64Encoded: maybe(text), mimeType: maybe(text) })),
});
const Operation = open({
  name: text,
  done: maybe(Type.Boolean()),
  response: maybe(free),
  error: maybe(open({ code: maybe(whole), message: maybe(text) })),
});

const values = open({ values: Type.Array(Type.Number()) });

const taskFields = {
  task_id: text,
  status: described(text, "`queued`, `in_progress`, `completed`, `failed`, `cancelled` or `expired`."),
  url: maybe(described(text, "URL of the completed video.")),
  format: maybe(text),
  metadata: maybe(free),
  error: maybe(nullable(open({ code: text, message: text }))),
};

/** The fields of a task together with the native envelope. */
const VideoTaskA = open({
  ...taskFields,
  code: whole,
  message: text,
  request_id: text,
  data: open({ task_id: text, task_status: text }),
});

const Video = open({
  id: text,
  object: text,
  model: text,
  status: text,
  progress: described(whole, "Percent."),
  created_at: unixTime,
  seconds: text,
  size: maybe(text),
  completed_at: maybe(nullable(unixTime)),
  expires_at: maybe(nullable(unixTime)),
  error: maybe(nullable(open({ code: text, message: text }))),
  metadata: maybe(free),
});

const Model = open({ id: text, object: Type.Literal("model"), created: unixTime, owned_by: text });
const ModelResource = open({ name: text, displayName: text, supportedGenerationMethods: Type.Array(text) });

const nanoDollars = described(text, "Nano-dollars (10^-9 US dollars) as a decimal string.");

const KeyUsage = open({
  object: Type.Literal("usage"),
  key: open({ id: text, name: text, project: text }),
  spent_nano_dollars: nanoDollars,
  limits: Type.Array(open({ level: text, name: text, limit: whole, remaining: whole, reset_ms: whole })),
  concurrent_requests: Type.Array(open({ level: text, limit: whole })),
  budgets: Type.Array(
    open({
      level: text,
      period: text,
      window_start: maybe(text),
      window_end: maybe(text),
      amount_nano_dollars: nanoDollars,
      spent_nano_dollars: nanoDollars,
      reserved_nano_dollars: nanoDollars,
      left_nano_dollars: nanoDollars,
    }),
  ),
});

const Subscription = open({
  object: Type.Literal("billing_subscription"),
  has_payment_method: Type.Boolean(),
  access_until: unixTime,
  soft_limit_usd: Type.Number(),
  hard_limit_usd: Type.Number(),
  system_hard_limit_usd: Type.Number(),
});

/** Each is a component of the OpenAPI document under its name. */
export const replySchemas = {
  ChatCompletion,
  Completion,
  Message,
  MessageTokenCount: counts("input_tokens"),
  Response,
  ResponseItemList,
  ResponseTokenCount: open({ object: Type.Literal("response.input_tokens"), input_tokens: whole }),
  DeletedResponse: deleted("response"),
  Compaction,
  EmbeddingList,
  RerankResult,
  Moderation,
  ImageResponse,
  Transcription: open({ text }),
  GenerateContentResponse,
  GenerateContentTokenCount: counts("totalTokens"),
  ContentEmbedding: open({ embedding: values }),
  ContentEmbeddingList: open({ embeddings: Type.Array(values) }),
  Predictions,
  Operation,
  VideoTask: open(taskFields),
  VideoTaskA,
  VideoTaskB: open({ code: whole, message: text, data: maybe(nullable(free)) }),
  Video,
  VideoList: list(Video),
  DeletedVideo: deleted("video.deleted"),
  Model,
  ModelList: list(Model),
  ModelResource,
  ModelResourceList: open({ models: Type.Array(ModelResource), nextPageToken: maybe(text) }),
  Root: open({ name: text, version: text, docs: text, openapi: text }),
  KeyUsage,
  Subscription,
  BillingUsage: open({ object: Type.Literal("list"), total_usage: described(Type.Number(), "Cents.") }),
  Health: open({ status: text }),
  OpenApiDocument: open({ openapi: text, paths: free }),
} as const satisfies Readonly<Record<string, TSchema>>;

export type ReplyName = keyof typeof replySchemas;
