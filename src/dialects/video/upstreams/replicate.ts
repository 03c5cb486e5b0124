// Replicate: the inputs of a model, and a prediction that ends with URLs.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoLocation, VideoResult } from "../../../canonical/video.ts";
import { isObject, type Json, type JsonObject } from "../../../lib/json.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { at, firstAt, known, sizeNumber, textOf } from "../json-helpers.ts";
import type { VideoUpstream } from "../upstream.ts";
import type { SubmitBody, TaskReading, VendorSubmit } from "../vendor.ts";
import { type HostedRow, hostedFields, hostedImages, hostedShape } from "./model-host.ts";
import { replicateModels } from "./replicate-models.ts";

/** `owner/name`, `owner/name:version`, or only a version. */
const modelName = /^(?:[\w-]+\/\w[\w.-]*(?::\w+)?|[0-9a-f]{64})$/i;

function submit(submit: VendorSubmit<HostedRow>): SubmitBody {
  const { inputs, warnings = [] } = hostedImages(submit);
  const [name = "", version] = submit.context.model.split(":");
  const [owner = "", title] = name.split("/");
  const isVersion = version !== undefined || title === undefined;
  const path = isVersion ? "predictions" : `models/${owner}/${title}/predictions`;
  return { path, body: { input: inputs, ...(isVersion ? { version: version ?? name } : {}) }, warnings };
}

/** Files that the service stores itself require the credential. */
const ownFile = /^https:\/\/api\.replicate\.com\/v1\/(files\/[^\s]+)$/i;

function placeOf(url: string): VideoLocation {
  const ref = ownFile.exec(url)?.[1];
  return ref === undefined ? { kind: "url", url } : { kind: "content", ref };
}

function resultsOf(output: Json | undefined): VideoResult[] {
  if (isObject(output)) return resultsOf(output.video ?? output.url);
  const urls = (Array.isArray(output) ? output : [output]).map(textOf);
  return urls.filter((url) => /^https?:\/\//i.test(url)).map((url) => ({ place: placeOf(url) }));
}

function read({ status: word, error, output, metrics }: JsonObject): TaskReading {
  const isMade = String(word).toLowerCase() === "succeeded";
  const effect = known({ seconds: sizeNumber(at(metrics, "video_output_duration_seconds")) });
  return {
    status: word,
    code: error,
    reason: textOf(error),
    results: resultsOf(output),
    ...(isMade ? { effect } : {}),
  };
}

/** A failed prediction has only text, at times with a code at its end. */
const faults: VideoErrorTable = [
  [/E005|sensitive|nsfw|moderation|safety|content policy/i, "content"],
  [/E006|validation|invalid input/i, "input"],
  [/E003|high demand|overloaded/i, "busy"],
  [/E004|timed? ?out/i, "timeout"],
];

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const message = textOf(firstAt(body, ["detail", "title"])) || textOf(body);
  const isInput = status === 422 || status === 400;
  const fault = isInput ? (matchErrorCode(faults, message) ?? "input") : undefined;
  return faultError(fault, { status, message, retryAfterMs });
}

/** Only paths below `files` are allowed, whatever an upstream returned. */
const content: VideoUpstream["content"] = (_task, place, variant) => {
  const ref = place.kind === "content" ? (place.ref ?? "") : "";
  const isFile = /^files\/[\w./?=&%-]+$/.test(ref) && !ref.includes("..");
  return isFile && variant === "video" ? { method: "GET", path: ref, body: {} } : null;
};

export const replicateVideos = videoUpstream<HostedRow>({
  name: "replicate-predictions",
  serves: (model) => modelName.test(model),
  imageForms: ["url", "data"],
  models: replicateModels,
  needsPrompt: "without-images",
  fields: hostedFields("input."),
  // Excludes fields for length, tier and number of videos.
  native: [
    ...["camera_fixed", "cfg_scale", "concepts", "enable_prompt_expansion", "go_fast", "guidance_scale", "loop"],
    ...["mode", "motion_bucket_id", "num_inference_steps", "optimize_prompt", "prompt_optimizer", "sample_shift"],
    ...["style", "subject_reference"],
  ].map((name) => `input.${name}`),
  shape: hostedShape,
  submit,
  id: "id",
  readsSubmit: true,
  states: {
    starting: "queued",
    processing: "in_progress",
    succeeded: "completed",
    failed: "failed",
    canceled: "cancelled",
    cancelled: "cancelled",
    aborted: "cancelled",
  },
  errorCodes: faults,
  error: parseError,
  read,
  poll: "GET predictions/{id}",
  cancel: "POST predictions/{id}/cancel",
  content,
  pace: { firstMs: 3_000, mostMs: 3_000 },
  resultSeconds: 3_600,
});
