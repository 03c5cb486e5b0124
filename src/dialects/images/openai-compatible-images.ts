// Servers whose images are OpenAI's with habits of their own: Ark's Seedream, SiliconFlow, Zhipu and xAI.
import type { ImageAnswer, ImageAsk } from "../../canonical/image.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import type { Notes } from "../shared/warnings.ts";
import { ratioNoted } from "./aspect-ratio.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { noteSaid, promptWithNegative } from "./field-support.ts";
import { pictureText } from "./input-images.ts";
import { fittedPixels, imageRow, sizeOrResolution } from "./model-sizes.ts";
import { arkModels, xaiModels, zhipuModels } from "./model-tables.ts";
import { parseReply } from "./response.ts";
import { flatImages } from "./simple-image-api.ts";
import { pixelsOf, resolutionFor } from "./sizes.ts";
import { imageUsage } from "./usage.ts";

const errors = withPolicy(openaiErrors);

const sizeText = (ask: ImageAsk): string | undefined => {
  const pixels = pixelsOf(ask);
  return pixels === null ? undefined : `${pixels.width}x${pixels.height}`;
};

/** One image as text, several as a list. */
function imageList({ images }: ImageAsk): string | string[] | undefined {
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
  body: (ask, notes) => ({
    model: notes.context.model,
    prompt: promptWithNegative(ask, notes),
    image: imageList(ask),
    size: sizeOrResolution(ask, notes, arkModels),
    response_format: ask.delivery === "base64" ? "b64_json" : "url",
    output_format: ask.fileFormat,
    watermark: ask.watermark ?? false,
    seed: ask.seed,
  }),
  read: parseArk,
  error: errors,
});

/** Items that failed stand among the others; when all did, the first says why. */
function parseArk(wire: unknown): ImageAnswer {
  const body = isObject(wire) ? wire : {};
  const items = objectsIn(body.data);
  const [failed] = items.filter(({ error }) => isObject(error));
  if (failed !== undefined && items.every(({ error }) => isObject(error))) throw errors.parse(400, failed);
  const answer = parseReply(wire);
  const made = isObject(body.usage) ? body.usage.generated_images : undefined;
  return { ...answer, ...imageUsage(typeof made === "number" ? made : answer.images.length, answer.usage) };
}

/** https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
export const siliconflowImages = flatImages({
  name: "siliconflow-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size", "seed"],
  most: 4,
  edits: true,
  body: (ask, { context }) => ({
    model: context.model,
    prompt: ask.prompt,
    negative_prompt: ask.negativePrompt,
    image: ask.images[0] === undefined ? undefined : pictureText(ask.images[0]),
    image2: ask.images[1] === undefined ? undefined : pictureText(ask.images[1]),
    image3: ask.images[2] === undefined ? undefined : pictureText(ask.images[2]),
    image_size: sizeText(ask),
    batch_size: ask.n,
    seed: ask.seed,
  }),
  read: (wire) => parseReply(isObject(wire) && wire.data === undefined ? { ...wire, data: wire.images } : wire),
  error: errors,
});

function zhipuQuality(ask: ImageAsk, notes: Notes): string | undefined {
  if (ask.quality === undefined) return undefined;
  const asked = /^(?:hd|high|xhigh|max)$/.test(ask.quality) ? "hd" : "standard";
  const only = imageRow(zhipuModels, notes).onlyQuality ?? asked;
  if (only !== asked && ask.quality !== "auto") noteSaid(ask, notes, "approximated", "quality");
  return only;
}

function zhipuSize(ask: ImageAsk, notes: Notes): string | undefined {
  const fitted = fittedPixels(ask, notes, zhipuModels);
  return fitted === undefined ? undefined : `${fitted.width}x${fitted.height}`;
}

/** https://docs.bigmodel.cn/api-reference: `standard` or `hd`, and one image a call. */
export const zhipuImages = flatImages({
  name: "zhipu-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size", "quality", "watermark"],
  most: 1,
  edits: false,
  body: (ask, notes) => ({
    model: notes.context.model,
    prompt: promptWithNegative(ask, notes),
    size: zhipuSize(ask, notes),
    quality: zhipuQuality(ask, notes),
    watermark_enabled: ask.watermark,
    user_id: ask.endUser,
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
function xaiResolution(ask: ImageAsk, notes: Notes): string | undefined {
  const wanted = resolutionFor(ask);
  const { resolutions } = imageRow(xaiModels, notes);
  return wanted !== undefined && resolutions?.includes(wanted) ? wanted.toLowerCase() : undefined;
}

/** One image in a member of its own, several in a list. */
function xaiSources({ images }: ImageAsk): JsonObject {
  const parts = images.map((image) => ({ type: "image_url", url: pictureText(image) }));
  const [only, ...others] = parts;
  if (only === undefined) return {};
  return others.length === 0 ? { image: only } : { images: parts };
}

/** https://docs.x.ai/developers/model-capabilities/images/generation: edits have a path of their own, and take JSON only. */
export const xaiImages = flatImages({
  name: "xai-images",
  path: (_model, ask) => (ask.images.length > 0 ? "images/edits" : "images/generations"),
  can: ["negativePrompt", "size"],
  most: 10,
  edits: true,
  body: (ask, notes) => ({
    model: notes.context.model,
    prompt: promptWithNegative(ask, notes),
    ...xaiSources(ask),
    n: ask.n,
    aspect_ratio: ratioNoted(ask, notes, xaiModels),
    resolution: xaiResolution(ask, notes),
    response_format: ask.delivery === "base64" ? "b64_json" : undefined,
    user: ask.endUser,
  }),
  read: parseReply,
  error: errors,
});
