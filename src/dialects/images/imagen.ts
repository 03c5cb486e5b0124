// The dialect of Google's Imagen (`:predict`): images from one prompt, for clients and for upstreams.
import type { GeneratedImage, ImageRequest, ImageResponse } from "../../canonical/image.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { geminiErrors } from "../gemini/error.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import type { Warnings } from "../shared/warnings.ts";
import { ratioNoted, resolutionOf } from "./aspect-ratio.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { promptWithNegative, warnIfSet } from "./field-support.ts";
import { dividedPredict, PredictRequest, parsePredict, renderPredictions } from "./imagen-client.ts";
import { imagenModels } from "./model-tables.ts";
import { flatImages } from "./simple-image-api.ts";
import { imageUsage } from "./usage.ts";

const pathOf = (model: string): string => `v1beta/models/${encodeURIComponent(model.replace(/^models\//, ""))}:predict`;

function resolutionNoted(request: ImageRequest, warnings: Warnings): string | undefined {
  const resolution = resolutionOf(request, warnings, imagenModels);
  if (request.resolution !== undefined && resolution !== request.resolution)
    warnIfSet(request, warnings, "approximated", "size");
  return resolution;
}

/** https://ai.google.dev/gemini-api/docs/imagen */
const upstream = flatImages({
  name: "imagen-images",
  path: pathOf,
  can: ["negativePrompt", "size", "fileFormat"],
  most: 4,
  bytesOnly: true,
  edits: false,
  body: (request, warnings) => ({
    instances: [{ prompt: promptWithNegative(request, warnings) }],
    parameters: omitUndefined({
      sampleCount: request.n ?? 1,
      aspectRatio: ratioNoted(request, warnings, imagenModels),
      sampleImageSize: resolutionNoted(request, warnings),
      outputOptions: request.fileFormat === undefined ? undefined : { mimeType: `image/${request.fileFormat}` },
    }),
  }),
  read: parseImagen,
  error: withPolicy(geminiErrors),
});

export const imagenImages: Dialect<ImageRequest, ImageResponse> = {
  ...upstream,
  request: { ...upstream.request, schema: PredictRequest, parse: parsePredict, fieldPath: (field) => field },
  response: { parse: parseImagen, render: renderPredictions },
  passthrough: {
    render: (wire, { model }) => ({ path: pathOf(model), body: wire }),
    splitBatch: dividedPredict,
    usage: ({ predictions }) => imageUsage(objectsIn(predictions).filter(hasBytes).length).usage,
  },
};

const hasBytes = ({ bytesBase64Encoded: base64 }: JsonObject): boolean => typeof base64 === "string" && base64 !== "";

/** Nothing at all, or a reason in an image's place: everything was filtered. */
function parseImagen(wire: unknown): ImageResponse {
  const predictions = objectsIn(isObject(wire) ? wire.predictions : []);
  const images = predictions.flatMap(({ bytesBase64Encoded: base64, mimeType, prompt }): GeneratedImage[] =>
    typeof base64 === "string" && base64 !== ""
      ? [
          {
            source: { kind: "base64", base64 },
            ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}),
            ...(typeof prompt === "string" ? { revisedPrompt: prompt } : {}),
          },
        ]
      : [],
  );
  if (images.length > 0) return { operation: "image", model: "", images, ...imageUsage(images.length) };
  const reason = predictions.find(({ raiFilteredReason }) => typeof raiFilteredReason === "string");
  throw contentRefused(String(reason?.raiFilteredReason ?? "The provider filtered every image."));
}
