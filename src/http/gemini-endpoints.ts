// The rows of Google's protocol, under /v1beta and under /v1, where newer SDKs call.
import {
  gemini,
  geminiBatchEmbeddings,
  geminiCount,
  geminiEmbeddings,
  geminiImages,
  imagenImages,
  modelFromPath,
  wantsImages,
} from "../dialects/index.ts";
import type { KeyRule, ModelEndpoint } from "./endpoint.ts";
import { developerPrefixes, googlePrefixes } from "./google-prefixes.ts";
import { protocols } from "./protocols.ts";
import { queryOf } from "./target.ts";

export const googleKey: KeyRule = { key: "client", carriers: ["bearer", "x-goog-api-key", "query"] };

const wantsEvents = (request: Request): boolean => queryOf(request).get("alt") === "sse";

const predict = "predict";

interface Verb {
  readonly verb: string;
  /** Suffix of the operation id. */
  readonly suffix: string;
  readonly summary: string;
  readonly dialect: ModelEndpoint["dialect"];
  readonly asArray?: ModelEndpoint["asArray"];
  /** True if the reply may contain images. */
  readonly draws?: true;
}

const verbs: readonly Verb[] = [
  {
    verb: "generateContent",
    suffix: "",
    summary: "Generates a model response, in Google's format.",
    dialect: gemini,
    draws: true,
  },
  {
    verb: "streamGenerateContent",
    suffix: "Stream",
    summary: "Streams a model response: server-sent events with `alt=sse` in the query, otherwise a JSON array.",
    dialect: gemini,
    asArray: (request) => !wantsEvents(request),
    draws: true,
  },
  { verb: "countTokens", suffix: "Count", summary: "Counts the tokens of a request.", dialect: geminiCount },
  { verb: "embedContent", suffix: "Embed", summary: "Creates an embedding of a content.", dialect: geminiEmbeddings },
  {
    verb: "batchEmbedContents",
    suffix: "EmbedBatch",
    summary: "Creates embeddings of several contents.",
    dialect: geminiBatchEmbeddings,
  },
  {
    verb: predict,
    suffix: "Predict",
    summary: "Generates images from a prompt, in the format of Google's Imagen.",
    dialect: imagenImages,
  },
];

/**
 * A request for images is an image request if a candidate of the model satisfies `makesImages`, otherwise a chat
 * request.
 */
export function geminiEndpoints(makesImages: (model: string) => boolean): readonly ModelEndpoint[] {
  const other: ModelEndpoint["alternate"] = {
    dialect: geminiImages,
    speaks: (wire, { model = "" }) => wantsImages(wire) && makesImages(modelFromPath(model)),
  };
  return googlePrefixes.flatMap(({ prefix, models, operationId }) =>
    verbs
      .filter(({ verb }) => verb === predict || developerPrefixes.some((each) => each.prefix === prefix))
      .map(
        ({ verb, suffix, summary, dialect, asArray, draws }): ModelEndpoint => ({
          kind: "ask",
          method: "POST",
          path: `${prefix}${models}/{model...}:${verb}`,
          operationId: `${operationId}${suffix}`,
          summary,
          dialect,
          pathConstants: { verb },
          access: googleKey,
          ...protocols.gemini,
          ...(asArray === undefined ? {} : { asArray }),
          ...(draws === undefined ? {} : { alternate: other }),
        }),
      ),
  );
}
