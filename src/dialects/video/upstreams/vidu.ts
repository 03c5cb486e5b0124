// Vidu's videos: a path for each way to use images, and a task that tells its creations.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { missing, unsupported } from "../../errors.ts";
import type { Durations, ModelRow, ModelTable } from "../../shared/model-table.ts";
import { checkRoles, durationFor, modelRow, ratioFor, resolutionFor, soundFor } from "../capabilities.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import {
  getCall,
  imageValue,
  known,
  objectOf,
  requireId,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../json-helpers.ts";
import { pick } from "../nearest-supported.ts";
import type { EffectiveSettings, UpstreamAnswer, UpstreamTask, VideoProgress, VideoUpstream } from "../upstream.ts";
import { approximationWarnings, dropped, type RenderedSettings } from "../warnings.ts";

const states: States = {
  created: "queued",
  queueing: "queued",
  processing: "in_progress",
  success: "completed",
  failed: "failed",
};

/** https://platform.vidu.com/docs/error-code */
const faults: VideoErrorTable = [
  [/PolicyViolation|AuditSubmitIllegal/i, "content"],
  [/CreditInsufficient/i, "funds"],
  [/^(?:Unauthorized|Forbidden)$/i, "credentials"],
  [/QuotaExceeded|TooManyRequests|TaskLimitExceeded/i, "rate"],
  [/SystemThrottling|OperationInProcess/i, "busy"],
  [/^(?:BadRequest|Field|PageSize|Image|ModelUnavailable)/i, "input"],
  [/InternalServiceFailure/i, "broken"],
];

interface ViduRow extends ModelRow {
  /** Lengths between two frames, where they differ. */
  readonly durationsOfTwoFrames?: Durations;
  /** Resolutions of videos of eight seconds, where they differ. */
  readonly resolutionsOfEight?: readonly string[];
}

const checkedOn = "2026-11-22";
const text = { source: "https://platform.vidu.com/docs/text-to-video", checkedOn } as const;
const twoFrames = { source: "https://platform.vidu.com/docs/start-end-to-video", checkedOn } as const;
const fewRatios = ["16:9", "9:16", "1:1"] as const;
const ratios = [...fewRatios, "4:3", "3:4"] as const;
const threeTiers = ["720p", "540p", "1080p"] as const;

/** The first resolution, and the length nearest to five seconds, are requested where the client said nothing. */
export const viduModels: ModelTable<ViduRow> = {
  rows: [
    {
      ...{ models: /vidu-?q3/i, ...text, durations: { min: 1, max: 16 }, resolutions: threeTiers, ratios },
      audio: "optional",
    },
    {
      ...{ models: /vidu-?q2/i, ...twoFrames, durations: { min: 1, max: 10 }, resolutions: threeTiers, ratios },
      ...{ durationsOfTwoFrames: { min: 1, max: 8 }, audio: "never" },
    },
    {
      ...{ models: /vidu-?q1/i, ...text, durations: [5], resolutions: ["1080p"], ratios: fewRatios, audio: "never" },
    },
    {
      ...{ models: /vidu-?(?:1\.5|2\.0)/i, ...twoFrames, durations: [4, 8], ratios: fewRatios, audio: "never" },
      ...{ resolutions: ["360p", "720p", "1080p"], resolutionsOfEight: ["720p"] },
    },
  ],
  unlisted: { models: /(?:)/, ...text },
};
const usualSeconds = 5;

/** Beside canon. Nothing that changes the price or the time that a task takes. */
const passed = ["movement_amplitude", "style", "bgm"];

/** The path, and the images in the order in which it wants them. */
function wayOf(request: VideoRequest): { path: string; images: readonly VideoImage[]; hasRatio: boolean } {
  const [reference] = request.images.filter(({ role }) => role === "reference");
  const first = imageFor(request.images, "first");
  const last = imageFor(request.images, "last");
  if (reference !== undefined && (first ?? last) !== undefined)
    throw unsupported(reference.path, "this model accepts either frames or reference images, not both.");
  if (request.images.length > 7)
    throw unsupported(request.images[7]?.path ?? "", "this model accepts at most seven images.");
  if (reference !== undefined) return { path: "reference2video", images: request.images, hasRatio: true };
  if (first === undefined && last !== undefined) throw unsupported(last.path, "a last frame requires a first frame.");
  if (first === undefined) return { path: "text2video", images: [], hasRatio: true };
  if (last === undefined) return { path: "img2video", images: [first], hasRatio: false };
  return { path: "start-end2video", images: [first, last], hasRatio: false };
}

