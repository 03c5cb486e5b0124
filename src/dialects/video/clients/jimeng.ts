// Jimeng's video format, called videoB: one path, an action in the query, an envelope with a code.

import { Type } from "typebox";
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoField, VideoImage, VideoRequest } from "../../../canonical/video.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import type { ErrorCodec } from "../../dialect.ts";
import { badValue, missing } from "../../errors.ts";
import { errorBody, openaiErrors } from "../../openai-error.ts";
import { object, optional } from "../../schema-helpers.ts";
import type { VideoClient, VideoView, VideoWriteContext } from "../client.ts";
import { imageOfText } from "../images.ts";
import { commonFields, modelAt, needSubject, textAt } from "./common-fields.ts";

const success = 10_000;
const framesPerSecond = 24;
const texts = optional("array", { items: { type: "string" } });

const schema = object({
  req_key: optional("string"),
  prompt: optional("string"),
  binary_data_base64: texts,
  image_urls: texts,
  seed: optional("integer"),
  frames: optional("integer", { minimum: 1, maximum: 100_000 }),
  aspect_ratio: optional("string"),
});

/** The schema of a status request. */
export const jimengQuestion = object({ req_key: optional("string"), task_id: Type.String({ minLength: 1 }) });

const own = new Set(["req_key", "prompt", "binary_data_base64", "image_urls", "seed", "frames"]);
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function imagesIn(wire: JsonObject, name: string): VideoImage[] {
  return list(wire[name]).map((value, index): VideoImage => {
    const path = `${name}[${index}]`;
    return {
      role: index === 0 ? "first" : index === 1 ? "last" : "reference",
      source: imageOfText(String(value), path),
      path,
    };
  });
}

function images(wire: JsonObject): VideoImage[] {
  const [addresses, bytes] = [imagesIn(wire, "image_urls"), imagesIn(wire, "binary_data_base64")];
  if (addresses.length > 0 && bytes.length > 0)
    throw badValue("image_urls", "Send images as either 'image_urls' or 'binary_data_base64', not both.");
  return [...addresses, ...bytes];
}

function parse(wire: JsonObject): VideoRequest {
  const found = images(wire);
  const prompt = textAt(wire, "prompt");
  needSubject(prompt, found);
  const { seed, frames } = wire;
  const metadata = Object.fromEntries(Object.entries(wire).filter(([name]) => !own.has(name)));
  return {
    operation: "video",
    ...modelAt(wire, ["req_key"]),
    images: found,
    n: 1,
    metadata,
    ...commonFields(metadata),
    ...(prompt === undefined ? {} : { prompt }),
    // -1 requests a random seed.
    ...(typeof seed === "number" && seed >= 0 ? { seed } : {}),
    ...(typeof frames === "number" ? { seconds: (frames - 1) / framesPerSecond || 1 / framesPerSecond } : {}),
  };
}

const paths: { readonly [field in VideoField]?: string } = {
  model: "req_key",
  seconds: "frames",
  ratio: "aspect_ratio",
  negativePrompt: "negative_prompt",
};

function envelope(code: number, message: string, data: JsonObject | null, { requestId, elapsedMs }: VideoWriteContext) {
  return { code, message, request_id: requestId, status: code, time_elapsed: `${elapsedMs.toFixed(3)}ms`, data };
}

const dataStatus = { queued: "in_queue", in_progress: "generating", completed: "done", expired: "expired" } as const;

/** A failure has no data here; only its code explains it. */
function failureCode({ failure }: VideoView): number {
  if (/policy|moderation|sensitive|safety/i.test(failure?.code ?? ""))
    return /input/i.test(failure?.code ?? "") ? 50_411 : 50_511;
  return 50_500;
}

function taskBody(view: VideoView, context: VideoWriteContext): JsonObject {
  const { id, state, urls, failure } = view;
  if (state === "failed" || state === "cancelled")
    return envelope(failureCode(view), failure?.message ?? "The task has failed.", null, context);
  const video = state === "completed" ? { video_url: urls[0] ?? "" } : { video_url: "" };
  const rest = { image_urls: null, binary_data_base64: [], resp_data: "" };
  return envelope(success, "Success", { task_id: id, status: dataStatus[state], ...video, ...rest }, context);
}

/** The response for an unknown task, which is not a request error here. */
export function jimengNotFound(context: VideoWriteContext): JsonObject {
  return envelope(
    success,
    "Success",
    { status: "not_found", video_url: "", image_urls: null, binary_data_base64: [] },
    context,
  );
}

/** Throws status 400 for a status request without a task id. */
export function jimengTaskId(wire: JsonObject): string {
  const id = textAt(wire, "task_id");
  if (id === undefined) throw missing("task_id");
  return id;
}

const nativeCodes: { readonly [kind: string]: number } = {
  rate_limit_exceeded: 50_429,
  upstream_rate_limited: 50_429,
  concurrency_limit_exceeded: 50_430,
  missing_api_key: 50_400,
  invalid_api_key: 50_400,
};

function nativeCode({ kind, code, param }: GatewayError): number {
  if (/policy|moderation|sensitive|safety/i.test(code))
    return param !== null && /image|binary/.test(param) ? 50_411 : 50_412;
  return nativeCodes[kind] ?? 50_500;
}

const error: ErrorCodec = {
  ...openaiErrors,
  render(failure, requestId) {
    const code = nativeCode(failure);
    const native = { code, message: failure.message, request_id: requestId, status: code, data: null };
    return { status: failure.status, body: { ...errorBody(failure), ...native } };
  },
};

export const jimengVideo: VideoClient = {
  name: "jimeng",
  idPrefix: "task_",
  schema,
  parse,
  fieldPath: (field) => paths[field] ?? field,
  renderCreated: ({ id }, context) => envelope(success, "Success", { task_id: id }, context),
  renderTask: taskBody,
  error,
};
