// Jimeng, Volcengine's visual service: two actions on one path, selected in the query, and keys in place of models.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoRequest } from "../../../canonical/video.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { UpstreamRequest } from "../../dialect.ts";
import { unsupported } from "../../errors.ts";
import { findRow, type ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import { at, bareImageValue, linked, numberOf, objectOf, textOf } from "../json-helpers.ts";
import { deepMerge, pick, tierFor } from "../nearest-supported.ts";
import type { UpstreamAnswer, VideoProgress, VideoRenderContext } from "../upstream.ts";
import type { SubmitBody, VendorSubmit, VideoRow } from "../vendor.ts";

const third = {
  source: "https://www.volcengine.com/docs/85621/1544774",
  checkedOn: "2026-11-22",
  durations: [5, 10],
  ratios: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"],
  audio: "never",
} as const;
const low = { ...third, resolutions: ["720p"] } as const;
const high = { ...third, resolutions: ["1080p"] } as const;
const frame = { images: ["first"], needs: ["first"] } as const;
const frames = { images: ["first", "last"], needs: ["first", "last"] } as const;

/** The key determines the resolution. Five seconds and the first ratio are the defaults. */
export const jimengModels: ModelTable<VideoRow> = {
  rows: [
    { models: ["jimeng_t2v_v30"], ...low, images: [] },
    { models: ["jimeng_t2v_v30_1080p"], ...high, images: [] },
    { models: ["jimeng_i2v_first_v30"], ...low, ...frame },
    { models: ["jimeng_i2v_first_v30_1080"], ...high, ...frame },
    { models: ["jimeng_i2v_first_tail_v30"], ...low, ...frames },
    { models: ["jimeng_i2v_first_tail_v30_1080"], ...high, ...frames },
    { models: ["jimeng_i2v_recamera_v30"], ...low, ...frame },
    { models: ["jimeng_ti2v_v30_pro"], ...high, images: ["first"] },
  ],
  unlisted: { models: /(?:)/, source: third.source, checkedOn: third.checkedOn },
};

/** A family such as `jimeng_v30`, with or without a resolution; the images determine the key. */
const family = /^(jimeng)_(v\d+)(?:_(?:(720)|(1080))p?)?$/;
const wholeFamily = /^(jimeng)_(v\d+)_pro$/;
const familyKeys = [
  ["t2v", "_1080p"],
  ["i2v_first", "_1080"],
  ["i2v_first_tail", "_1080"],
] as const;

/** The key of the family for this number of frames. */
function keyOf(model: string, request: VideoRequest): string {
  const whole = wholeFamily.exec(model);
  if (whole !== null) return `${whole[1]}_ti2v_${whole[2]}_pro`;
  const [, maker, version, isLow, isHigh] = family.exec(model) ?? [];
  if (maker === undefined) return model;
  const isLarge = isHigh !== undefined || (isLow === undefined && tierFor(request, ["720p", "1080p"]) === "1080p");
  const [way, tail] = familyKeys[Math.min(request.images.length, 2)] ?? familyKeys[0];
  return `${maker}_${way}_${version}${isLarge ? tail : ""}`;
}

/** An operator declares a family by its name, and one member by its key. */
function modelFor(request: VideoRequest, context: VideoRenderContext): VideoRenderContext {
  const ofFamily = findRow(context.declared ?? [], context.model);
  const declared = ofFamily === undefined ? {} : { declared: [{ ...ofFamily, models: /(?:)/ }] };
  return { ...context, ...declared, model: keyOf(context.model, request) };
}

const action = (name: string, body: JsonObject): UpstreamRequest => ({
  path: `?Action=${name}&Version=2022-08-31`,
  body,
});

/**
 * Frames in order, in the only form that is accepted; and the parameters of the poll: a URL as result, and the
 * watermark.
 */
function submit({ request: { images, metadata, watermark }, context }: VendorSubmit<VideoRow>): SubmitBody {
  const ordered = (["first", "last"] as const).flatMap((role) => imageFor(images, role) ?? []);
  const isLink = ordered[0]?.source.kind === "url";
  const mixed = ordered.find(({ source }) => (source.kind === "url") !== isLink && source.kind !== "file");
  const values = ordered.map(bareImageValue);
  if (mixed !== undefined) throw unsupported(mixed.path, "both images must have the same form: URLs or bytes.");
  const mark = watermark === undefined ? {} : { logo_info: { add_logo: watermark } };
  const later = deepMerge({ return_url: true, ...pick(metadata, ["logo_info", "aigc_meta"]) }, mark);
  return {
    ...action("CVSync2AsyncSubmitTask", {
      ...(values.length === 0 ? {} : { [isLink ? "image_urls" : "binary_data_base64"]: values }),
    }),
    upstreamState: { req_key: context.model, req_json: JSON.stringify(later) },
  };
}

const success = 10_000;

/** https://www.volcengine.com/docs/85621/1544774 */
const faults: VideoErrorTable = [
  [[50400], "credentials"],
  [[50429, 50430], "rate"],
  [[50500, 50501], "broken"],
  [/^50(?:41[123]|51[126789]|52[012])$/, "content"],
];

/** Errors of the gateway in front of the service. */
const layerFaults: VideoErrorTable = [
  [/Limit|Throttl/i, "rate"],
  [/Signature|AccessKey|AccessDenied|Credential|Token|Authoriz|Forbidden|Timestamp|RequestExpired/i, "credentials"],
  [/Arrear|Overdue|Balance/i, "funds"],
];

/** A code of the service with a message, or the envelope of the layer in front of it that checks signatures. */
function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const layer = objectOf(at(body, "ResponseMetadata.Error"));
  const code = numberOf(at(body, "code"));
  const fault = code === undefined ? matchErrorCode(layerFaults, layer.Code) : matchErrorCode(faults, code);
  const message = textOf(at(body, "message")) || textOf(layer.Message) || textOf(body);
  return faultError(fault, { status, message, retryAfterMs });
}

