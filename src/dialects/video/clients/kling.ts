// Kling's video format, called videoA: the common request or its native one, and its envelope with the common fields.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoState } from "../../../canonical/video.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { ErrorCodec } from "../../dialect.ts";
import { missing } from "../../errors.ts";
import { errorBody, openaiErrors } from "../../openai-error.ts";
import { object, optional } from "../../schema-helpers.ts";
import { resultSettings, type VideoClient, type VideoView, type VideoWriteContext } from "../client.ts";
import { modelAt, unknownValues } from "./common-fields.ts";
import { requestAsk, requestFields, requestPath, taskObject } from "./generations.ts";

const schema = object({
  ...requestFields,
  model_name: optional("string"),
  negative_prompt: optional("string"),
  image_tail: optional("string"),
  mode: optional("string"),
  aspect_ratio: optional("string"),
  cfg_scale: optional("number", { minimum: 0, maximum: 1 }),
  sound: optional("string"),
  callback_url: optional("string"),
  external_task_id: optional("string"),
});

const words: { readonly [state in VideoState]: string } = {
  queued: "submitted",
  in_progress: "processing",
  completed: "succeed",
  failed: "failed",
  cancelled: "failed",
  expired: "failed",
};

/** Members of the common request; all others are native ones and are treated like metadata. */
const common = new Set(Object.keys(requestFields));

function wordsOf(wire: JsonObject): JsonObject {
  const native = Object.entries(wire).filter(([name]) => !common.has(name) && name !== "model_name");
  return { ...(isObject(wire.metadata) ? wire.metadata : {}), ...Object.fromEntries(native) };
}

/** `videoA-v2-1` is the neutral name of the provider's `kling-v2-1`. */
function alias(model: string): string {
  return model.replace(/^videoA-/i, "kling-");
}

function nativeResults(view: VideoView): JsonObject {
  const seconds = resultSettings(view).seconds;
  const videos = view.urls.map((url, index) => ({
    id: view.urls.length === 1 ? view.id : `${view.id}-${index}`,
    url,
    duration: String(view.results[index]?.seconds ?? seconds ?? ""),
  }));
  return { task_result: { videos } };
}

function nativeTask(view: VideoView): JsonObject {
  const { id, state, failure, externalId, createdAtMs, updatedAtMs } = view;
  return {
    task_id: id,
    task_status: words[state],
    task_status_msg: failure?.message ?? "",
    task_info: { external_task_id: externalId ?? "" },
    created_at: createdAtMs,
    updated_at: updatedAtMs,
    ...(state === "completed" ? nativeResults(view) : {}),
  };
}

function taskBody(view: VideoView, { requestId }: VideoWriteContext): JsonObject {
  return { ...taskObject(view), code: 0, message: "SUCCEED", request_id: requestId, data: nativeTask(view) };
}

const nativeCodes: { readonly [kind: string]: number } = {
  missing_api_key: 1001,
  invalid_api_key: 1002,
  missing_required_parameter: 1201,
  invalid_type: 1201,
  invalid_value: 1201,
  unsupported_parameter: 1201,
  object_not_found: 1203,
  model_not_found: 1203,
  not_found: 1202,
  method_not_allowed: 1202,
  ip_not_allowed: 1103,
  operation_not_allowed: 1103,
  model_not_allowed: 1103,
  insufficient_quota: 1101,
  rate_limit_exceeded: 1302,
  upstream_rate_limited: 1302,
  concurrency_limit_exceeded: 1303,
  no_provider_available: 5001,
  overloaded: 5001,
  upstream_timeout: 5002,
};

function nativeCode({ kind, status, code }: GatewayError): number {
  if (/policy|moderation|sensitive|safety/i.test(code)) return 1301;
  return nativeCodes[kind] ?? (status < 500 ? 1200 : 5000);
}

/** The common error envelope with the native fields added. */
const error: ErrorCodec = {
  ...openaiErrors,
  render: (failure, requestId) => ({
    status: failure.status,
    body: { ...errorBody(failure), code: nativeCode(failure), message: failure.message, request_id: requestId },
  }),
};

const askOf = (wire: JsonObject) => requestAsk(wire, modelAt(wire, ["model", "model_name"]), wordsOf(wire), "");

function client(action: "text2video" | "image2video"): VideoClient {
  const isText = action === "text2video";
  return {
    name: `kling-${action}`,
    idPrefix: "task_",
    schema,
    parse(wire) {
      const request = askOf(wire);
      if (!isText && request.images.length === 0) throw missing("image");
      if (isText && request.prompt === undefined) throw missing("prompt");
      return isText ? { ...request, images: [] } : request;
    },
    ignoredFields(wire) {
      const images = isText ? askOf(wire).images.map(({ path }) => path) : [];
      return [...images, ...unknownValues(wire)].map((path) => ({ code: "dropped", path }));
    },
    alias,
    fieldPath: (field) => requestPath(field, ""),
    renderCreated: taskBody,
    renderTask: taskBody,
    error,
  };
}

export const klingTextVideo: VideoClient = client("text2video");
export const klingImageVideo: VideoClient = client("image2video");
