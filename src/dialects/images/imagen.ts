// The dialect of Google's Imagen (`:predict`): images from one prompt, for clients and for upstreams.
import type { ImageAnswer, ImageAsk, MadeImage } from "../../canonical/image.ts";
import { compact, isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { geminiErrors } from "../gemini/error.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import type { Notes } from "../shared/warnings.ts";
import { ratioNoted, resolutionOf } from "./aspect-ratio.ts";
import { contentRefused, withPolicy } from "./content-policy.ts";
import { noteSaid, promptWithNegative } from "./field-support.ts";
import { dividedPredict, PredictRequest, parsePredict, renderPredictions } from "./imagen-client.ts";
import { imagenModels } from "./model-tables.ts";
import { flatImages } from "./simple-image-api.ts";
import { imageUsage } from "./usage.ts";

const pathOf = (model: string): string => `v1beta/models/${encodeURIComponent(model.replace(/^models\//, ""))}:predict`;

function resolutionNoted(ask: ImageAsk, notes: Notes): string | undefined {
  const resolution = resolutionOf(ask, notes, imagenModels);
  if (ask.resolution !== undefined && resolution !== ask.resolution) noteSaid(ask, notes, "approximated", "size");
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
  body: (ask, notes) => ({
    instances: [{ prompt: promptWithNegative(ask, notes) }],
    parameters: compact({
      sampleCount: ask.n ?? 1,
      aspectRatio: ratioNoted(ask, notes, imagenModels),
      sampleImageSize: resolutionNoted(ask, notes),
      outputOptions: ask.fileFormat === undefined ? undefined : { mimeType: `image/${ask.fileFormat}` },
    }),
  }),
  read: parseImagen,
  error: withPolicy(geminiErrors),
});

export const imagenImages: Dialect<ImageAsk, ImageAnswer> = {
  ...upstream,
  request: { ...upstream.request, schema: PredictRequest, parse: parsePredict, fieldPath: (field) => field },
  response: { parse: parseImagen, render: renderPredictions },
  verbatim: {
    call: (wire, { model }) => ({ path: pathOf(model), body: wire }),
    divide: dividedPredict,
    usage: ({ predictions }) => imageUsage(objectsIn(predictions).filter(hasBytes).length).usage,
  },
};

const hasBytes = ({ bytesBase64Encoded: base64 }: JsonObject): boolean => typeof base64 === "string" && base64 !== "";

/** Nothing at all, or a reason in an image's place: everything was filtered. */
function parseImagen(wire: unknown): ImageAnswer {
  const predictions = objectsIn(isObject(wire) ? wire.predictions : []);
  const images = predictions.flatMap(({ bytesBase64Encoded: base64, mimeType, prompt }): MadeImage[] =>
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
