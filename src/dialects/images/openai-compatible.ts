// Variants of OpenAI's images API: Ark's Seedream, SiliconFlow, Zhipu and xAI.
import type { ImageRequest, ImageResponse, ImageSize, InputImage } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { dropped } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { lose, warnField } from "../shared/warnings.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { common, deliveryAt, type ImageSetting, noImages, promptAt, upstreamImages } from "./fields.ts";
import { pictureText, textsOnly } from "./input-images.ts";
import { fittedSize, imageRow, ratioNoted, sizeOrResolution } from "./model-sizes.ts";
import { arkModels, xaiModels, zhipuModels } from "./model-tables.ts";
import { imageUsage, parseReply } from "./response.ts";
import { pixelsOf, resolutionFor } from "./sizes.ts";

const errors = withPolicy(openaiErrors);
const generationsPath = "images/generations";
const frame = {
  path: () => generationsPath,
  members: ({ model }: { readonly model: string }) => ({ model }),
};

/** One image as text, several as a list. */
function oneOrMany(images: readonly InputImage[]): string | string[] | undefined {
  const texts = images.map(pictureText);
  return texts.length > 1 ? texts : texts[0];
}

/** https://www.volcengine.com/docs/82379/1541523: the watermark is on by default. */
export const arkImages = upstreamImages({
  ...frame,
  name: "ark-images",
  fields: {
    ...common,
    ...promptAt("prompt"),
    images: { path: "image", limit: textsOnly(), render: oneOrMany },
    size: { path: "size", render: (size, { warnings }) => sizeOrResolution(size, warnings, arkModels) },
    delivery: deliveryAt("response_format", "b64_json", "url"),
    fileFormat: { path: "output_format" },
    watermark: { path: "watermark", renderMembers: ({ request }) => ({ watermark: request.watermark ?? false }) },
    seed: { path: "seed" },
  },
  maxItems: 1,
  parse: parseArk,
  error: errors,
});

/** Failed items are in the same list. If all failed, the first one is the error. */
function parseArk(wire: unknown): ImageResponse {
  const body = isObject(wire) ? wire : {};
  const items = objectsIn(body.data);
  const [failed] = items.filter(({ error }) => isObject(error));
  if (failed !== undefined && items.every(({ error }) => isObject(error))) throw errors.parse(400, failed);
  const response = parseReply(wire);
  const made = isObject(body.usage) ? body.usage.generated_images : undefined;
  const { images, usage, size, quality } = response;
  const variant = { ...(size === undefined ? {} : { size }), ...(quality === undefined ? {} : { quality }) };
  return { ...response, ...imageUsage(typeof made === "number" ? made : images.length, usage, variant) };
}

/** Each of the first images has a member of its own; the others are left out. */
function siliconflowSources({ request: { images }, warnings }: ImageSetting): JsonObject {
  const [first, second, third, fourth] = images;
  if (fourth !== undefined) lose(warnings, dropped("the format has three images"), fourth.path);
  const textOf = (image: InputImage | undefined) => (image === undefined ? undefined : pictureText(image));
  return omitUndefined({ image: textOf(first), image2: textOf(second), image3: textOf(third) });
}

function sizeText(size: ImageSize): string | undefined {
  const pixels = pixelsOf(size);
  return pixels === null ? undefined : `${pixels.width}x${pixels.height}`;
}

/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
export const siliconflowImages = upstreamImages({
  ...frame,
  name: "siliconflow-images",
  fields: {
    ...common,
    prompt: { path: "prompt" },
    negativePrompt: { path: "negative_prompt" },
    images: { path: "image", limit: textsOnly(), renderMembers: siliconflowSources },
    size: { path: "image_size", render: sizeText },
    n: { path: "batch_size" },
    seed: { path: "seed" },
  },
  maxItems: 4,
  parse: (wire) => parseReply(isObject(wire) && wire.data === undefined ? { ...wire, data: wire.images } : wire),
  error: errors,
});

/** `standard` or `hd`, or the only one that the model supports. */
function zhipuQuality(quality: string, { warnings }: ImageSetting): string {
  const nearest = /^(?:hd|high|xhigh|max)$/.test(quality) ? "hd" : "standard";
  const only = imageRow(zhipuModels, warnings).onlyQuality ?? nearest;
  if (only !== nearest && quality !== "auto") warnField(warnings, "approximated", "quality");
  return only;
}

/** Content filter errors have a numeric code. */
function zhipuRefusal(body: unknown) {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return String(error.code) === "1301" ? contentRefused(String(error.message ?? "")) : null;
}

/** https://docs.bigmodel.cn/api-reference: one image per call. */
export const zhipuImages = upstreamImages({
  ...frame,
  name: "zhipu-images",
  fields: {
    ...common,
    ...promptAt("prompt"),
    images: noImages,
    size: { path: "size", render: (size, { warnings }) => fittedSize(size, warnings, zhipuModels) },
    quality: { path: "quality", render: zhipuQuality },
    watermark: { path: "watermark_enabled" },
    endUser: { path: "user_id" },
  },
  maxItems: 1,
  parse: parseReply,
  error: { ...errors, parse: (status, body, wait) => zhipuRefusal(body) ?? errors.parse(status, body, wait) },
});

/** A ratio, and `1k` or `2k` for models with several resolutions. */
function xaiSize({ request: { size }, warnings }: ImageSetting): JsonObject {
  if (size === undefined) return {};
  const resolution = resolutionFor(size);
  const hasResolution = resolution !== undefined && imageRow(xaiModels, warnings).resolutions?.includes(resolution);
  return omitUndefined({
    aspect_ratio: ratioNoted(size, warnings, xaiModels),
    resolution: hasResolution ? resolution.toLowerCase() : undefined,
  });
}

/** A single image has a member of its own, several are a list. */
function xaiSources({ request: { images } }: ImageSetting): JsonObject {
  const parts = images.map((image) => ({ type: "image_url", url: pictureText(image) }));
  const [only, ...others] = parts;
  if (only === undefined) return {};
  return others.length === 0 ? { image: only } : { images: parts };
}

/**
 * https://docs.x.ai/developers/model-capabilities/images/generation: edits have a path of their own and accept only
 * JSON.
 */
export const xaiImages = upstreamImages({
  ...frame,
  name: "xai-images",
  path: (_context, request: ImageRequest) => (request.images.length > 0 ? "images/edits" : generationsPath),
  fields: {
    ...common,
    ...promptAt("prompt"),
    images: { path: "image", limit: textsOnly(), renderMembers: xaiSources },
    n: { path: "n" },
    size: { path: "aspect_ratio", renderMembers: xaiSize },
    delivery: deliveryAt("response_format", "b64_json"),
    endUser: { path: "user" },
  },
  maxItems: 10,
  parse: parseReply,
  error: errors,
});