type Way = ReturnType<typeof wayOf>;

/** A model without a row is told only what the client said. */
function fitted(request: VideoRequest, row: ViduRow, { images, hasRatio }: Way): RenderedSettings {
  const isBetween = !hasRatio && images.length === 2;
  const durations = (isBetween ? row.durationsOfTwoFrames : undefined) ?? row.durations;
  const wanted = request.seconds ?? (durations === undefined ? undefined : usualSeconds);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, durations);
  const resolutions = (seconds === 8 ? row.resolutionsOfEight : undefined) ?? row.resolutions;
  return {
    seconds,
    resolution: resolutionFor(request, resolutions) ?? resolutions?.[0],
    ratio: hasRatio ? ratioFor(request, row.ratios) : undefined,
  };
}

const effectTold = (body: JsonObject): EffectiveSettings =>
  known({
    seconds: sizeNumber(body.duration),
    resolution: textOf(body.resolution).toLowerCase() || undefined,
    audio: typeof body.audio === "boolean" ? body.audio : undefined,
  });

const creationsIn = (body: unknown): JsonObject[] => {
  const { creations } = objectOf(body);
  return Array.isArray(creations) ? creations.filter(isObject).filter(({ url }) => textOf(url) !== "") : [];
};

const video = { mediaType: "video/mp4" } as const;

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  if (status !== 200 || !isObject(body) || textOf(body.state) === "") return null;
  const state = stateOf(body.state, states);
  const effect = effectTold(body);
  if (state.state === "completed") {
    const made = creationsIn(body).slice(0, 1);
    const results = made.map(({ id }) => ({ place: { kind: "locate", ref: String(id ?? "") }, ...video }) as const);
    return { ...state, effect, results };
  }
  if (state.state !== "failed") return { ...state, effect };
  const code = textOf(body.err_code);
  if (/UserCancell?ed/i.test(code))
    return { state: "cancelled", failure: { code: "cancelled", message: "The task was canceled." } };
  return { ...state, failure: faultFailure(matchErrorCode(faults, code), body.err_msg ?? body.message) };
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { reason, code, message } = objectOf(body);
  const word = textOf(reason) || textOf(code);
  return faultError(matchErrorCode(faults, word), {
    status,
    message: textOf(message) || word || textOf(body),
    retryAfterMs,
  });
}

const taskPath = ({ upstreamId }: UpstreamTask, verb: string): string =>
  `tasks/${encodeURIComponent(upstreamId)}/${verb}`;

export const viduVideos: VideoUpstream = {
  name: "vidu-videos",
  takes: ["url", "data"],
  render(request, context) {
    const way = wayOf(request);
    const needsPrompt = way.path === "text2video" || way.path === "reference2video";
    if (request.prompt === undefined && needsPrompt) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(viduModels, context);
    checkRoles(request, row, context);
    const made = fitted(request, row, way);
    const sound = soundFor(request, row, context);
    const body = omitUndefined({
      ...pick(request.metadata, passed),
      model: context.model,
      images: way.images.length === 0 ? undefined : way.images.map(imageValue),
      prompt: request.prompt,
      duration: made.seconds,
      resolution: made.resolution,
      aspect_ratio: made.ratio,
      seed: request.seed,
      audio: sound.sent,
      watermark: request.watermark,
      payload: context.taskId,
    });
    const warnings = [
      ...unverified,
      ...dropped(request, context, ["negativePrompt", "fps"]),
      ...sound.warnings,
      ...approximationWarnings(request, made, context),
    ];
    const effect = known({
      seconds: made.seconds,
      resolution: made.resolution,
      audio: sound.made,
    } as EffectiveSettings);
    return { call: { path: way.path, body }, warnings, effect };
  },
  accepted({ status, body }) {
    if (isObject(body) && body.task_id === undefined && (body.reason ?? body.code) !== undefined)
      throw parseError(status, body);
    const upstreamId = requireId(body, "task_id");
    const said = objectOf(body);
    return { upstreamId, progress: { ...stateOf(said.state ?? "created", states), effect: effectTold(said) } };
  },
  poll: (task) => getCall(taskPath(task, "creations")),
  progress,
  cancel: (task) => ({ path: taskPath(task, "cancel"), body: { id: task.upstreamId } }),
  // How long an address lives is told differently: a new one is asked for each time.
  locate: {
    call: (task) => getCall(taskPath(task, "creations")),
    read: ({ status, body }) => (status === 200 && textOf(creationsIn(body)[0]?.url)) || null,
  },
  error: { parse: parseError },
  resultSeconds: 86_400,
};
