// OpenAI's reply with images, which is also the one that the specification shows: from upstreams, and for clients.
import type { GeneratedImage, ImageResponse } from "../../canonical/image.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";
import { readUsage, writeUsage } from "./usage.ts";

/** The image of an item; none for one that failed. */
export function readItem(item: JsonObject, mediaType?: string): GeneratedImage[] {
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

/** What kind of file the image is: as told, else as its bytes show. */
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
