// The dialect of Google's Imagen (`:predict`): images from one prompt, for clients and for upstreams.
import { type TSchema, Type } from "typebox";
import type { GeneratedImage, ImageRequest, ImageResponse, ImageSize } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { fieldPaths, type Reading, type WireMembers } from "../field-table.ts";
import { geminiErrors } from "../gemini/error.ts";
import { modelFrom } from "../gemini/model-path.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { renderer } from "../render-fields.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { isAbsent, objectsIn } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";
import { warn } from "../shared/warnings.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import {
  bytesOnly,
  common,
  elsewhere,
  type ImageDialect,
  type ImageSetting,
  type ImageTable,
  imageRequest,
  noImages,
  notSent,
  text,
  wholePrompt,
} from "./fields.ts";
import { ratioNoted, resolutionOf } from "./model-sizes.ts";
import { imagenModels } from "./model-tables.ts";
import { imageUsage } from "./response.ts";
import { sizeFrom } from "./sizes.ts";

const pathOf = (model: string): string => `v1beta/models/${encodeURIComponent(model.replace(/^models\//, ""))}:predict`;

/** One prompt. Requests with images to edit have another meaning and are refused. */
function parseInstance({ wire, unmapped }: Reading): Pick<ImageRequest, "prompt" | "images" | "task"> {
  const [instance = {}] = objectsIn(wire.instances);
  const others = Object.keys(instance).filter((name) => name !== "prompt" && !isAbsent(instance[name]));
  unmapped.push(...others.map((name) => ({ path: `instances[0].${name}`, rule: "reject" }) as const));
  return { prompt: String(instance.prompt ?? ""), images: [], task: "generate" };
}

function parseSize({ wire: { parameters } }: Reading): { size?: ImageSize } {
  const { aspectRatio, sampleImageSize } = isObject(parameters) ? parameters : {};
  return sizeFrom(["parameters.aspectRatio", aspectRatio], ["parameters.sampleImageSize", sampleImageSize]);
}

function renderSize({ request: { size }, warnings }: ImageSetting): JsonObject {
  if (size === undefined) return {};
  const aspectRatio = ratioNoted(size, warnings, imagenModels);
  const sampleImageSize = resolutionOf(size, warnings, imagenModels);
  if (size.resolution !== undefined && sampleImageSize !== size.resolution) warn(warnings, "approximated", size.path);
  return { parameters: omitUndefined({ aspectRatio, sampleImageSize }) };
}

/**
 * The fields of `generateImages` in the npm package @google/genai 3.1.0, and
 * https://ai.google.dev/gemini-api/docs/imagen.
 */
const fields: ImageTable = {
  ...common,
  prompt: {
    path: "instances[0].prompt",
    parseMembers: parseInstance,
    renderMembers: (setting) => ({ instances: [{ prompt: wholePrompt(setting) }] }),
  },
  images: noImages,
  n: {
    path: "parameters.sampleCount",
    schema: optional("integer", { minimum: 1, maximum: 10, default: 1, description: "Number of images." }),
    renderMembers: ({ request }) => ({ parameters: { sampleCount: request.n ?? 1 } }),
  },
  size: {
    path: "parameters.aspectRatio",
    schema: optional("string", { maxLength: 16, description: "Aspect ratio, such as `16:9`." }),
    also: {
      "parameters.sampleImageSize": optional("string", { maxLength: 16, description: "Resolution: `1K` or `2K`." }),
    },
    parseMembers: parseSize,
    renderMembers: renderSize,
  },
  negativePrompt: {
    path: "parameters.negativePrompt",
    schema: optional("string", { description: "Description of what the images must not contain." }),
    parse: text,
    ...elsewhere,
  },
  seed: {
    path: "parameters.seed",
    schema: optional("integer", { minimum: 0, maximum: 4_294_967_295 }),
    ...notSent,
  },
  extendPrompt: {
    path: "parameters.enhancePrompt",
    schema: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
    ...notSent,
  },
  watermark: { path: "parameters.addWatermark", schema: optional("boolean"), ...notSent },
  fileFormat: {
    path: "parameters.outputOptions.mimeType",
    schema: enumeration(["image/png", "image/jpeg", "image/webp"]),
    parse: (type) => String(type).replace("image/", ""),
    render: (format) => `image/${format}`,
  },
  compression: {
    path: "parameters.outputOptions.compressionQuality",
    schema: optional("integer", { minimum: 0, maximum: 100 }),
    ...notSent,
  },
  delivery: { path: "predictions", parseMembers: () => ({ delivery: "base64" }), ...bytesOnly },
};

const instance = object({
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: "Description of the images." }),
});
const members: WireMembers = {
  instances: {
    schema: Type.Array(instance, { minItems: 1, maxItems: 1, description: "One prompt." }) as TSchema,
    lost: null,
  },
  // The provider would write into the client's bucket.
  "parameters.storageUri": { lost: "reject" },
  model: { lost: null },
};
const readFields = fieldReader(fields, members);

/** The wire split into several that request at most so many images each. */
function dividedPredict(wire: JsonObject, most: number): JsonObject[] {
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  const wanted = typeof parameters.sampleCount === "number" ? parameters.sampleCount : 1;
  const calls = Math.max(1, Math.ceil(wanted / most));
  return Array.from({ length: calls }, (_, call) => ({
    ...wire,
    parameters: { ...parameters, sampleCount: Math.min(most, wanted - call * most) },
  }));
}

const hasBytes = ({ bytesBase64Encoded: base64 }: JsonObject): boolean => typeof base64 === "string" && base64 !== "";

/** An empty reply, or a reason in place of an image, means that everything was filtered. */
function parseImagen(wire: unknown): ImageResponse {
  const predictions = objectsIn(isObject(wire) ? wire.predictions : []);
  const images = predictions.filter(hasBytes).map(
    ({ bytesBase64Encoded: base64, mimeType, prompt }): GeneratedImage => ({
      source: { kind: "base64", base64: String(base64) },
      ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}),
      ...(typeof prompt === "string" ? { revisedPrompt: prompt } : {}),
    }),
  );
  if (images.length > 0) return { operation: "image", model: "", images, ...imageUsage(images.length) };
  const reason = predictions.find(({ raiFilteredReason }) => typeof raiFilteredReason === "string");
  throw contentRefused(String(reason?.raiFilteredReason ?? "The provider filtered every image."));
}

function prediction({ source, mediaType, revisedPrompt }: GeneratedImage): JsonObject {
  if (source.kind === "url")
    throw invalidUpstreamResponse("an image was returned as a URL, but its bytes are required");
  const { base64 } = source;
  const mimeType = bytesOf(base64.slice(0, 64), mediaType ?? "image/png").mediaType;
  return omitUndefined({ mimeType, bytesBase64Encoded: base64, prompt: revisedPrompt });
}

export const imagenImages: ImageDialect = {
  name: "imagen-images",
  operation: "image",
  request: {
    fields,
    schema: requestSchema(fields, members),
    parse: (wire, { params }) => imageRequest(modelFrom(params), false, readFields(wire)),
    render: renderer(fields, { path: ({ model }) => pathOf(model) }),
    maxItems: () => 4,
    fieldPath: fieldPaths(fields),
  },
  response: { parse: parseImagen, render: ({ images }) => ({ predictions: images.map(prediction) }) },
  passthrough: {
    render: (wire, { model }) => ({ path: pathOf(model), body: wire }),
    splitBatch: dividedPredict,
    usage: ({ predictions }) => imageUsage(objectsIn(predictions).filter(hasBytes).length).usage,
  },
  error: withPolicy(geminiErrors),
};
