// The dialect of MiniMax's images: failures have status 200, and results are lists of URLs or bytes.
import type { GeneratedImage, ImageResponse } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { errorsWith } from "../vendor-errors.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { common, deliveryAt, type ImageSetting, promptAt, upstreamImages } from "./fields.ts";
import { pictureText, textsOnly } from "./input-images.ts";
import { fittedPixels, imageRow, ratioNoted } from "./model-sizes.ts";
import { minimaxImageModels } from "./model-tables.ts";
import { imageUsage } from "./response.ts";

/** The requested pixels if the model supports them, otherwise the nearest aspect ratio. */
function renderSize({ request: { size }, warnings }: ImageSetting): JsonObject {
  if (size === undefined) return {};
  const takesPixels = imageRow(minimaxImageModels, warnings).sides !== undefined && size.width !== undefined;
  const pixels = takesPixels ? fittedPixels(size, warnings, minimaxImageModels) : undefined;
  return pixels === undefined
    ? omitUndefined({ aspect_ratio: ratioNoted(size, warnings, minimaxImageModels) })
    : { width: pixels.width, height: pixels.height };
}

/** https://platform.minimax.io/docs/api-reference/image-generation-t2i: an input image shows the person to depict. */
export const minimaxImages = upstreamImages({
  name: "minimax-images",
  path: () => "image_generation",
  members: ({ model }) => ({ model }),
  fields: {
    ...common,
    ...promptAt("prompt"),
    images: {
      path: "subject_reference",
      limit: textsOnly(),
      render: (images) => images.map((image) => ({ type: "character", image_file: pictureText(image) })),
    },
    size: { path: "aspect_ratio", renderMembers: renderSize },
    n: { path: "n" },
    seed: { path: "seed" },
    extendPrompt: { path: "prompt_optimizer" },
    watermark: { path: "aigc_watermark" },
    delivery: deliveryAt("response_format", "base64", "url"),
  },
  maxItems: 9,
  parse: parseMinimax,
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
