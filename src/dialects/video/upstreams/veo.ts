// Google's Veo, on the Gemini API and on Vertex AI: one instance with its images, parameters, and a long-running operation.
import type { VideoFailure, VideoImage, VideoResult } from "../../../canonical/video.ts";
import { type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { invalidUpstreamResponse, unsupported } from "../../errors.ts";
import { isErrorBody, parseError } from "../../gemini/error.ts";
import { objectsIn } from "../../shared/json-accessors.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultFailure, matchErrorCode, policyWords, type VideoErrorTable } from "../error-codes.ts";
import { base64Of, imageFor } from "../images.ts";
import { at, linked, numberOf, objectOf, textOf } from "../json-helpers.ts";
import type { VideoProgress } from "../upstream.ts";
import type { Limit, VendorSubmit, VideoRow, VideoVendor } from "../vendor.ts";

const page = { source: "https://ai.google.dev/gemini-api/docs/video", checkedOn: "2026-11-22" } as const;
const ratios = ["16:9", "9:16"] as const;

/** The Gemini API supports tiers above the lowest only with the maximum length, and audio depends on the model. */
function tableFor(limits: readonly Limit[]): ModelTable<VideoRow> {
  const third = { ...page, durations: [4, 6, 8], ratios, audio: "optional", limits } as const;
  return {
    rows: [
      // Its only resolution has no parameter.
      { models: /veo-2/i, ...page, durations: { min: 5, max: 8 }, ratios, resolutions: [], audio: "never" },
      { models: /veo-3\.0/i, ...third, resolutions: ["720p", "1080p"] },
      { models: /veo-3\.1-lite/i, ...third, resolutions: ["720p", "1080p"] },
      { models: /veo-3\.1/i, ...third, resolutions: ["720p", "1080p", "4k"] },
    ],
    unlisted: { models: /(?:)/, ...page },
  };
}

export const veoModels = tableFor([]);
const geminiModels = tableFor([{ when: { otherSeconds: 8 }, resolutions: ["720p"] }]);

function bytesOf({ source, path }: VideoImage): JsonObject {
  if (source.kind !== "bytes") throw unsupported(path, "this model accepts image bytes only, not URLs.");
  return { bytesBase64Encoded: base64Of(source), mimeType: source.mediaType };
}

function bodyOf({ request: { prompt, images } }: VendorSubmit<VideoRow>): JsonObject {
  const [first, last] = [imageFor(images, "first"), imageFor(images, "last")];
  const references = images
    .filter(({ role }) => role === "reference")
    .map((image) => ({ image: bytesOf(image), referenceType: "asset" }));
  const instance = omitUndefined({
    prompt,
    image: first && bytesOf(first),
    lastFrame: last && bytesOf(last),
    referenceImages: references.length === 0 ? undefined : references,
  });
  return { instances: [instance], parameters: {} };
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const codes: VideoErrorTable = [
  [[3, 9], "input"],
  [[4], "timeout"],
  [[7, 16], "credentials"],
  [[8], "rate"],
  [[14], "busy"],
];

function failureOf(error: JsonObject): VideoFailure {
  return faultFailure(matchErrorCode(policyWords, error.message) ?? matchErrorCode(codes, error.code), error.message);
}

/** Videos that were filtered leave a count and reasons. */
function filtered(response: JsonObject): VideoProgress | null {
  const [reason] = Array.isArray(response.raiMediaFilteredReasons) ? response.raiMediaFilteredReasons : [];
  if (!(numberOf(response.raiMediaFilteredCount) ?? 0) && reason === undefined) return null;
  return { state: "failed", failure: faultFailure("content", reason) };
}

/** What an operation contains: its response is at `path`, and `read` finds the videos in it. */
function operationRead(path: string, read: (response: JsonObject) => VideoResult[]) {
  return (body: JsonObject): VideoProgress | null => {
    if (textOf(body.name) === "") return null;
    if (body.done !== true) return { state: "in_progress" };
    if (isErrorBody(body)) return { state: "failed", failure: failureOf(objectOf(body.error)) };
    const response = objectOf(at(body, path));
    const results = read(response);
    return (results.length === 0 ? filtered(response) : null) ?? { state: "completed", results };
  };
}

/** A name that is safe in a path: segments of plain characters. */
const safeName = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.:@~-]+(?:\/[\w.:@~-]+)*$/;

/** What both services share. */
const shared = {
  serves: (model) => /veo/i.test(model),
  imageForms: ["base64"],
  needsPrompt: "without-images",
  images: { lastNeedsFirst: true, mostReferences: 3 },
  fields: {
    ...{ model: { custom: "path" }, prompt: { custom: "instances[0].prompt" } },
    ...{ negativePrompt: "parameters.negativePrompt", seconds: "parameters.durationSeconds", size: null },
    ...{ ratio: "parameters.aspectRatio", resolution: "parameters.resolution", fps: { fixed: 24 } },
    ...{ seed: "parameters.seed", n: "parameters.sampleCount", audio: "parameters.generateAudio", watermark: null },
  },
  usual: { seconds: 8, ratio: "first", resolution: "720p", audio: true },
  reports: "implied",
  id: "name",
  isRefusal(body) {
    if (!isErrorBody(body) && !safeName.test(textOf(body.name)))
      throw invalidUpstreamResponse("the response has no operation name");
    return isErrorBody(body);
  },
  states: {},
  errorCodes: [],
  error: parseError,
  inlineResults: true,
  resultSeconds: 2 * 86_400,
} as const satisfies Partial<VideoVendor>;

const modelPath = (model: string, verb: string): string =>
  `models/${encodeURIComponent(model.replace(/^models\//, ""))}:${verb}`;

/** A file of the service itself, whatever its host: the key is sent only to the configured host. */
function fileIn(uri: string): string | undefined {
  const path = URL.canParse(uri) ? new URL(uri).pathname : "";
  return /^(?:\/download)?\/v1\w*\/(files\/[\w.~-]+)(?::download)?$/.exec(path)?.[1];
}

function geminiResult({ video }: JsonObject): VideoResult[] {
  const { uri, encodedVideo, encoding } = objectOf(video);
  const mediaType = textOf(encoding) || "video/mp4";
  if (typeof encodedVideo === "string" && encodedVideo !== "")
    return [{ place: { kind: "inline", base64: encodedVideo }, mediaType }];
  const ref = fileIn(textOf(uri));
  return ref === undefined ? linked(uri, { mediaType }) : [{ place: { kind: "content", ref }, mediaType }];
}

const version = "v1beta";

export const geminiVeo = videoUpstream({
  ...shared,
  name: "gemini-veo",
  models: geminiModels,
  fields: { ...shared.fields, seed: null, audio: null },
  native: ["parameters.personGeneration"],
  assumesAudio: true,
  submit: (submit) => ({
    path: `${version}/${modelPath(submit.context.model, "predictLongRunning")}`,
    body: bodyOf(submit),
  }),
  read: operationRead("response.generateVideoResponse", ({ generatedSamples }) =>
    objectsIn(generatedSamples).flatMap(geminiResult),
  ),
  poll: ({ upstreamId }) => ({ method: "GET", path: `${version}/${upstreamId}`, body: {} }),
  content(_task, place, variant) {
    if (variant !== "video" || place.kind !== "content" || place.ref === undefined) return null;
    return { method: "GET", path: `${version}/${place.ref}:download?alt=media`, body: {} };
  },
});

/** Buckets are not read: requests never name one, so the reply contains the bytes. */
function vertexResult({ bytesBase64Encoded: base64, mimeType }: JsonObject): VideoResult[] {
  const mediaType = textOf(mimeType) || "video/mp4";
  return textOf(base64) === "" ? [] : [{ place: { kind: "inline", base64: textOf(base64) }, mediaType }];
}

export const vertexVeo = videoUpstream({
  ...shared,
  name: "vertex-veo",
  maxVideos: 4,
  models: veoModels,
  native: ["personGeneration", "enhancePrompt", "compressionQuality", "resizeMode"].map((name) => `parameters.${name}`),
  submit: (submit) => ({ path: modelPath(submit.context.model, "predictLongRunning"), body: bodyOf(submit) }),
  read: operationRead("response", ({ videos }) => objectsIn(videos).flatMap(vertexResult)),
  poll: ({ model, upstreamId }) => ({
    path: modelPath(model, "fetchPredictOperation"),
    body: { operationName: upstreamId },
  }),
});
