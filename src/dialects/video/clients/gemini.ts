// Google's format for videos: a request of one instance and parameters, and an operation that is polled by its name.
import { type TSchema, Type } from "typebox";
import { GatewayError } from "../../../canonical/error.ts";
import type { VideoField, VideoImage, VideoImageSource, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type Json, type JsonObject, omitUndefined, withoutUndefined } from "../../../lib/json.ts";
import type { RequestMeta } from "../../dialect.ts";
import { missing, unsupported } from "../../errors.ts";
import { geminiErrors } from "../../gemini/error.ts";
import { modelFrom } from "../../gemini/model-path.ts";
import { object, optional } from "../../schema-helpers.ts";
import { isAbsent, objectsIn } from "../../shared/json-accessors.ts";
import type { VideoClient, VideoView } from "../client.ts";
import { imageOfText } from "../images.ts";
import { needSubject, numberOf, textAt } from "./common-fields.ts";

const image = optional("object", { description: "`bytesBase64Encoded` and `mimeType`, or `gcsUri`." });

/** The request of `generateVideos` in the npm package @google/genai 3.1.0. */
const schema: TSchema = object({
  instances: Type.Array(
    object({
      prompt: optional("string", { maxLength: 32_000 }),
      image,
      lastFrame: image,
      referenceImages: optional("array", { items: { type: "object" } }),
    }),
    { minItems: 1, maxItems: 1, description: "A single prompt with its images." },
  ),
  parameters: optional("object", {
    properties: {
      sampleCount: optional("integer", { minimum: 1, maximum: 16, description: "Number of videos." }),
      durationSeconds: optional(["number", "string"]),
      aspectRatio: optional("string", { description: "`16:9` or `9:16`." }),
      resolution: optional("string", { description: "Resolution, such as `720p`." }),
      fps: optional("integer", { minimum: 1, maximum: 240 }),
      seed: optional("integer"),
      negativePrompt: optional("string"),
      generateAudio: optional("boolean"),
      personGeneration: optional("string"),
    },
  }),
});

/** The request that polls an operation on Vertex AI. */
export const operationRequest: TSchema = object({ operationName: Type.String({ minLength: 1 }) });

const paths: { readonly [field in VideoField]?: string } = {
  model: "model",
  prompt: "instances[0].prompt",
  negativePrompt: "parameters.negativePrompt",
  seconds: "parameters.durationSeconds",
  size: "parameters.resolution",
  ratio: "parameters.aspectRatio",
  n: "parameters.sampleCount",
  audio: "parameters.generateAudio",
};

const readSubjects = new Set(["prompt", "image", "lastFrame", "referenceImages"]);
const readParameters = new Set([
  ...["sampleCount", "durationSeconds", "aspectRatio", "resolution", "fps", "seed", "negativePrompt"],
  "generateAudio",
]);

function sourceOf(holder: JsonObject, path: string): VideoImageSource {
  const inline = isObject(holder.inlineData) ? holder.inlineData.data : undefined;
  const bytes = holder.bytesBase64Encoded ?? inline;
  if (typeof bytes === "string" && bytes !== "") return imageOfText(bytes, `${path}.bytesBase64Encoded`);
  if (typeof holder.gcsUri === "string" && holder.gcsUri !== "") return { kind: "file", id: holder.gcsUri };
  throw missing(`${path}.bytesBase64Encoded`);
}

function imageIn(holder: Json | undefined, role: VideoImage["role"], path: string): VideoImage[] {
  return isObject(holder) ? [{ role, source: sourceOf(holder, path), path }] : [];
}

function imagesIn(subject: JsonObject): VideoImage[] {
  const references = objectsIn(subject.referenceImages).flatMap((reference, index) =>
    imageIn(reference.image, "reference", `instances[0].referenceImages[${index}].image`),
  );
  return [
    ...imageIn(subject.image, "first", "instances[0].image"),
    ...references,
    ...imageIn(subject.lastFrame, "last", "instances[0].lastFrame"),
  ];
}

/** A video to continue, a mask or a bucket changes the meaning of a request, and no other provider supports them. */
function refuseOthers(subject: JsonObject, parameters: JsonObject): void {
  const other = Object.keys(subject).find((name) => !readSubjects.has(name) && !isAbsent(subject[name]));
  if (other !== undefined) throw unsupported(`instances[0].${other}`, "this gateway does not support it.");
  if (!isAbsent(parameters.storageUri))
    throw unsupported("parameters.storageUri", "this gateway does not write to your storage bucket.");
}

