// What the OpenAPI document contains for each row in addition to the row itself: group, reply, error envelope, example.
import type { Endpoint } from "../endpoint.ts";
import type { ErrorName } from "./error-schemas.ts";
import type { ExampleName } from "./examples.ts";
import type { ReplyName } from "./response-schemas.ts";

export interface Description {
  readonly tag: string;
  /** Absent if the reply is not JSON. */
  readonly reply?: ReplyName;
  readonly errors: ErrorName;
  readonly example?: ExampleName;
}

type Row = readonly [
  where: RegExp,
  tag: string,
  reply: ReplyName | null,
  example?: ExampleName | undefined,
  errors?: ErrorName,
];

const message = "MessageErrorResponse";
const content = "GenerateContentErrorResponse";
const taskA = "VideoTaskAErrorResponse";
const verb = (name: string): RegExp => new RegExp(`^POST /v1.*/models/\\{model\\.\\.\\.\\}:${name}$`);

/** The first row whose pattern matches method and path is used. */
const rows: readonly Row[] = [
  [/^POST \/v1\/chat\/completions$/, "Text", "ChatCompletion", "chat"],
  [/^POST \/v1\/completions$/, "Text", "Completion", "completion"],
  [/^POST \/v1\/messages$/, "Text", "Message", "message", message],
  [/^POST \/v1\/messages\/count_tokens$/, "Text", "MessageTokenCount", "messageCount", message],
  [/^POST \/v1\/responses\/input_tokens$/, "Responses", "ResponseTokenCount", "response"],
  [/^POST \/v1\/responses\/compact$/, "Responses", "Compaction", "response"],
  [/^POST \/v1\/responses$/, "Responses", "Response", "response"],
  [/^GET \/v1\/responses\/.*\/input_items$/, "Responses", "ResponseItemList"],
  [/^DELETE \/v1\/responses\//, "Responses", "DeletedResponse"],
  [/^\w+ \/v1\/responses\//, "Responses", "Response"],
  [/^POST \/v1\/embeddings$/, "Vectors", "EmbeddingList", "embedding"],
  [/^POST \/v1\/engines\//, "Vectors", "EmbeddingList", "engineEmbedding"],
  [/^POST \/v[12]\/rerank$/, "Vectors", "RerankResult", "rerank"],
  [/^POST \/v1\/moderations$/, "Moderation", "Moderation", "moderation"],
  [/^POST \/v1\/images\/generations$/, "Images", "ImageResponse", "image"],
  [/^POST \/v1\/images\/variations$/, "Images", "ImageResponse", "imageVariation"],
  [/^POST \/v1\/images\//, "Images", "ImageResponse", "imageEdit"],
  [/^POST \/v1\/audio\/speech$/, "Audio", null, "speech"],
  [/^POST \/v1\/audio\//, "Audio", "Transcription", "transcription"],
  [verb("generateContent"), "Generate content", "GenerateContentResponse", "generateContent", content],
  [verb("streamGenerateContent"), "Generate content", "GenerateContentResponse", "generateContent", content],
  [verb("countTokens"), "Generate content", "GenerateContentTokenCount", "generateContent", content],
  [verb("embedContent"), "Generate content", "ContentEmbedding", "embedContent", content],
  [verb("batchEmbedContents"), "Generate content", "ContentEmbeddingList", "batchEmbedContents", content],
  [verb("predict"), "Generate content", "Predictions", "predict", content],
  [verb("predictLongRunning"), "Generate content", "Operation", "predict", content],
  [verb("fetchPredictOperation"), "Generate content", "Operation", undefined, content],
  [/^GET \/v1.*\/models\/.*\/operations\//, "Generate content", "Operation", undefined, content],
  [/^GET \/v1\w*\/files\/.*:download$/, "Generate content", null, undefined, content],
  [/^POST \/v1\/video\/generations$/, "Video", "VideoTask", "videoTask"],
  [/^GET \/v1\/video\/generations\//, "Video", "VideoTask"],
  [/^POST \/\w+\/v1\/videos\/text2video$/, "Video", "VideoTaskA", "videoTask", taskA],
  [/^POST \/\w+\/v1\/videos\/image2video$/, "Video", "VideoTaskA", "imageVideoTask", taskA],
  [/^GET \/\w+\/v1\/videos\/\w+2video\//, "Video", "VideoTaskA", undefined, taskA],
  [/^POST \/\w+\/$/, "Video", "VideoTaskB", "videoTaskB", "VideoTaskBErrorResponse"],
  [/^POST \/v1\/videos$/, "Video", "Video", "video"],
  [/^GET \/v1\/videos$/, "Video", "VideoList"],
  [/^DELETE \/v1\/videos\//, "Video", "DeletedVideo"],
  [/^GET \/v1\/videos\/.*\/content$/, "Video", null],
  [/^POST \/v1\/videos\/.*\/remix$/, "Video", "Video", "remix"],
  [/^GET \/v1\/videos\//, "Video", "Video"],
  [/^GET \/v1\/models$/, "Models", "ModelList"],
  [/^GET \/v1\/models\//, "Models", "Model"],
  [/^GET \/v1beta\/models$/, "Models", "ModelResourceList", undefined, content],
  [/^GET \/v1beta\/models\//, "Models", "ModelResource", undefined, content],
  [/^GET \/v1\/usage$/, "Usage", "KeyUsage"],
  [/^GET \/v1\/dashboard\/billing\/subscription$/, "Usage", "Subscription"],
  [/^GET \/v1\/dashboard\/billing\/usage$/, "Usage", "BillingUsage"],
  [/^GET \/(?:livez|readyz)$/, "Gateway", "Health"],
  [/^GET \/$/, "Gateway", "Root"],
  [/^GET \/metrics$/, "Gateway", null],
  [/^GET \/docs$/, "Gateway", null],
  [/^GET \/openapi\.json$/, "Gateway", "OpenApiDocument"],
];

/** Throws for a row that is not in the table: add it. */
export function describe({ method, path, ...row }: Pick<Endpoint, "method" | "path"> & { tag?: string }): Description {
  if (row.tag !== undefined) return { tag: row.tag, errors: "ErrorResponse" };
  const name = `${method} ${path}`;
  const found = rows.find(([where]) => where.test(name));
  if (found === undefined) throw new Error(`src/http/openapi/descriptions.ts has no row for ${name}: add one.`);
  const [, tag, reply, example, errors = "ErrorResponse"] = found;
  return { tag, errors, ...(reply === null ? {} : { reply }), ...(example === undefined ? {} : { example }) };
}
