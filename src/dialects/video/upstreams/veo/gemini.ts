// Veo on the Gemini API: an operation by its name, and files behind the key.
import type { VideoResult } from "../../../../canonical/video.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { parseError } from "../../../gemini/error.ts";
import { objectsIn } from "../../../shared/json-accessors.ts";
import { getCall, objectOf, textOf } from "../../json-helpers.ts";
import { linked } from "../../result-urls.ts";
import type { VideoUpstream } from "../../upstream.ts";
import { nameIn, operationTold } from "./operation.ts";
import { type VeoService, veoRequest } from "./request.ts";

const version = "v1beta";
const service: VeoService = { passed: ["personGeneration"], choosesSound: false, ties: true, takesSeed: false };

/** A file of the service itself, wherever it says that it lies: the key goes to the configured address alone. */
function fileIn(uri: string): string | undefined {
  const path = URL.canParse(uri) ? new URL(uri).pathname : "";
  return /^(?:\/download)?\/v1\w*\/(files\/[\w.~-]+)(?::download)?$/.exec(path)?.[1];
}

function resultOf({ video }: JsonObject): VideoResult[] {
  const { uri, encodedVideo, encoding } = objectOf(video);
  const mediaType = textOf(encoding) || "video/mp4";
  if (typeof encodedVideo === "string" && encodedVideo !== "")
    return [{ place: { kind: "inline", base64: encodedVideo }, mediaType }];
  const ref = fileIn(textOf(uri));
  return ref === undefined ? linked(uri, { mediaType }) : [{ place: { kind: "content", ref }, mediaType }];
}

export const geminiVeo: VideoUpstream = {
  name: "gemini-veo",
  serves: (model) => /veo/i.test(model),
  takes: ["base64"],
  render(request, context) {
    const { body, warnings, effect } = veoRequest(request, context, service);
    const model = encodeURIComponent(context.model.replace(/^models\//, ""));
    return { call: { path: `${version}/models/${model}:predictLongRunning`, body }, warnings, effect };
  },
  accepted: (answer) => ({ upstreamId: nameIn(answer) }),
  poll: ({ upstreamId }) => getCall(`${version}/${upstreamId}`),
  progress: (answer) =>
    operationTold(
      answer,
      (response) => objectOf(response.generateVideoResponse),
      (response) => objectsIn(response.generatedSamples).flatMap(resultOf),
    ),
  content(_task, place, variant) {
    if (variant !== "video" || place.kind !== "content" || place.ref === undefined) return null;
    return getCall(`${version}/${place.ref}:download?alt=media`);
  },
  tellsBytes: true,
  error: { parse: parseError },
  resultSeconds: 2 * 86_400,
};
