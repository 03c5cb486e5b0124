// Jimeng, Volcengine's visual service: two actions on one path, told apart by the query, both signed.
import type { VideoImage, VideoRequest } from "../../../../canonical/video.ts";
import type { Warning } from "../../../../canonical/warning.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import type { UpstreamRequest } from "../../../dialect.ts";
import { invalidUpstreamResponse, missing, unsupported } from "../../../errors.ts";
import type { ModelRow } from "../../../shared/model-table.ts";
import { durationFor, ratioFor } from "../../capabilities.ts";
import { base64Of, imageFor } from "../../images.ts";
import { known, requireId, type States, stateOf, textOf } from "../../json-helpers.ts";
import { deepMerge, pick } from "../../nearest-supported.ts";
import { linked, pixelsOf } from "../../result-urls.ts";
import type {
  EffectiveSettings,
  UpstreamAnswer,
  VideoProgress,
  VideoRenderContext,
  VideoUpstream,
} from "../../upstream.ts";
import { approximationWarnings, dropped, fixedSound, type RenderedSettings } from "../../warnings.ts";
import { codeIn, failureIn, fine, parseError } from "./error.ts";
import { type Key, keyFor } from "./model-keys.ts";

const states: States = { in_queue: "queued", generating: "in_progress", done: "completed", expired: "expired" };
const usualSeconds = 5;
const framesPerSecond = 24;
/** Members of its own that canon does not know; the marks are said when the result is asked for. */
const passed = ["template_id", "camera_strength"];
const passedLater = ["logo_info", "aigc_meta"];

const action = (name: string, body: JsonObject): UpstreamRequest => ({
  path: `?Action=${name}&Version=2022-08-31`,
  body,
});

/** Frames in order, all in the one form that they must have. */
function framesOf(images: readonly VideoImage[]): JsonObject {
  const ordered = (["first", "last"] as const).flatMap((role) => imageFor(images, role) ?? []);
  const [first] = ordered;
  const isLink = first?.source.kind === "url";
  const values = ordered.map(({ source, path }) => {
    if (source.kind === "file") throw unsupported(path, "this model accepts images as URLs or as bytes.");
    if ((source.kind === "url") !== isLink)
      throw unsupported(path, "both images must have the same form: URLs or bytes.");
    if (source.kind === "url") return source.url;
    if (/^image\/(?:jpeg|png)$/.test(source.mediaType)) return base64Of(source);
    throw unsupported(path, "this model accepts JPEG and PNG images only.");
  });
  if (first === undefined) return {};
  if (first.role === "last") throw unsupported(first.path, "a last frame requires a first frame.");
  return isLink ? { image_urls: values } : { binary_data_base64: values };
}

/** What is said when the result is asked for: that a link is wanted, and which marks the video is to bear. */
function wishes(request: VideoRequest): string {
  const mark = request.watermark === undefined ? {} : { logo_info: { add_logo: request.watermark } };
  return JSON.stringify(deepMerge({ return_url: true, ...pick(request.metadata, passedLater) }, mark));
}

interface Fit {
  /** What is said; missing where the client said nothing. */
  readonly sent: Pick<RenderedSettings, "seconds" | "ratio">;
  readonly made: RenderedSettings;
}

/** The resolution belongs to the key, and with frames the video has their shape. */
function fitted(request: VideoRequest, { durations, ratios, resolutions }: ModelRow): Fit {
  const wanted = request.seconds ?? (durations === undefined ? undefined : usualSeconds);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, durations);
  const isFramed = request.images.length > 0;
  const ratio = isFramed ? undefined : ratioFor(request, ratios);
  return {
    sent: { seconds: request.seconds === undefined ? undefined : seconds, ratio },
    made: { seconds, resolution: resolutions?.[0], ratio: isFramed ? undefined : (ratio ?? ratios?.[0]) },
  };
}

function bodyOf(request: VideoRequest, key: string, { seconds, ratio }: Fit["sent"]): JsonObject {
  return omitUndefined({
    ...pick(request.metadata, passed),
    req_key: key,
    prompt: request.prompt,
    ...framesOf(request.images),
    seed: request.seed,
    frames: seconds === undefined ? undefined : seconds * framesPerSecond + 1,
    aspect_ratio: ratio,
  });
}

function warningsOf(
  request: VideoRequest,
  { row, warnings }: Key,
  made: RenderedSettings,
  context: VideoRenderContext,
): Warning[] {
  return [
    ...warnings,
    ...dropped(request, context, ["negativePrompt", ...(request.fps === framesPerSecond ? [] : (["fps"] as const))]),
    ...fixedSound(request, context, row.audio === "always"),
    ...approximationWarnings(request, made, context),
  ];
}

function effectOf({ seconds, ratio, resolution }: RenderedSettings, { audio }: ModelRow): EffectiveSettings {
  const size = ratio === undefined || resolution === undefined ? {} : pixelsOf(ratio, resolution);
  const hasSound = audio === undefined ? undefined : audio === "always";
  return known({ seconds, resolution, ...size, audio: hasSound } as EffectiveSettings);
}

function told(data: JsonObject): VideoProgress | null {
  if (textOf(data.status) === "") return null;
  if (data.status === "not_found") return { isGone: true };
  const state = stateOf(data.status, states);
  return state.state === "completed" ? { ...state, results: linked(data.video_url) } : state;
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (codeIn(body) !== fine) return failureIn(status, body);
  return status < 300 && isObject(body) && isObject(body.data) ? told(body.data) : null;
}

export const jimengVideos: VideoUpstream = {
  name: "jimeng-videos",
  takes: ["url", "base64"],
  render(request, context) {
    const key = keyFor(request, context);
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { sent, made } = fitted(request, key.row);
    return {
      call: action("CVSync2AsyncSubmitTask", bodyOf(request, key.key, sent)),
      warnings: warningsOf(request, key, made, context),
      effect: effectOf(made, key.row),
      keep: { req_key: key.key, req_json: wishes(request) },
    };
  },
  accepted({ status, body }) {
    if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
    if (codeIn(body) !== fine) throw parseError(status, body);
    return { upstreamId: requireId(body.data, "task_id") };
  },
  poll: ({ upstreamId, keep: { req_key, req_json } }) =>
    action("CVSync2AsyncGetResult", { req_key, task_id: upstreamId, req_json }),
  progress,
  error: { parse: parseError },
  resultSeconds: 3_600,
};
