// The dialects of OpenAI's images: generations, edits and variations.
import { type ImageRequest, imageCount } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { FormPart, RenderContext, RequestMeta, UploadedFile, UpstreamRequest } from "../dialect.ts";
import { fieldPaths } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { callRenderer } from "../render-fields.ts";
import { filesNamed, formParts } from "../shared/form-values.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { imageType } from "../video/images.ts";
import { withPolicy } from "./content-policy.ts";
import type { ImageDialect } from "./fields.ts";
import { pictureParts } from "./input-images.ts";
import { openaiImageModels } from "./model-tables.ts";
import { answersBytes, openaiClient, openaiFields, VariationRequest } from "./openai-fields.ts";
import { streamOf } from "./openai-stream.ts";
import { parseReply, renderReply } from "./response.ts";
import { readSize } from "./sizes.ts";

const generationsPath = "images/generations";
const editsPath = "images/edits";

/** A form when there are images, because every compatible server accepts that. */
function callOf(fields: JsonObject, { images, mask }: ImageRequest, { model }: RenderContext): UpstreamRequest {
  const body = { model, ...fields };
  if (images.length === 0) return { path: generationsPath, body };
  const name = images.length === 1 ? "image" : "image[]";
  const files = images.flatMap((image) => pictureParts(name, image));
  const masks = mask === undefined ? [] : pictureParts("mask", mask);
  return { path: editsPath, body, form: [...formParts(body), ...files, ...masks] };
}

/** Replaces the separator by the one that servers accept. */
function plainSize(size: JsonObject[string]): JsonObject {
  const read = typeof size === "string" ? readSize(size, "size") : {};
  return read.width === undefined ? {} : { size: `${read.width}x${read.height}` };
}

/** A file of the client with the media type of its bytes: servers refuse images with a wrong declared type. */
function filePart(part: string, { name, type, bytes }: UploadedFile): FormPart {
  return {
    name: part,
    fileName: name || "image.png",
    type: imageType(bytes) ?? (type || "application/octet-stream"),
    bytes,
  };
}

/**
 * The client's own wire, with its images renamed and ordered as servers expect. Models that always return bytes refuse
 * `response_format`.
 */
function passthroughRequest(path: string, wire: JsonObject, model: string, files: RequestMeta["files"] = []) {
  const body: JsonObject = { ...wire, ...plainSize(wire.size), model };
  if (answersBytes.test(model)) delete body.response_format;
  if (files.length === 0) return { path, body };
  const images = filesNamed(files, "image");
  const others = files.filter((file) => !images.includes(file));
  const name = images.length === 1 && images[0]?.field !== "image[]" ? "image" : "image[]";
  const parts = [...images.map((file) => filePart(name, file)), ...others.map((file) => filePart(file.field, file))];
  return { path, body, form: [...formParts(body), ...parts] };
}

/** The wire split into several that request at most so many images each. */
function dividedWire(wire: JsonObject, most: number): JsonObject[] {
  const wanted = imageCount(typeof wire.n === "number" ? { n: wire.n } : {});
  const calls = Math.ceil(wanted / most);
  return Array.from({ length: calls }, (_, call) => ({ ...wire, n: Math.min(most, wanted - call * most) }));
}

const errors = withPolicy(openaiErrors);

function openaiDialect(task: ImageRequest["task"], path: string) {
  const fields = openaiFields(task);
  return {
    operation: "image",
    request: {
      fields,
      ...openaiClient(task),
      render: callRenderer(fields, callOf),
      /** By the row of the model, otherwise ten. */
      maxItems: (context: RenderContext) => lookUpModel(openaiImageModels, context).row.maxImages ?? 10,
      needsInlineImages: true,
      fieldPath: fieldPaths(fields),
    },
    response: { parse: parseReply, render: renderReply },
    passthrough: {
      render: (wire, { model }, { files }) => passthroughRequest(path, wire, model, files),
      splitBatch: dividedWire,
      normalize: (reply, _wire, context) =>
        typeof reply.created === "number" || context === undefined ? reply : { ...reply, created: context.createdAt },
    },
    error: errors,
  } satisfies Omit<ImageDialect, "name">;
}

export const openaiImages: ImageDialect = {
  name: "openai-images",
  ...openaiDialect("generate", generationsPath),
  stream: streamOf("image_generation", errors),
};

export const openaiImageEdits: ImageDialect = {
  name: "openai-image-edits",
  ...openaiDialect("edit", editsPath),
  variantOf: openaiImages,
  stream: streamOf("image_edit", errors),
};

/** Only servers of this format have variations; other models require a prompt. */
const variationOnly: UnmappedField = {
  path: "image",
  rule: "reject",
  reason: "this provider does not support image variations",
};

/** The only model of OpenAI's endpoint. */
const variationModel = "dall-e-2";
const variations = openaiDialect("edit", "images/variations");

export const openaiImageVariations: ImageDialect = {
  name: "openai-image-variations",
  ...variations,
  variantOf: openaiImages,
  request: {
    ...variations.request,
    schema: VariationRequest,
    parse(wire, envelope) {
      const model = typeof wire.model === "string" && wire.model !== "" ? wire.model : undefined;
      const request = variations.request.parse({ ...wire, model: model ?? variationModel, prompt: "" }, envelope);
      const unmappedFields = [...request.unmappedFields, variationOnly];
      return { ...request, unmappedFields, ...(model === undefined ? { unnamed: true } : {}) };
    },
  },
};
