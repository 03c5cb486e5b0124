// OpenAI's reply with images, which is also the one that the specification shows: from upstreams, and for clients.
import type { ImageAnswer, MadeImage } from "../../canonical/image.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";
import { bytesOf } from "../shared/media.ts";
import { readUsage, writeUsage } from "./usage.ts";

/** The image of an item; none for one that failed. */
export function readItem(item: JsonObject, mediaType?: string): MadeImage[] {
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
export function parseReply(wire: unknown): ImageAnswer {
  if (!isObject(wire)) throw badReply("it is not a JSON object");
  const images = objectsIn(wire.data).flatMap((item) => readItem(item, typeOfFormat(wire.output_format)));
  if (images.length === 0) throw badReply("there is no image in it");
  return {
    operation: "image",
    model: typeof wire.model === "string" ? wire.model : "",
    ...optionalNumber(wire, "created", "createdAt"),
    images,
    ...optionalText(wire, "size", "size"),
    ...optionalText(wire, "quality", "quality"),
    ...optionalText(wire, "background", "background"),
    ...optionalText(wire, "output_format", "fileFormat"),
    ...readUsage(wire.usage, images.length),
  };
}

const writeItem = ({ source, revisedPrompt }: MadeImage): JsonObject =>
  compact({
    ...(source.kind === "url" ? { url: source.url } : { b64_json: source.base64 }),
    revised_prompt: revisedPrompt,
  });

/** What kind of file the image is: as told, else as its bytes show. */
export function formatOf({ images: [first], fileFormat }: ImageAnswer): string | undefined {
  if (fileFormat !== undefined || first === undefined) return fileFormat;
  const { mediaType, source } = first;
  const shown = source.kind === "base64" ? bytesOf(source.base64.slice(0, 64), mediaType ?? "").mediaType : mediaType;
  return shown?.startsWith("image/") ? shown.slice("image/".length).replace("svg+xml", "svg") : undefined;
}

export function renderReply(answer: ImageAnswer, { createdAt }: WriteContext): JsonObject {
  return compact({
    created: answer.createdAt ?? createdAt,
    data: answer.images.map(writeItem),
    size: answer.size,
    quality: answer.quality,
    background: answer.background,
    output_format: formatOf(answer),
    usage: writeUsage(answer),
  });
}
