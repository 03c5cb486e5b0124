// The dialect of OpenAI's embeddings: strings or token ids in, vectors as numbers or as base64 float32 out.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk, EmbedInput, Vector } from "../canon/embedding.ts";
import { tokenCount, type Usage } from "../canon/usage.ts";
import type { Extra, FieldName } from "../canon/warning.ts";
import { base64ToFloats, floatsToBase64 } from "../lib/floats.ts";
import { compact, isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Dialect } from "./dialect.ts";
import { openaiErrors } from "./openai-error.ts";
import { badReply, badValue } from "./reject.ts";

const maxItems = 2048;
const tokenIds = Type.Array(Type.Integer({ minimum: 0 }));

const schema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    input: Type.Union(
      [Type.String(), Type.Array(Type.Union([Type.String(), Type.Integer({ minimum: 0 }), tokenIds]))],
      {
        description: "Text, texts, token ids or arrays of token ids.",
      },
    ),
    encoding_format: Type.Optional(
      Type.Union([Type.Enum(["float", "base64"]), Type.Null()], {
        default: "float",
        description: "Form of each vector.",
      }),
    ),
    dimensions: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: "Length of each vector." }),
    ),
    user: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "End user id." })),
  },
  { additionalProperties: true },
);

/** Base64 of at least one float. */
const floatBytes = /^[A-Za-z0-9+/]{6,}={0,2}$/;
const known = new Set(["model", "input", "encoding_format", "dimensions", "user"]);

function parseInput(input: Json | undefined): EmbedInput {
  if (typeof input === "string") {
    if (input === "") throw badValue("input", "'input' must not be an empty string.");
    return { kind: "texts", texts: [input] };
  }
  const items = Array.isArray(input) ? input : [];
  if (items.length === 0) throw badValue("input", "'input' must not be an empty array.");
  if (items.every((item) => typeof item === "number")) return { kind: "tokens", tokens: [items] };
  if (items.length > maxItems) throw badValue("input", `'input' must have at most ${maxItems} items.`);
  if (items.every((item) => typeof item === "string")) {
    const empty = items.indexOf("");
    if (empty >= 0) throw badValue(`input[${empty}]`, `'input[${empty}]' must not be an empty string.`);
    return { kind: "texts", texts: items };
  }
  const empty = items.findIndex((item) => Array.isArray(item) && item.length === 0);
  if (empty >= 0) throw badValue(`input[${empty}]`, `'input[${empty}]' must not be an empty array.`);
  if (items.every((item) => Array.isArray(item))) return { kind: "tokens", tokens: items as number[][] };
  throw badValue("input", "'input' must not mix strings, numbers and arrays.");
}

function parseRequest(wire: JsonObject): EmbedAsk {
  const extras: Extra[] = Object.keys(wire)
    .filter((name) => !known.has(name) && wire[name] !== null)
    .map((path) => ({ path, rule: "drop" }));
  return {
    operation: "embed",
    model: wire.model as string,
    stream: false,
    input: parseInput(wire.input),
    format: wire.encoding_format === "base64" ? "base64" : "float",
    extras,
    ...(typeof wire.dimensions === "number" ? { dimensions: wire.dimensions } : {}),
    ...(typeof wire.user === "string" ? { endUser: wire.user } : {}),
  };
}

function wireInput(input: EmbedInput): Json {
  if (input.kind === "texts") return [...input.texts];
  return input.tokens.map((ids) => [...ids]);
}

function readVector(item: Json | undefined, index: number): Vector {
  const vector = isObject(item) ? item.embedding : undefined;
  if (typeof vector === "string" && floatBytes.test(vector)) return vector;
  if (Array.isArray(vector) && vector.every((value) => typeof value === "number")) return vector;
  throw badReply(`data[${index}].embedding is neither numbers nor base64`);
}

function readUsage(usage: Json | undefined): { usage: Usage } | undefined {
  if (!isObject(usage)) return undefined;
  const inputTokens = tokenCount(usage.prompt_tokens ?? usage.total_tokens);
  return { usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 } };
}

function parseResponse(wire: unknown): EmbedAnswer {
  if (!isObject(wire) || !Array.isArray(wire.data)) throw badReply("there is no list of embeddings");
  const position = (item: Json): number => (isObject(item) && typeof item.index === "number" ? item.index : 0);
  const ordered = [...wire.data].sort((left, right) => position(left) - position(right));
  return {
    operation: "embed",
    model: typeof wire.model === "string" ? wire.model : "",
    vectors: ordered.map(readVector),
    ...readUsage(wire.usage),
  };
}

/** A vector in the form that the caller asked for. The official SDK decodes base64 without looking, so the form must be right. */
function inForm(vector: Vector, format: EmbedAsk["format"]): Json {
  if (format === "base64") return typeof vector === "string" ? vector : floatsToBase64(vector);
  return typeof vector === "string" ? base64ToFloats(vector) : [...vector];
}

function mend(reply: JsonObject, wire: JsonObject): JsonObject {
  const format = wire.encoding_format === "base64" ? "base64" : "float";
  const wanted = format === "base64" ? "string" : "object";
  const data = reply.data;
  if (!Array.isArray(data)) return reply;
  if (data.every((item) => isObject(item) && typeof item.embedding === wanted)) return reply;
  const mended = data.map((item, index) =>
    isObject(item) ? { ...item, embedding: inForm(readVector(item, index), format) } : item,
  );
  return { ...reply, data: mended };
}

const paths: { readonly [field in FieldName]?: string } = { encodingFormat: "encoding_format", endUser: "user" };

export const openaiEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "openai-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: (ask, context) => ({
      call: {
        path: "embeddings",
        body: compact({
          model: context.model,
          input: wireInput(ask.input),
          encoding_format: ask.format,
          dimensions: ask.dimensions,
          user: ask.endUser,
        }),
      },
      warnings: [],
    }),
    fieldPath: (field) => paths[field] ?? field,
  },
  response: {
    parse: parseResponse,
    render: (answer, context) => {
      const { format } = context.ask as EmbedAsk;
      const tokens = answer.usage?.inputTokens ?? context.inputEstimate;
      return {
        object: "list",
        data: answer.vectors.map((vector, index) => ({
          object: "embedding",
          index,
          embedding: inForm(vector, format),
        })),
        model: answer.model,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
  },
  verbatim: {
    call: (wire, context) => ({ path: "embeddings", body: { ...wire, model: context.model } }),
    mend,
  },
  error: openaiErrors,
};
