// The dialect of MiniMax's images: a failure has status 200, and a result stands in lists of addresses or bytes.
import type { GeneratedImage, ImageRequest, ImageResponse } from "../../canonical/image.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import type { Warnings } from "../shared/warnings.ts";
import { errorsWith } from "../vendor-errors.ts";
import { ratioNoted } from "./aspect-ratio.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { promptWithNegative } from "./field-support.ts";
import { pictureText } from "./input-images.ts";
import { fittedPixels, imageRow } from "./model-sizes.ts";
import { minimaxImageModels } from "./model-tables.ts";
import { flatImages } from "./simple-image-api.ts";
import { imageUsage } from "./usage.ts";

/** Pixels where they were requested of a model that takes them, else the nearest ratio. */
function shapeOf(request: ImageRequest, warnings: Warnings): JsonObject {
  const takesPixels = imageRow(minimaxImageModels, warnings).sides !== undefined && request.width !== undefined;
  const pixels = takesPixels ? fittedPixels(request, warnings, minimaxImageModels) : undefined;
  return pixels === undefined
    ? { aspect_ratio: ratioNoted(request, warnings, minimaxImageModels) }
    : { width: pixels.width, height: pixels.height };
}

/** https://platform.minimax.io/docs/api-reference/image-generation-t2i: an image is a person to be kept. */
export const minimaxImages = flatImages({
  name: "minimax-images",
  path: () => "image_generation",
  can: ["negativePrompt", "size", "seed", "extendPrompt", "watermark"],
  most: 9,
  edits: true,
  body: (request, warnings) => ({
    model: warnings.context.model,
    prompt: promptWithNegative(request, warnings),
    ...shapeOf(request, warnings),
    n: request.n,
    seed: request.seed,
    prompt_optimizer: request.extendPrompt,
    aigc_watermark: request.watermark,
    response_format: request.delivery === "base64" ? "base64" : "url",
    subject_reference:
      request.images.length === 0
        ? undefined
        : request.images.map((image) => ({ type: "character", image_file: pictureText(image) })),
  }),
  read: parseMinimax,
  error: withPolicy(errorsWith()),
});

/** https://platform.minimax.io/docs/api-reference/errorcode: a failure has status 200. */
const minimaxStatuses: { readonly [code: number]: number } = { 1002: 429, 1004: 401, 1008: 402, 2013: 400, 2049: 401 };

function refuseMinimax(base: JsonObject): void {
  const { status_code: code, status_msg: message } = base;
  if (typeof code !== "number" || code === 0) return;
  if (code === 1026 || code === 1027) throw contentRefused(String(message ?? ""));
  throw openaiErrors.parse(minimaxStatuses[code] ?? 500, { message: String(message ?? "") });
}

function parseMinimax(wire: unknown): ImageResponse {
  const body = isObject(wire) ? wire : {};
  refuseMinimax(isObject(body.base_resp) ? body.base_resp : {});
  const data = isObject(body.data) ? body.data : {};
  const texts = (list: JsonObject[string]): string[] =>
    Array.isArray(list) ? list.filter((item): item is string => typeof item === "string" && item !== "") : [];
  const images: GeneratedImage[] = [
    ...texts(data.image_urls).map((url): GeneratedImage => ({ source: { kind: "url", url } })),
    ...texts(data.image_base64).map((base64): GeneratedImage => ({ source: { kind: "base64", base64 } })),
  ];
  if (images.length === 0) throw invalidUpstreamResponse("the response has no image");
  return { operation: "image", model: "", images, ...imageUsage(images.length) };
}
