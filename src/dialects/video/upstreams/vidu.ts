// Vidu's videos: a path for each way to use images, and a task that tells its creations.
import type { GatewayError } from "../../../canon/error.ts";
import type { VideoAsk, VideoImage } from "../../../canon/video.ts";
import { compact, isObject, type JsonObject } from "../../../lib/json.ts";
import { missing, unsupported } from "../../reject.ts";
import { type FaultTable, faultError, faultFailure, faultIn } from "../fault.ts";
import { nearest, nearestRatio, picked, tierFor, within } from "../fit.ts";
import { imageFor } from "../images.ts";
import { dropped, fixedSound, type Made, misfits } from "../losses.ts";
import type { UpstreamAnswer, UpstreamTask, VideoEffect, VideoProgress, VideoUpstream } from "../upstream.ts";
import { getCall, idIn, imageSent, known, objectOf, type States, sizeNumber, stateOf, textOf } from "../wire.ts";

const states: States = {
  created: "queued",
  queueing: "queued",
  processing: "in_progress",
  success: "completed",
  failed: "failed",
};

/** https://platform.vidu.com/docs/error-code */
const faults: FaultTable = [
  [/PolicyViolation|AuditSubmitIllegal/i, "content"],
  [/CreditInsufficient/i, "funds"],
  [/^(?:Unauthorized|Forbidden)$/i, "credentials"],
  [/QuotaExceeded|TooManyRequests|TaskLimitExceeded/i, "rate"],
  [/SystemThrottling|OperationInProcess/i, "busy"],
  [/^(?:BadRequest|Field|PageSize|Image|ModelUnavailable)/i, "input"],
  [/InternalServiceFailure/i, "broken"],
];

/** What a family of models makes. */
interface Offer {
  readonly names: RegExp;
  lengthFor(wanted: number | undefined): number;
  tiersFor(seconds: number): readonly [string, ...string[]];
  readonly ratios: readonly string[];
  readonly hasSound?: true;
}

const between =
  (least: number, most: number) =>
  (wanted = 5): number =>
    within(wanted, least, most);
const fewRatios = ["16:9", "9:16", "1:1"] as const;
const ratios = [...fewRatios, "4:3", "3:4"] as const;
/** The first is what is made when the client wants none. */
const threeTiers = ["720p", "540p", "1080p"] as const;

/** https://platform.vidu.com/docs/text-to-video */
const newest: Offer = {
  names: /q[3-9]/i,
  lengthFor: between(1, 16),
  tiersFor: () => threeTiers,
  ratios,
  hasSound: true,
};
const offers: readonly Offer[] = [
  newest,
  { names: /q2/i, lengthFor: between(1, 8), tiersFor: () => threeTiers, ratios },
  { names: /q1/i, lengthFor: () => 5, tiersFor: () => ["1080p"], ratios: fewRatios },
  {
    names: /vidu-?[12]\./i,
    lengthFor: (wanted = 4) => nearest(wanted, [4, 8]),
    tiersFor: (seconds) => (seconds === 8 ? ["720p"] : ["360p", "720p", "1080p"]),
    ratios: fewRatios,
  },
];

/** Beside canon. Nothing that changes the price or the time that a task takes. */
const passed = ["movement_amplitude", "style", "bgm"];

/** The path, and the images in the order in which it wants them. */
function wayOf(ask: VideoAsk): { path: string; images: readonly VideoImage[]; hasRatio: boolean } {
  const [reference] = ask.images.filter(({ role }) => role === "reference");
  const first = imageFor(ask.images, "first");
  const last = imageFor(ask.images, "last");
  if (reference !== undefined && (first ?? last) !== undefined)
    throw unsupported(reference.path, "it takes frames or reference images, not both.");
  if (ask.images.length > 7) throw unsupported(ask.images[7]?.path ?? "", "it takes seven images.");
  if (reference !== undefined) return { path: "reference2video", images: ask.images, hasRatio: true };
  if (first === undefined && last !== undefined)
    throw unsupported(last.path, "it takes no last frame without a first.");
  if (first === undefined) return { path: "text2video", images: [], hasRatio: true };
  if (last === undefined) return { path: "img2video", images: [first], hasRatio: false };
  return { path: "start-end2video", images: [first, last], hasRatio: false };
}

function fitted(ask: VideoAsk, offer: Offer, hasRatio: boolean): Made & { seconds: number; resolution: string } {
  const seconds = offer.lengthFor(ask.seconds);
  const tiers = offer.tiersFor(seconds);
  const ratio = hasRatio ? nearestRatio(ask, offer.ratios) : undefined;
  return { seconds, resolution: tierFor(ask, tiers) ?? tiers[0], ratio };
}

const effectTold = (body: JsonObject): VideoEffect =>
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
    return { state: "cancelled", failure: { code: "cancelled", message: "The task was cancelled." } };
  return { ...state, failure: faultFailure(faultIn(faults, code), body.err_msg ?? body.message) };
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { reason, code, message } = objectOf(body);
  const word = textOf(reason) || textOf(code);
  return faultError(faultIn(faults, word), { status, message: textOf(message) || word || textOf(body), retryAfterMs });
}

const taskPath = ({ upstreamId }: UpstreamTask, verb: string): string =>
  `tasks/${encodeURIComponent(upstreamId)}/${verb}`;

export const viduVideos: VideoUpstream = {
  name: "vidu-videos",
  takes: ["url", "data"],
  render(ask, context) {
    const way = wayOf(ask);
    const needsPrompt = way.path === "text2video" || way.path === "reference2video";
    if (ask.prompt === undefined && needsPrompt) throw missing(context.fieldPath("prompt"));
    const offer = offers.find(({ names }) => names.test(context.model)) ?? newest;
    const made = fitted(ask, offer, way.hasRatio);
    const body = compact({
      ...picked(ask.metadata, passed),
      model: context.model,
      images: way.images.length === 0 ? undefined : way.images.map(imageSent),
      prompt: ask.prompt,
      duration: made.seconds,
      resolution: made.resolution,
      aspect_ratio: made.ratio,
      seed: ask.seed,
      audio: offer.hasSound ? ask.audio : undefined,
      watermark: ask.watermark,
      payload: context.taskId,
    });
    const warnings = [
      ...dropped(ask, context, ["negativePrompt", "fps"]),
      ...(offer.hasSound ? [] : fixedSound(ask, context, false)),
      ...misfits(ask, made, context),
    ];
    const effect = known({
      seconds: made.seconds,
      resolution: made.resolution,
      audio: offer.hasSound ? ask.audio : false,
    });
    return { call: { path: way.path, body }, warnings, effect };
  },
  accepted({ status, body }) {
    if (isObject(body) && body.task_id === undefined && (body.reason ?? body.code) !== undefined)
      throw parseError(status, body);
    const upstreamId = idIn(body, "task_id");
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
