// The fields of OpenAI's image requests: from clients, as JSON or as a form, and for upstreams.
import { type TSchema, Type } from "typebox";
import type { ImageRequest, ImageSize, InputImage } from "../../canonical/image.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RequestMeta } from "../dialect.ts";
import { missing } from "../errors.ts";
import { ignored, type Reading, type WireMembers } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { filesNamed } from "../shared/form-values.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { elsewhere, type ImageSetting, type ImageTable, imageRequest, notSent, text, wholePrompt } from "./fields.ts";
import { bytesOrFiles, checkImages, pictureOfFile, pictureOfText } from "./input-images.ts";
import { fittedSize } from "./model-sizes.ts";
import { openaiImageModels } from "./model-tables.ts";
import { pixelsOf, sizeFrom } from "./sizes.ts";

type Task = ImageRequest["task"];

/** These models always return bytes, and their clients rely on it. */
export const answersBytes = /^(?:chatgpt|gpt)-image(?:-|$)/;

function readReference(reference: Json, path: string): InputImage {
  if (typeof reference === "string") return pictureOfText(reference, path);
  const { image_url: url, file_id: id } = isObject(reference) ? reference : {};
  if (typeof url === "string" && url !== "") return pictureOfText(url, `${path}.image_url`);
  if (typeof id === "string" && id !== "") return { source: { kind: "file", id }, path: `${path}.file_id` };
  throw missing(`${path}.image_url`);
}

function readList(value: Json | undefined, path: string): InputImage[] {
  if (typeof value === "string") return value === "" ? [] : [readReference(value, path)];
  return Array.isArray(value) ? value.map((item, index) => readReference(item, `${path}[${index}]`)) : [];
}

/** Files other than images and masks are not read. */
function readFiles({ files, unmapped }: Reading): InputImage[] {
  const images = filesNamed(files, "image");
  const read = [...images, ...filesNamed(files, "mask")];
  const others = new Set(files.filter((file) => !read.includes(file)).map(({ field }) => field));
  unmapped.push(...[...others].map((path) => ({ path, rule: "warn" }) as const));
  return images.map((file) => pictureOfFile(file, file.field));
}

/** Images from every place that clients use, in order. Images make every request an edit. */
function readImages(reading: Reading, task: Task): Pick<ImageRequest, "images" | "task"> {
  const { image, images: list } = reading.wire;
  const given = [...readFiles(reading), ...readList(image, "image"), ...readList(list, "images")];
  const images = checkImages(given, list === undefined ? "image" : "images");
  if (task === "edit" && images.length === 0) throw missing("image");
  return { images, task: images.length > 0 ? "edit" : "generate" };
}

function readMask({ wire, files }: Reading): { readonly mask?: InputImage } {
  const [file] = filesNamed(files, "mask");
  if (file !== undefined) return { mask: pictureOfFile(file, "mask") };
  return isObject(wire.mask) ? { mask: readReference(wire.mask, "mask") } : {};
}

/** Streams contain only bytes, and so do replies of models named like those that always return bytes. */
function readDelivery({ wire }: Reading): { readonly delivery?: "url" | "base64" } {
  if (wire.stream === true || answersBytes.test(String(wire.model)) || wire.response_format === "b64_json")
    return { delivery: "base64" };
  return wire.response_format === "url" ? { delivery: "url" } : {};
}

/** Compatible servers generate any size, so a model without a row gives no warning. */
function renderSize(size: ImageSize, { warnings }: ImageSetting): string | undefined {
  const { isListed } = lookUpModel(openaiImageModels, warnings.context);
  const fitted = isListed ? fittedSize(size, warnings, openaiImageModels) : undefined;
  const wanted = pixelsOf(size);
  return fitted ?? (wanted === null ? undefined : `${wanted.width}x${wanted.height}`);
}

const quality = (...more: readonly string[]): TSchema =>
  enumeration(["auto", "low", "medium", "high", "xhigh", "max", "standard", ...more], {
    description: "Quality of the image.",
  });

const reference = { image_url: optional("string"), file_id: optional("string") };

interface PathSchemas {
  readonly quality: TSchema;
  readonly style?: TSchema;
  readonly inputFidelity?: TSchema;
  readonly images?: TSchema;
  readonly mask?: TSchema;
}

/** The schemas of one path. Members with a schema on only one path are parsed on the other as well. */
const schemas: { readonly [task in Task]: PathSchemas } = {
  generate: {
    quality: quality("hd"),
    style: enumeration(["vivid", "natural"], { description: "Style of the image." }),
  },
  edit: {
    quality: quality(),
    inputFidelity: enumeration(["high", "low"], { description: "How closely the output matches the input image." }),
    images: optional("array", {
      items: object(reference),
      description: "Images to edit: `{image_url}` or `{file_id}`.",
    }),
    mask: optional("object", {
      properties: reference,
      description: "Mask whose transparent areas mark where to edit the first image.",
    }),
  },
};