/** What an error code means for the task. Temporary errors and account errors mean nothing for it. */
function readStatus({ status, body }: UpstreamAnswer): VideoProgress | null | undefined {
  const code = numberOf(at(body, "code"));
  if (code === success) return status < 300 ? undefined : null;
  if (!isObject(body) || code === undefined) return null;
  const fault = matchErrorCode(faults, code);
  const isOfTask = fault === undefined ? status === 400 : fault === "content";
  const isDone = at(body, "data.status") === "done";
  return isDone || isOfTask ? { state: "failed", failure: faultFailure(fault, body.message) } : null;
}

export const jimengVideos = videoUpstream<VideoRow>({
  name: "jimeng-videos",
  imageForms: ["url", "base64"],
  models: jimengModels,
  modelFor,
  needsPrompt: "without-images",
  images: { lastNeedsFirst: true },
  fields: {
    ...{ model: "req_key", prompt: "prompt", negativePrompt: null },
    ...{ seconds: { at: "frames", as: (seconds: number) => seconds * 24 + 1 }, size: null, ratio: "aspect_ratio" },
    ...{ resolution: { fixed: "row" }, fps: { fixed: 24 }, seed: "seed", n: null, audio: null },
    watermark: { custom: "req_json.logo_info.add_logo" },
  },
  native: ["template_id", "camera_strength"],
  usual: { seconds: 5, ratio: "first", resolution: "first" },
  ratioFollows: "images",
  assumesAudio: false,
  reports: "implied",
  submit,
  id: "data.task_id",
  isRefusal: ({ code }) => numberOf(code) !== success,
  states: { in_queue: "queued", generating: "in_progress", done: "completed", expired: "expired" },
  errorCodes: faults,
  error: parseError,
  readStatus,
  read({ data }) {
    const { status: word, video_url } = objectOf(data);
    return word === "not_found" ? { isGone: true } : { status: word, results: linked(video_url) };
  },
  poll: ({ upstreamId, upstreamState: { req_key, req_json } }) =>
    action("CVSync2AsyncGetResult", { req_key, task_id: upstreamId, req_json }),
  resultSeconds: 3_600,
});
