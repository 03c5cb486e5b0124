// Google's `:predict` from a client: the request for images, and the reply with their bytes.
import { type TSchema, Type } from "typebox";
import type { GeneratedImage, ImageRequest, ImageResponse } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RequestMeta, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { modelFrom } from "../gemini/model-path.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";
import { readSize } from "./sizes.ts";

const instance = object({
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: "Description of the images." }),
});

/** As `generateImages` of the npm package @google/genai 3.1.0 writes it. */
export const PredictRequest: TSchema = object({
  instances: Type.Array(instance, { minItems: 1, maxItems: 1, description: "One prompt." }),
  parameters: optional("object", {
    properties: {
      sampleCount: optional("integer", { minimum: 1, maximum: 10, default: 1, description: "Number of images." }),
      aspectRatio: optional("string", { maxLength: 16, description: "Aspect ratio, such as `16:9`." }),
      sampleImageSize: optional("string", { maxLength: 16, description: "Resolution: `1K` or `2K`." }),
      negativePrompt: optional("string", { description: "Description of what the images must not contain." }),
      seed: optional("integer", { minimum: 0, maximum: 4_294_967_295 }),
      enhancePrompt: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
      addWatermark: optional("boolean"),
      outputOptions: optional("object", {
        properties: {
          mimeType: enumeration(["image/png", "image/jpeg", "image/webp"]),
          compressionQuality: optional("integer", { minimum: 0, maximum: 100 }),
        },
      }),
    },
  }),
});

const heldParameters = new Set([
  ...["sampleCount", "aspectRatio", "sampleImageSize", "negativePrompt", "seed", "enhancePrompt", "addWatermark"],
  "outputOptions",
]);

const inPrefix = (
  prefix: string,
  fields: JsonObject,
  isHeld: (name: string) => boolean,
  rule: UnmappedField["rule"],
): UnmappedField[] =>
  Object.keys(fields).flatMap((name) =>
    isHeld(name) || isAbsent(fields[name]) ? [] : [{ path: `${prefix}.${name}`, rule }],
  );

/** Images to edit and a bucket to write to change what the request means; other parameters are hints. */
function readExtras(subject: JsonObject, parameters: JsonObject): UnmappedField[] {
  const { storageUri, ...hints } = parameters;
  return [
    ...inPrefix("instances[0]", subject, (name) => name === "prompt", "reject"),
    ...inPrefix("parameters", { storageUri: storageUri ?? null }, () => false, "reject"),
    ...inPrefix("parameters", hints, (name) => heldParameters.has(name), "warn"),
  ];
}

const said = {
  n: "sampleCount",
  negativePrompt: "negativePrompt",
  seed: "seed",
  extendPrompt: "enhancePrompt",
  watermark: "addWatermark",
} as const;

function saidIn(parameters: JsonObject, output: JsonObject): ImageRequest["said"] {
  const plain = Object.entries(said).filter(([, name]) => !isAbsent(parameters[name]));
  const size = ["aspectRatio", "sampleImageSize"].find((name) => !isAbsent(parameters[name]));
  return {
    ...Object.fromEntries(plain.map(([field, name]) => [field, `parameters.${name}`])),
    ...(size === undefined ? {} : { size: `parameters.${size}` }),
    ...(isAbsent(output.mimeType) ? {} : { fileFormat: "parameters.outputOptions.mimeType" }),
    ...(isAbsent(output.compressionQuality) ? {} : { compression: "parameters.outputOptions.compressionQuality" }),
  };
}

function readShape({ aspectRatio, sampleImageSize }: JsonObject): Pick<ImageRequest, "ratio" | "resolution"> {
  const ratio = typeof aspectRatio === "string" ? readSize(aspectRatio, "parameters.aspectRatio").ratio : undefined;
  const resolution =
    typeof sampleImageSize === "string"
      ? readSize(sampleImageSize, "parameters.sampleImageSize").resolution
      : undefined;
  return { ...(ratio === undefined ? {} : { ratio }), ...(resolution === undefined ? {} : { resolution }) };
}

/** From a wire that has passed the schema. */
export function parsePredict(wire: JsonObject, { params }: RequestMeta): ImageRequest {
  const [first] = Array.isArray(wire.instances) ? wire.instances : [];
  const subject = isObject(first) ? first : {};
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  const output = isObject(parameters.outputOptions) ? parameters.outputOptions : {};
  const { enhancePrompt, addWatermark, outputOptions: _output } = parameters;
  const fileFormat = typeof output.mimeType === "string" ? output.mimeType.replace("image/", "") : undefined;
  return {
    operation: "image",
    task: "generate",
    model: modelFrom(params),
    stream: false,
    prompt: String(subject.prompt ?? ""),
    images: [],
    ...readShape(parameters),
    ...optionalNumber(parameters, "sampleCount", "n"),
    ...optionalText(parameters, "negativePrompt", "negativePrompt"),
    ...optionalNumber(parameters, "seed", "seed"),
    ...(typeof enhancePrompt === "boolean" ? { extendPrompt: enhancePrompt } : {}),
    ...(typeof addWatermark === "boolean" ? { watermark: addWatermark } : {}),
    ...(fileFormat === undefined ? {} : { fileFormat }),
    ...optionalNumber(output, "compressionQuality", "compression"),
    delivery: "base64",
    said: saidIn(parameters, output),
    unmappedFields: readExtras(subject, parameters),
  };
}

/** The wire as several that ask for at most so many images each. */
export function dividedPredict(wire: JsonObject, most: number): JsonObject[] {
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  const wanted = typeof parameters.sampleCount === "number" ? parameters.sampleCount : 1;
  const calls = Math.max(1, Math.ceil(wanted / most));
  return Array.from({ length: calls }, (_, call) => ({
    ...wire,
    parameters: { ...parameters, sampleCount: Math.min(most, wanted - call * most) },
  }));
}

function prediction({ source, mediaType, revisedPrompt }: GeneratedImage): JsonObject {
  if (source.kind === "url")
    throw invalidUpstreamResponse("an image was returned as a URL, but its bytes are required");
  const { base64 } = source;
  const mimeType = bytesOf(base64.slice(0, 64), mediaType ?? "image/png").mediaType;
  return omitUndefined({ mimeType, bytesBase64Encoded: base64, prompt: revisedPrompt });
}

export function renderPredictions({ images }: ImageResponse, _context: WriteContext): JsonObject {
  return { predictions: images.map(prediction) };
}