/** A text member, with or without a schema. */
const word = (path: string, schema?: TSchema) => ({ path, parse: text, ...(schema ? { schema } : { also: {} }) });
const flag = (path: string, description: string) => ({ path, schema: optional("boolean", { description }) });

/** The rows shared by both paths. */
const rows = {
  prompt: {
    path: "prompt",
    schema: Type.String({ minLength: 1, maxLength: 32_000, description: "Description of the image." }),
  },
  task: ignored("a request with images is an edit"),
  n: {
    path: "n",
    schema: optional("integer", { minimum: 1, maximum: 10, default: 1, description: "Number of images to generate." }),
  },
  size: {
    path: "size",
    schema: optional("string", { maxLength: 32, description: "`auto`, or a width and height such as `1024x1024`." }),
    also: {
      aspect_ratio: optional("string", {
        maxLength: 16,
        description: "Aspect ratio, such as `16:9`, instead of a size.",
      }),
    },
    parseMembers: ({ wire }) => sizeFrom(["aspect_ratio", wire.aspect_ratio], ["size", wire.size]),
    render: renderSize,
  },
  background: word(
    "background",
    enumeration(["transparent", "opaque", "auto"], { description: "Background of the image." }),
  ),
  fileFormat: word(
    "output_format",
    enumeration(["png", "jpeg", "webp", "gif", "svg"], { description: "File format of the output." }),
  ),
  compression: {
    path: "output_compression",
    schema: optional("integer", {
      minimum: 0,
      maximum: 100,
      description: "Compression level from 0 to 100, for JPEG and WebP.",
    }),
  },
  delivery: {
    path: "response_format",
    schema: enumeration(["url", "b64_json"], { description: "How the image is returned: as a URL or as Base64." }),
    parseMembers: readDelivery,
    render: (delivery: string, { warnings }: ImageSetting) =>
      delivery === "base64" && !answersBytes.test(warnings.context.model) ? "b64_json" : undefined,
  },
  moderation: word("moderation", enumeration(["low", "auto"], { description: "Content moderation level." })),
  partialImages: {
    path: "partial_images",
    schema: optional("integer", { minimum: 0, maximum: 3, description: "Number of partial images in a stream." }),
    ...notSent,
  },
  endUser: word("user", optional("string", { description: "An identifier of the end user." })),
  extendPrompt: { ...flag("prompt_extend", "Whether the provider may rewrite the prompt."), ...notSent },
  watermark: { ...flag("watermark", "Whether to add a watermark to the image."), ...notSent },
  seed: {
    path: "seed",
    schema: optional("integer", { minimum: 0, maximum: 4_294_967_295, description: "Seed for reproducible images." }),
    ...notSent,
  },
  negativePrompt: {
    ...word(
      "negative_prompt",
      optional("string", {
        description: "Description of what the image must not contain, for models that support it.",
      }),
    ),
    renderMembers: (setting) => (setting.request.negativePrompt === undefined ? {} : { prompt: wholePrompt(setting) }),
  },
} satisfies Partial<ImageTable>;

/** The rows of `images/generations` or of `images/edits`. */
export const openaiFields = (task: Task): ImageTable => ({
  ...rows,
  images: {
    path: "image",
    schema: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
        description: "Input images: URLs or data URIs.",
      }),
    ),
    parseMembers: (reading) => readImages(reading, task),
    limit: bytesOrFiles(),
    ...elsewhere,
  },
  mask: {
    path: "mask",
    schema: schemas[task].mask,
    parseMembers: readMask,
    limit: bytesOrFiles(),
    ...elsewhere,
  },
  quality: word("quality", schemas[task].quality),
  style: word("style", schemas[task].style),
  inputFidelity: word("input_fidelity", schemas[task].inputFidelity),
});

const membersOf = (task: Task): WireMembers => ({
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
  stream: {
    schema: optional("boolean", { description: "Whether to stream partial images as they are generated." }),
    lost: null,
  },
  images: { schema: schemas[task].images, lost: null },
  safety_identifier: { lost: "ignore" },
});

/** The client half of a path, for a wire that has passed the schema. */
export function openaiClient(task: Task) {
  const [fields, members] = [openaiFields(task), membersOf(task)];
  const readFields = fieldReader(fields, members);
  return {
    schema: requestSchema(fields, members),
    parse: (wire: JsonObject, { files }: RequestMeta): ImageRequest =>
      imageRequest(wire.model as string, wire.stream === true, readFields(wire, files)),
  };
}

const { n, size, delivery, endUser } = rows;

/** `ImageCreateVariationParams` of the npm package openai 7.55.0; the image is a file of the form. */
export const VariationRequest: TSchema = requestSchema(
  { n, size: { ...size, also: {} }, delivery, endUser },
  { model: { schema: optional("string", { description: "ID of the model to use." }) } },
);
