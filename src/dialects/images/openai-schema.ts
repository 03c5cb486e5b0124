// The schemas of OpenAI's image requests: strict in the fields that they name, open to those that they do not.
import { type TProperties, type TSchema, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const common: TProperties = {
  model: Type.String({ minLength: 1, description: "Model id." }),
  prompt: Type.String({ minLength: 1, maxLength: 32_000, description: "What is to be seen." }),
  n: optional("integer", { minimum: 1, maximum: 10, default: 1, description: "How many images." }),
  size: optional("string", { maxLength: 32, description: "`auto`, or width and height as in `1024x1024`." }),
  background: enumeration(["transparent", "opaque", "auto"], { description: "Background of the image." }),
  output_format: enumeration(["png", "jpeg", "webp", "gif", "svg"], { description: "Kind of file." }),
  output_compression: optional("integer", { minimum: 0, maximum: 100, description: "For jpeg and webp." }),
  response_format: enumeration(["url", "b64_json"], { description: "How the image comes." }),
  moderation: enumeration(["low", "auto"], { description: "How strictly content is judged." }),
  stream: optional("boolean", { description: "Events as the image becomes clearer." }),
  partial_images: optional("integer", { minimum: 0, maximum: 3, description: "Unfinished images in a stream." }),
  user: optional("string", { description: "End user id." }),
  negative_prompt: optional("string", { description: "What is not to be seen, where a model takes it." }),
  prompt_extend: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
  watermark: optional("boolean", { description: "Whether the image shows who made it." }),
  aspect_ratio: optional("string", { maxLength: 16, description: "As in `16:9`, in place of a size." }),
  seed: optional("integer", { minimum: 0, maximum: 4_294_967_295, description: "The same image again." }),
};

const quality = (more: readonly string[]): TSchema =>
  enumeration(["auto", "low", "medium", "high", "xhigh", "max", "standard", ...more], {
    description: "How much work goes into it.",
  });

const reference = object({ image_url: optional("string"), file_id: optional("string") });
const image = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
    description: "Images to start from: addresses or data URIs.",
  }),
);

export const GenerationRequest: TSchema = Type.Object(
  {
    ...common,
    quality: quality(["hd"]),
    style: enumeration(["vivid", "natural"], { description: "Look of the image." }),
    image,
  },
  { additionalProperties: true },
);

export const EditRequest: TSchema = Type.Object(
  {
    ...common,
    quality: quality([]),
    input_fidelity: enumeration(["high", "low"], { description: "How closely the input is kept." }),
    image,
    images: optional("array", {
      items: reference,
      description: "Images to change: `{image_url}` or `{file_id}`.",
    }),
    mask: optional("object", {
      properties: { image_url: optional("string"), file_id: optional("string") },
      description: "Transparent where the first image may change.",
    }),
  },
  { additionalProperties: true },
);

/** `ImageCreateVariationParams` of the npm package openai 7.55.0, whose image is a file of the form. */
export const VariationRequest: TSchema = object({
  model: optional("string", { description: "Model id." }),
  n: common.n as TSchema,
  size: common.size as TSchema,
  response_format: common.response_format as TSchema,
  user: common.user as TSchema,
});
