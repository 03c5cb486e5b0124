// A call to a server that makes images as OpenAI does: the client's own wire, or a canonical request in its words.
import type { ImageField, ImageRequest } from "../../canonical/image.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import type {
  FormPart,
  RenderContext,
  RenderedRequest,
  RequestMeta,
  UploadedFile,
  UpstreamRequest,
} from "../dialect.ts";
import { formParts } from "../shared/form-parts.ts";
import { filesNamed } from "../shared/form-values.ts";
import { lookUpModel } from "../shared/model-table.ts";
import type { Warnings } from "../shared/warnings.ts";
import { imageType } from "../video/images.ts";
import { noteLost, promptWithNegative } from "./field-support.ts";
import { picturePart } from "./input-images.ts";
import { fittedPixels } from "./model-sizes.ts";
import { openaiImageModels } from "./model-tables.ts";
import { answersBytes } from "./openai-request.ts";
import { pixelsOf, readSize } from "./sizes.ts";

export const generationsPath = "images/generations";
export const editsPath = "images/edits";
export const variationsPath = "images/variations";

const can: readonly ImageField[] = [
  "negativePrompt",
  "size",
  "quality",
  "style",
  "background",
  "inputFidelity",
  "moderation",
  "fileFormat",
  "compression",
];

/** Servers of others make any size, so that a model without a row is no reason to warn. */
function renderSize(request: ImageRequest, warnings: Warnings): string | undefined {
  const wanted = pixelsOf(request);
  if (wanted === null) return undefined;
  const isListed = lookUpModel(openaiImageModels, warnings.context).isListed;
  const { width, height } = (isListed ? fittedPixels(request, warnings, openaiImageModels) : undefined) ?? wanted;
  return `${width}x${height}`;
}

/** One image a call for the one model that makes no more. */
export function mostImagesOf(context: RenderContext): number {
  return lookUpModel(openaiImageModels, context).row.maxImages ?? 10;
}

/** The call for a canonical request: a form where there are images, since every server of this kind takes that. */
export function renderRequest(request: ImageRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  noteLost(request, warnings, can);
  const wantsBytes = request.delivery === "base64" && !answersBytes.test(context.model);
  const body = omitUndefined({
    model: context.model,
    prompt: promptWithNegative(request, warnings),
    n: request.n,
    size: renderSize(request, warnings),
    quality: request.quality,
    style: request.style,
    background: request.background,
    input_fidelity: request.inputFidelity,
    moderation: request.moderation,
    output_format: request.fileFormat,
    output_compression: request.compression,
    response_format: wantsBytes ? "b64_json" : undefined,
    user: request.endUser,
  });
  if (request.images.length === 0) return { call: { path: generationsPath, body }, warnings: warnings.warnings };
  const name = request.images.length === 1 ? "image" : "image[]";
  const files = [
    ...request.images.map((image) => picturePart(name, image)),
    ...(request.mask === undefined ? [] : [picturePart("mask", request.mask)]),
  ];
  const call: UpstreamRequest = { path: editsPath, body, form: [...formParts(body), ...files] };
  return { call, warnings: warnings.warnings };
}

/** Another separator than the one that servers know. */
function plainSize(size: JsonObject[string]): JsonObject {
  const read = typeof size === "string" ? readSize(size, "size") : {};
  return read.width === undefined ? {} : { size: `${read.width}x${read.height}` };
}

/** A file of the client's, as what its bytes show: servers refuse images that are declared to be something else. */
function filePart(part: string, { name, type, bytes }: UploadedFile): FormPart {
  return {
    name: part,
    fileName: name || "image.png",
    type: imageType(bytes) ?? (type || "application/octet-stream"),
    bytes,
  };
}

/** The client's own wire, its images under the names and in the order that servers know. Models that always give bytes refuse to be asked how they come. */
export function passthroughRequest(
  path: string,
  wire: JsonObject,
  context: RenderContext,
  { files }: RequestMeta,
): UpstreamRequest {
  const body: JsonObject = { ...wire, ...plainSize(wire.size), model: context.model };
  if (answersBytes.test(context.model)) delete body.response_format;
  if (files === undefined || files.length === 0) return { path, body };
  const images = filesNamed(files, "image");
  const others = files.filter((file) => !images.includes(file));
  const name = images.length === 1 && images[0]?.field !== "image[]" ? "image" : "image[]";
  const parts = [...images.map((file) => filePart(name, file)), ...others.map((file) => filePart(file.field, file))];
  return { path, body, form: [...formParts(body), ...parts] };
}

/** The wire as several that ask for at most so many images each. */
export function dividedWire(wire: JsonObject, wanted: number, most: number): JsonObject[] {
  const calls = Math.ceil(wanted / most);
  return Array.from({ length: calls }, (_, call) => ({ ...wire, n: Math.min(most, wanted - call * most) }));
}
