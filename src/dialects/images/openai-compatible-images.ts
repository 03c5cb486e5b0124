// Servers whose images are OpenAI's with habits of their own: Ark's Seedream, SiliconFlow, Zhipu and xAI.
import type { ImageRequest, ImageResponse } from "../../canonical/image.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import type { Warnings } from "../shared/warnings.ts";
import { ratioNoted } from "./aspect-ratio.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { promptWithNegative, warnIfSet } from "./field-support.ts";
import { pictureText } from "./input-images.ts";
import { fittedPixels, imageRow, sizeOrResolution } from "./model-sizes.ts";
import { arkModels, xaiModels, zhipuModels } from "./model-tables.ts";
import { parseReply } from "./response.ts";
import { flatImages } from "./simple-image-api.ts";
import { pixelsOf, resolutionFor } from "./sizes.ts";
import { imageUsage } from "./usage.ts";

const errors = withPolicy(openaiErrors);

const sizeText = (request: ImageRequest): string | undefined => {
  const pixels = pixelsOf(request);
  return pixels === null ? undefined : `${pixels.width}x${pixels.height}`;
};

/** One image as text, several as a list. */
function imageList({ images }: ImageRequest): string | string[] | undefined {
  const texts = images.map((image) => pictureText(image));
  return texts.length > 1 ? texts : texts[0];
}

/** https://www.volcengine.com/docs/82379/1541523: the watermark is on unless it is refused. */
export const arkImages = flatImages({
  name: "ark-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size", "watermark", "seed", "fileFormat"],
  most: 1,
  edits: true,
  body: (request, warnings) => ({
    model: warnings.context.model,
    prompt: promptWithNegative(request, warnings),
    image: imageList(request),
    size: sizeOrResolution(request, warnings, arkModels),
    response_format: request.delivery === "base64" ? "b64_json" : "url",
    output_format: request.fileFormat,
    watermark: request.watermark ?? false,
    seed: request.seed,
  }),
  read: parseArk,
  error: errors,
});

/** Items that failed stand among the others; when all did, the first says why. */
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

/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
export const siliconflowImages = flatImages({
  name: "siliconflow-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size", "seed"],
  most: 4,
  edits: true,
  body: (request, { context }) => ({
    model: context.model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    image: request.images[0] === undefined ? undefined : pictureText(request.images[0]),
    image2: request.images[1] === undefined ? undefined : pictureText(request.images[1]),
    image3: request.images[2] === undefined ? undefined : pictureText(request.images[2]),
    image_size: sizeText(request),
    batch_size: request.n,
    seed: request.seed,
  }),
  read: (wire) => parseReply(isObject(wire) && wire.data === undefined ? { ...wire, data: wire.images } : wire),
  error: errors,
});

function zhipuQuality(request: ImageRequest, warnings: Warnings): string | undefined {
  if (request.quality === undefined) return undefined;
  const asked = /^(?:hd|high|xhigh|max)$/.test(request.quality) ? "hd" : "standard";
  const only = imageRow(zhipuModels, warnings).onlyQuality ?? asked;
  if (only !== asked && request.quality !== "auto") warnIfSet(request, warnings, "approximated", "quality");
  return only;
}

function zhipuSize(request: ImageRequest, warnings: Warnings): string | undefined {
  const fitted = fittedPixels(request, warnings, zhipuModels);
  return fitted === undefined ? undefined : `${fitted.width}x${fitted.height}`;
}

/** https://docs.bigmodel.cn/api-reference: `standard` or `hd`, and one image a call. */
export const zhipuImages = flatImages({
  name: "zhipu-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size", "quality", "watermark"],
  most: 1,
  edits: false,
  body: (request, warnings) => ({
    model: warnings.context.model,
    prompt: promptWithNegative(request, warnings),
    size: zhipuSize(request, warnings),
    quality: zhipuQuality(request, warnings),
    watermark_enabled: request.watermark,
    user_id: request.endUser,
  }),
  read: parseReply,
  // Content that was refused has a number for a code.
  error: { ...errors, parse: (status, body, wait) => zhipuRefusal(body) ?? errors.parse(status, body, wait) },
});

function zhipuRefusal(body: unknown) {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return String(error.code) === "1301" ? contentRefused(String(error.message ?? "")) : null;
}

/** `1k` or `2k`, of models that make more than one. */
function xaiResolution(request: ImageRequest, warnings: Warnings): string | undefined {
  const wanted = resolutionFor(request);
  const { resolutions } = imageRow(xaiModels, warnings);
  return wanted !== undefined && resolutions?.includes(wanted) ? wanted.toLowerCase() : undefined;
}

/** One image in a member of its own, several in a list. */
function xaiSources({ images }: ImageRequest): JsonObject {
  const parts = images.map((image) => ({ type: "image_url", url: pictureText(image) }));
  const [only, ...others] = parts;
  if (only === undefined) return {};
  return others.length === 0 ? { image: only } : { images: parts };
}

/** https://docs.x.ai/developers/model-capabilities/images/generation: edits have a path of their own, and take JSON only. */
export const xaiImages = flatImages({
  name: "xai-images",
  path: (_model, request) => (request.images.length > 0 ? "images/edits" : "images/generations"),
  can: ["negativePrompt", "size"],
  most: 10,
  edits: true,
  body: (request, warnings) => ({
    model: warnings.context.model,
    prompt: promptWithNegative(request, warnings),
    ...xaiSources(request),
    n: request.n,
    aspect_ratio: ratioNoted(request, warnings, xaiModels),
    resolution: xaiResolution(request, warnings),
    response_format: request.delivery === "base64" ? "b64_json" : undefined,
    user: request.endUser,
  }),
  read: parseReply,
  error: errors,
});
