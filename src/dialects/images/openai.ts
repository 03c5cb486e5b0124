// The dialects of OpenAI's images: made from words, and made from other images.
import { type ImageRequest, type ImageResponse, imageCount } from "../../canonical/image.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import type { Dialect, RequestMeta } from "../dialect.ts";
import { openaiErrors } from "../openai-error.ts";
import { withPolicy } from "./content-policy.ts";
import {
  dividedWire,
  editsPath,
  generationsPath,
  mostImagesOf,
  passthroughRequest,
  renderRequest,
  variationsPath,
} from "./openai-call.ts";
import { parseRequest } from "./openai-request.ts";
import { EditRequest, GenerationRequest, VariationRequest } from "./openai-schema.ts";
import { streamOf } from "./openai-stream.ts";
import { parseReply, renderReply } from "./response.ts";

type Images = Dialect<ImageRequest, ImageResponse>;

/** The client's own words of canon's fields stand in the ask itself; these are all that others may name. */
export const samePath = (field: string): string => field;

const errors = withPolicy(openaiErrors);
const response: Images["response"] = { parse: parseReply, render: renderReply };

const wantedOf = ({ n }: { readonly n?: unknown }): number => imageCount(typeof n === "number" ? { n } : {});

const verbatim = (path: string): Images["passthrough"] => ({
  render: (wire, context, envelope) => passthroughRequest(path, wire, context, envelope),
  splitBatch: (wire, most) => dividedWire(wire, wantedOf(wire), most),
  normalize: (reply, _wire, context) =>
    typeof reply.created === "number" || context === undefined ? reply : { ...reply, created: context.createdAt },
});

const request = (task: ImageRequest["task"]) => ({
  parse: (wire: Parameters<Images["request"]["parse"]>[0], envelope: RequestMeta) => parseRequest(wire, envelope, task),
  render: renderRequest,
  maxItems: mostImagesOf,
  needsInlineImages: true,
  fieldPath: samePath,
});

export const openaiImages: Images = {
  name: "openai-images",
  operation: "image",
  request: { schema: GenerationRequest, ...request("generate") },
  response,
  stream: streamOf("image_generation", errors),
  passthrough: verbatim(generationsPath),
  error: errors,
};

export const openaiImageEdits: Images = {
  name: "openai-image-edits",
  operation: "image",
  variantOf: openaiImages,
  request: { schema: EditRequest, ...request("edit") },
  response,
  stream: streamOf("image_edit", errors),
  passthrough: verbatim(editsPath),
  error: errors,
};

/** Only servers of this format have variations: nothing tells another model what to change. */
const variationOnly: UnmappedField = {
  path: "image",
  rule: "reject",
  reason: "this provider does not support image variations",
};

/** The model of OpenAI's endpoint, which has one. */
const variationModel = "dall-e-2";

export const openaiImageVariations: Images = {
  name: "openai-image-variations",
  operation: "image",
  variantOf: openaiImages,
  request: {
    ...request("edit"),
    schema: VariationRequest,
    parse(wire, envelope) {
      const model = typeof wire.model === "string" && wire.model !== "" ? wire.model : undefined;
      const canonicalRequest = parseRequest({ ...wire, model: model ?? variationModel, prompt: "" }, envelope, "edit");
      const extras = [...canonicalRequest.unmappedFields, variationOnly];
      return { ...canonicalRequest, unmappedFields: extras, ...(model === undefined ? { unnamed: true } : {}) };
    },
  },
  response,
  passthrough: verbatim(variationsPath),
  error: errors,
};