function parse(wire: JsonObject, { params }: RequestMeta): VideoRequest {
  const [first] = objectsIn(wire.instances);
  if (first === undefined) throw missing("instances[0]");
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  refuseOthers(first, parameters);
  const prompt = textAt(first, "prompt");
  const images = imagesIn(first);
  needSubject(prompt, images);
  const { sampleCount, fps, seed, generateAudio } = parameters;
  const rest = Object.entries(parameters).filter(([name]) => !readParameters.has(name));
  const found = withoutUndefined({
    prompt,
    seconds: numberOf(parameters.durationSeconds, "parameters.durationSeconds"),
    ratio: textAt(parameters, "aspectRatio"),
    resolution: textAt(parameters, "resolution")?.toLowerCase(),
    negativePrompt: textAt(parameters, "negativePrompt"),
    fps: typeof fps === "number" ? fps : undefined,
    seed: typeof seed === "number" ? seed : undefined,
    audio: typeof generateAudio === "boolean" ? generateAudio : undefined,
  });
  return {
    operation: "video",
    model: modelFrom(params),
    images,
    n: typeof sampleCount === "number" ? sampleCount : 1,
    metadata: Object.fromEntries(rest),
    ...found,
  };
}

/**
 * Google's SDK takes the first run of lower case letters and digits in a file's URL as its name, so a name consists
 * only of those.
 */
function fileName(id: string, index: number): string {
  return Buffer.from(`${id}.${index}`).toString("hex");
}

/** The task and index in the name of a file. Throws `object_not_found` for a name of another origin. */
export function fileOf(given: string): { readonly id: string; readonly index: number } {
  const name = /(?:^|files\/)([0-9a-f]+)(?::download)?$/.exec(given)?.[1] ?? "";
  const [, id, index] = /^(\w{1,100})\.(\d{1,2})$/.exec(Buffer.from(name, "hex").toString("latin1")) ?? [];
  if (id === undefined) throw new GatewayError("object_not_found", "The file was not found.");
  return { id, index: Number(index) };
}

/** The id of a task in the name of its operation. */
export function operationId(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

const uriOf = ({ id, base }: VideoView, index: number): string =>
  `${base}/v1beta/files/${fileName(id, index)}:download?alt=media`;

/** Numbers of google.rpc.Code. */
const rpcCodes: { readonly [code: string]: number } = {
  cancelled: 1,
  invalid_parameter: 3,
  task_timeout: 4,
  upstream_timeout: 4,
  expired: 4,
  rate_limit_exceeded: 8,
  upstream_overloaded: 14,
};
const internal = 13;

const responseType = "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse";

/**
 * Clients of the Gemini API read `generateVideoResponse`; those of Vertex AI read `videos` and the members of filters.
 */
function responseOf(view: VideoView): JsonObject {
  const filtered =
    view.failure === undefined ? {} : { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [view.failure.message] };
  const videos = view.urls.map((_, index) => ({
    uri: uriOf(view, index),
    mimeType: view.results[index]?.mediaType ?? "video/mp4",
  }));
  const generatedSamples = videos.map(({ uri }) => ({ video: { uri } }));
  return {
    "@type": responseType,
    generateVideoResponse: view.failure === undefined ? { generatedSamples } : filtered,
    videos: videos.map(({ uri, mimeType }) => ({ gcsUri: uri, mimeType })),
    ...filtered,
  };
}

const filterCodes = new Set(["content_policy_violation", "moderation_blocked"]);

/** Content that was refused is a response without videos, as Google reports it; other failures are errors. */
function operationObject(view: VideoView): JsonObject {
  const { id, model, state, failure } = view;
  const name = `models/${model}/operations/${id}`;
  if (state === "queued" || state === "in_progress") return { name, metadata: { progressPercent: view.percent } };
  const isFiltered = failure !== undefined && filterCodes.has(failure.code);
  if (state === "completed" || isFiltered) return { name, done: true, response: responseOf(view) };
  const { code = state, message = `The video was ${state}.` } = failure ?? {};
  return omitUndefined({ name, done: true, error: { code: rpcCodes[code] ?? internal, message } });
}

export const geminiVideo: VideoClient = {
  name: "gemini-videos",
  idPrefix: "operation_",
  schema,
  parse,
  fieldPath: (field) => paths[field] ?? `parameters.${field}`,
  renderCreated: operationObject,
  renderTask: operationObject,
  error: geminiErrors,
};
