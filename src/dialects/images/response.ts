// OpenAI's image replies and their usage, also for compatible upstreams, to and from the canonical model.
import type { GeneratedImage, ImageResponse } from "../../canonical/image.ts";
import {
  areCounts,
  type BilledUnits,
  rareBuckets,
  splitTokens,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
  zeroUsage,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";

/** What the price of an image depends on, as far as the reply contains it. */
type ImageVariant = Pick<BilledUnits, "size" | "quality">;

/** The images to bill, in addition to tokens if there are any. */
export function imageUsage(
  amount: number,
  tokens: Usage = zeroUsage,
  variant: ImageVariant = {},
): { readonly usage: Usage } {
  return { usage: { ...tokens, units: [{ kind: "images", amount, ...variant }] } };
}

const detailsOf = (details: Json | undefined): JsonObject => (isObject(details) ? details : {});

/** `usage` of an OpenAI-shaped reply with so many images. */
export function readUsage(wire: Json | undefined, images: number, variant?: ImageVariant): { readonly usage: Usage } {
  if (!isObject(wire) || !areCounts(wire.input_tokens, wire.output_tokens))
    return imageUsage(images, zeroUsage, variant);
  const [inputDetails, outputDetails] = [detailsOf(wire.input_tokens_details), detailsOf(wire.output_tokens_details)];
  const outputTokens = tokenCount(wire.output_tokens);
  const total = tokenCount(wire.input_tokens);
  const cacheReadTokens = Math.min(tokenCount(inputDetails.cached_tokens), total);
  const input = splitTokens(total - cacheReadTokens, 0, inputDetails.image_tokens);
  const output = splitTokens(outputTokens, 0, outputDetails.image_tokens);
  const tokens = {
    ...zeroUsage,
    inputTokens: input.text,
    cacheReadTokens,
    outputTokens: output.text,
    ...rareBuckets({ imageInputTokens: input.image, imageOutputTokens: output.image }),
  };
  return imageUsage(images, tokens, variant);
}

/** `usage` for a client; undefined without token counts. */
export function writeUsage({ usage }: Pick<ImageResponse, "usage">): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const [inputTokens, outputTokens] = [totalInput(usage), totalOutput(usage)];
  if (inputTokens + outputTokens === 0) return undefined;
  return omitUndefined({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: {
      text_tokens: inputTokens - (usage.imageInputTokens ?? 0),
      image_tokens: usage.imageInputTokens ?? 0,
    },
  });
}

/** The image of an item; none for a failed one. */
function readItem(item: JsonObject, mediaType?: string): GeneratedImage[] {
  const revised = optionalText(item, "revised_prompt", "revisedPrompt");
  const { b64_json: base64, url } = item;
  const typed = mediaType === undefined ? {} : { mediaType };
  if (typeof base64 === "string" && base64 !== "")
    return [{ source: { kind: "base64", base64 }, ...typed, ...revised }];
  if (typeof url !== "string" || url === "") return [];
  const bytes = /^data:[^,]*,(.+)$/is.exec(url)?.[1];
  if (bytes !== undefined) return [{ source: { kind: "base64", base64: bytes }, ...typed, ...revised }];
  return [{ source: { kind: "url", url }, ...typed, ...revised }];
}

const typeOfFormat = (format: Json | undefined): string | undefined =>
  typeof format === "string" && format !== "" ? `image/${format === "svg" ? "svg+xml" : format}` : undefined;

/** Throws `upstream_protocol_error` for a reply without an image. */
export function parseReply(wire: unknown): ImageResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  const images = objectsIn(wire.data).flatMap((item) => readItem(item, typeOfFormat(wire.output_format)));
  if (images.length === 0) throw invalidUpstreamResponse("the response has no image");
  return {
    operation: "image",
    model: typeof wire.model === "string" ? wire.model : "",
    ...optionalNumber(wire, "created", "createdAt"),
    images,
    ...optionalText(wire, "size", "size"),
    ...optionalText(wire, "quality", "quality"),
    ...optionalText(wire, "background", "background"),
    ...optionalText(wire, "output_format", "fileFormat"),
    ...readUsage(wire.usage, images.length, {
      ...optionalText(wire, "size", "size"),
      ...optionalText(wire, "quality", "quality"),
    }),
  };
}

const writeItem = ({ source, revisedPrompt }: GeneratedImage): JsonObject =>
  omitUndefined({
    ...(source.kind === "url" ? { url: source.url } : { b64_json: source.base64 }),
    revised_prompt: revisedPrompt,
  });

/** The file format: as the provider reports it, otherwise by the bytes. */
export function formatOf({ images: [first], fileFormat }: ImageResponse): string | undefined {
  if (fileFormat !== undefined || first === undefined) return fileFormat;
  const { mediaType, source } = first;
  const shown = source.kind === "base64" ? bytesOf(source.base64.slice(0, 64), mediaType ?? "").mediaType : mediaType;
  return shown?.startsWith("image/") ? shown.slice("image/".length).replace("svg+xml", "svg") : undefined;
}

export function renderReply(response: ImageResponse, { createdAt }: WriteContext): JsonObject {
  return omitUndefined({
    created: response.createdAt ?? createdAt,
    data: response.images.map(writeItem),
    size: response.size,
    quality: response.quality,
    background: response.background,
    output_format: formatOf(response),
    usage: writeUsage(response),
  });
}
