// The schemas of OpenAI's image requests: strict in the fields that they name, open to those that they do not.
import { type TProperties, type TSchema, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const common: TProperties = {
  model: Type.String({ minLength: 1, description: "ID of the model to use." }),
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: "Description of the image." }),
  n: optional("integer", { minimum: 1, maximum: 10, default: 1, description: "Number of images to generate." }),
  size: optional("string", { maxLength: 32, description: "`auto`, or a width and height such as `1024x1024`." }),
  background: enumeration(["transparent", "opaque", "auto"], { description: "Background of the image." }),
  output_format: enumeration(["png", "jpeg", "webp", "gif", "svg"], { description: "File format of the output." }),
  output_compression: optional("integer", {
    minimum: 0,
    maximum: 100,
    description: "Compression level from 0 to 100, for JPEG and WebP.",
  }),
  response_format: enumeration(["url", "b64_json"], {
    description: "How the image is returned: as a URL or as Base64.",
  }),
  moderation: enumeration(["low", "auto"], { description: "Content moderation level." }),
  stream: optional("boolean", { description: "Whether to stream partial images as they are generated." }),
  partial_images: optional("integer", { minimum: 0, maximum: 3, description: "Number of partial images in a stream." }),
  user: optional("string", { description: "An identifier of the end user." }),
  negative_prompt: optional("string", {
    description: "Description of what the image must not contain, for models that support it.",
  }),
  prompt_extend: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
  watermark: optional("boolean", { description: "Whether to add a watermark to the image." }),
  aspect_ratio: optional("string", { maxLength: 16, description: "Aspect ratio, such as `16:9`, instead of a size." }),
  seed: optional("integer", { minimum: 0, maximum: 4_294_967_295, description: "Seed for reproducible images." }),
};

const quality = (more: readonly string[]): TSchema =>
  enumeration(["auto", "low", "medium", "high", "xhigh", "max", "standard", ...more], {
    description: "Quality of the image.",
  });

const reference = object({ image_url: optional("string"), file_id: optional("string") });
const image = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
    description: "Input images: URLs or data URIs.",
  }),
);

export const GenerationRequest: TSchema = Type.Object(
  {
    ...common,
    quality: quality(["hd"]),
    style: enumeration(["vivid", "natural"], { description: "Style of the image." }),
    image,
  },
  { additionalProperties: true },
);

export const EditRequest: TSchema = Type.Object(
  {
    ...common,
    quality: quality([]),
    input_fidelity: enumeration(["high", "low"], { description: "How closely the output matches the input image." }),
    image,
    images: optional("array", {
      items: reference,
      description: "Images to edit: `{image_url}` or `{file_id}`.",
    }),
    mask: optional("object", {
      properties: { image_url: optional("string"), file_id: optional("string") },
      description: "Mask whose transparent areas mark where to edit the first image.",
    }),
  },
  { additionalProperties: true },
);

/** `ImageCreateVariationParams` of the npm package openai 7.55.0, whose image is a file of the form. */
export const VariationRequest: TSchema = object({
  model: optional("string", { description: "ID of the model to use." }),
  n: common.n as TSchema,
  size: common.size as TSchema,
  response_format: common.response_format as TSchema,
  user: common.user as TSchema,
});
