// The gateway's own video format: a request of plain fields, a task with a status and a URL.
import type { VideoField, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined, withoutUndefined } from "../../../lib/json.ts";
import { openaiErrors } from "../../openai-error.ts";
import { object, optional } from "../../schema-helpers.ts";
import { resultSettings, unixSeconds, type VideoClient, type VideoView } from "../client.ts";
import {
  callbackIn,
  commonFields,
  imageField,
  metadataImages,
  modelAt,
  needSubject,
  numberOf,
  textAt,
} from "./common-fields.ts";

/** The fields of the request that several formats share. */
export const requestFields = {
  model: optional("string"),
  prompt: optional("string"),
  image: optional("string"),
  duration: optional(["number", "string"]),
  width: optional("integer", { minimum: 1, maximum: 16_384 }),
  height: optional("integer", { minimum: 1, maximum: 16_384 }),
  fps: optional("integer", { minimum: 1, maximum: 240 }),
  seed: optional("integer"),
  n: optional("integer", { minimum: 1, maximum: 16 }),
  response_format: optional("string"),
  user: optional("string"),
  metadata: optional("object"),
};

const integer = (wire: JsonObject, name: string): number | undefined => {
  const value = wire[name];
  return typeof value === "number" ? value : undefined;
};

/** The request in those fields. `metadata` has further ones; `prefix` is its path. */
export function requestAsk(
  wire: JsonObject,
  model: Pick<VideoRequest, "model" | "unnamed">,
  metadata: JsonObject,
  prefix: string,
): VideoRequest {
  const given = imageField(wire, "image", "first");
  const images = [...(given === undefined ? [] : [given]), ...metadataImages(metadata, prefix, given !== undefined)];
  const prompt = textAt(wire, "prompt");
  needSubject(prompt, images);
  const found = withoutUndefined({
    prompt,
    seconds: numberOf(wire.duration, "duration"),
    width: integer(wire, "width"),
    height: integer(wire, "height"),
    fps: integer(wire, "fps"),
    seed: integer(wire, "seed"),
    endUser: textAt(wire, "user"),
  });
  return {
    operation: "video",
    ...model,
    images,
    n: integer(wire, "n") ?? 1,
    metadata,
    ...commonFields(metadata, prefix),
    ...callbackIn(wire, ""),
    ...found,
  };
}

/** Where canonical fields are on the wire; `prefix` is the path of metadata. */
export function requestPath(field: VideoField, prefix: string): string {
  const paths: { readonly [field in VideoField]: string } = {
    model: "model",
    prompt: "prompt",
    negativePrompt: `${prefix}negative_prompt`,
    seconds: "duration",
    size: "width",
    ratio: `${prefix}aspect_ratio`,
    resolution: `${prefix}resolution`,
    fps: "fps",
    seed: "seed",
    n: "n",
    audio: `${prefix}audio`,
    watermark: `${prefix}watermark`,
    endUser: "user",
    metadata: "metadata",
  };
  return paths[field];
}

/** The client cannot act on other states, so every task that did not complete has failed here. */
const statusOf = ({ state }: VideoView): string => (state === "cancelled" || state === "expired" ? "failed" : state);

/** Client errors are 400, a lost or expired task is 504, anything else is an upstream error. */
const codeNumbers: { readonly [code: string]: number } = {
  content_policy_violation: 400,
  moderation_blocked: 400,
  cancelled: 499,
  task_timeout: 504,
};

/** The task with the fields of this format, and those that clients of related formats read in addition. */
export function taskObject(view: VideoView): JsonObject {
  const { id, state, percent, model, createdAtMs, completedAtMs, failure, urls, results } = view;
  const isCompleted = state === "completed";
  const { seconds, fps, width, height, seed } = resultSettings(view);
  return omitUndefined({
    id,
    task_id: id,
    object: "video",
    model,
    status: statusOf(view),
    progress: percent,
    created_at: unixSeconds(createdAtMs),
    completed_at: completedAtMs === undefined ? undefined : unixSeconds(completedAtMs),
    url: isCompleted ? urls[0] : undefined,
    format: isCompleted ? (results[0]?.mediaType?.split("/")[1] ?? "mp4") : undefined,
    metadata: isCompleted
      ? omitUndefined({ duration: seconds, fps, width, height, seed, urls: urls.length > 1 ? [...urls] : undefined })
      : undefined,
    error:
      failure === undefined
        ? undefined
        : { code: codeNumbers[failure.code] ?? 500, message: failure.message, type: failure.code },
  });
}

export const videoGenerations: VideoClient = {
  name: "video-generations",
  idPrefix: "task_",
  schema: object(requestFields),
  parse: (wire) =>
    requestAsk(wire, modelAt(wire, ["model"]), isObject(wire.metadata) ? wire.metadata : {}, "metadata."),
  fieldPath: (field) => requestPath(field, "metadata."),
  renderCreated: taskObject,
  renderTask: taskObject,
  error: openaiErrors,
};
