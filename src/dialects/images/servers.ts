// Servers whose images are OpenAI's with habits of their own: Ark's Seedream, SiliconFlow, Zhipu and xAI.
import type { ImageAnswer, ImageAsk } from "../../canon/image.ts";
import { isObject } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { objectsIn } from "../shared/members.ts";
import type { Notes } from "../shared/notes.ts";
import { noteSaid, promptWithNegative } from "./fields.ts";
import { flatImages } from "./flat.ts";
import { contentRefused, withPolicy } from "./policy.ts";
import { ratioNoted } from "./ratio.ts";
import { parseReply } from "./reply.ts";
import { nearestPixels, pixelsOf, sizesOf } from "./sizes.ts";
import { pictureText } from "./sources.ts";
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
    size: ask.width === undefined && ask.ratio === undefined ? ask.resolution : sizeText(ask),
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

const zhipuSizes = sizesOf("1024x1024", "768x1344", "864x1152", "1344x768", "1152x864", "1440x720", "720x1440");

function zhipuSize(ask: ImageAsk, notes: Notes): string | undefined {
  const wanted = pixelsOf(ask);
  if (wanted === null) return undefined;
  const { width, height } = nearestPixels(wanted, zhipuSizes);
  if (width !== wanted.width || height !== wanted.height) noteSaid(ask, notes, "approximated", "size");
  return `${width}x${height}`;
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
    quality: ask.quality === undefined ? undefined : /^(?:hd|high|xhigh|max)$/.test(ask.quality) ? "hd" : "standard",
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

const xaiRatios = ["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "1:2", "2:1"] as const;

/** https://docs.x.ai/docs/guides/image-generations */
export const xaiImages = flatImages({
  name: "xai-images",
  path: () => "images/generations",
  can: ["negativePrompt", "size"],
  most: 10,
  edits: false,
  body: (ask, notes) => ({
    model: notes.context.model,
    prompt: promptWithNegative(ask, notes),
    n: ask.n,
    aspect_ratio: ratioNoted(ask, notes, xaiRatios),
    response_format: ask.delivery === "base64" ? "b64_json" : undefined,
    user: ask.endUser,
  }),
  read: parseReply,
  error: errors,
});
