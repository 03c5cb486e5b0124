// Veo on Vertex AI: the operation is asked for at the model, and brings the videos with it.
import type { VideoResult } from "../../../../canonical/video.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { parseError } from "../../../gemini/error.ts";
import { objectsIn } from "../../../shared/json-accessors.ts";
import { textOf } from "../../json-helpers.ts";
import type { VideoUpstream } from "../../upstream.ts";
import { nameIn, operationTold } from "./operation.ts";
import { type VeoService, veoRequest } from "./request.ts";

const service: VeoService = {
  passed: ["personGeneration", "enhancePrompt", "compressionQuality", "resizeMode"],
  choosesSound: true,
  takesSeed: true,
  ties: false,
};

const modelPath = (model: string, verb: string): string =>
  `models/${encodeURIComponent(model.replace(/^models\//, ""))}:${verb}`;

/** Buckets are not read: none is ever named in a request, so that the bytes come along. */
function resultOf({ bytesBase64Encoded: base64, mimeType }: JsonObject): VideoResult[] {
  const mediaType = textOf(mimeType) || "video/mp4";
  return typeof base64 === "string" && base64 !== "" ? [{ place: { kind: "inline", base64 }, mediaType }] : [];
}

export const vertexVeo: VideoUpstream = {
  name: "vertex-veo",
  serves: (model) => /veo/i.test(model),
  takes: ["base64"],
  most: 4,
  render(request, context) {
    const { body, warnings, effect } = veoRequest(request, context, service);
    return { call: { path: modelPath(context.model, "predictLongRunning"), body }, warnings, effect };
  },
  accepted: (answer) => ({ upstreamId: nameIn(answer) }),
  poll: ({ model, upstreamId }) => ({
    path: modelPath(model, "fetchPredictOperation"),
    body: { operationName: upstreamId },
  }),
  progress: (answer) =>
    operationTold(
      answer,
      (response) => response,
      (response) => objectsIn(response.videos).flatMap(resultOf),
    ),
  tellsBytes: true,
  error: { parse: parseError },
  resultSeconds: 2 * 86_400,
};
