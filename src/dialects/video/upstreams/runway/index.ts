// Runway's videos: a path for texts and one for images, sizes in place of ratios, and a task that tells its progress.
import type { GatewayError } from "../../../../canonical/error.ts";
import type { VideoImage, VideoRequest } from "../../../../canonical/video.ts";
import type { Warning } from "../../../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import { lookUpModel } from "../../../shared/model-table.ts";
import { modelRow } from "../../capabilities.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../../error-codes.ts";
import { imageFor } from "../../images.ts";
import {
  deleteCall,
  getCall,
  imageValue,
  known,
  numberOf,
  objectOf,
  requireId,
  type States,
  stateOf,
  textOf,
} from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import type {
  EffectiveSettings,
  UpstreamAnswer,
  UpstreamTask,
  VideoProgress,
  VideoRenderContext,
  VideoUpstream,
} from "../../upstream.ts";
import { approximationWarnings, dropped, fixedSound } from "../../warnings.ts";
import { type RunwayPath, type RunwayRow, runwayModels, secondsFor, shapeFor } from "./models.ts";

const states: States = {
  pending: "queued",
  throttled: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

/** https://docs.dev.runwayml.com/errors/task-failures */
const faults: VideoErrorTable = [
  [/SAFETY/i, "content"],
  [/^ASSET/i, "input"],
  [/TIMEOUT/i, "timeout"],
  [/^(?:THIRD_PARTY\.)?UNAVAILABLE/i, "busy"],
];

const passed = ["contentModeration"];

/** An image where only secure addresses are fetched. */
function uriOf(image: VideoImage): string {
  const text = imageValue(image);
  if (/^http:/i.test(text)) throw unsupported(image.path, "this provider fetches images from https URLs only.");
  return text;
}

const refusals = {
  first: "this model does not support image input.",
  last: "this model does not support a last frame.",
  reference: "this model does not support reference images.",
} as const;

function checkImages(images: readonly VideoImage[], { images: roles }: RunwayRow): void {
  const reference = images.find(({ role }) => role === "reference");
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const stray = images.find(({ role }) => roles?.includes(role) === false);
  if (reference !== undefined && (first ?? last) !== undefined)
    throw unsupported(reference.path, "this model accepts either frames or reference images, not both.");
  if (stray !== undefined) throw unsupported(stray.path, refusals[stray.role]);
  if (last !== undefined && first === undefined) throw unsupported(last.path, "a last frame requires a first frame.");
}

/** The one frame alone, or both with their positions. */
function promptImage(images: readonly VideoImage[]): Json {
  const [only] = images;
  if (only !== undefined && images.length === 1) return uriOf(only);
  return images.map((image) => ({ uri: uriOf(image), position: image.role }));
}

const pathOf = ({ images }: VideoRequest): RunwayPath =>
  images.some(({ role }) => role !== "reference") ? "image_to_video" : "text_to_video";

function imagesOf({ images }: VideoRequest): JsonObject {
  if (images.length === 0) return {};
  if (images.every(({ role }) => role === "reference"))
    return { references: images.map((image) => ({ uri: uriOf(image) })) };
  return { promptImage: promptImage(images) };
}

/** The row of the model for this path. Throws for a model that has the other path only. */
function rowFor(request: VideoRequest, context: VideoRenderContext): { row: RunwayRow; warnings: readonly Warning[] } {
  const path = pathOf(request);
  const other = path === "text_to_video" ? "image_to_video" : "text_to_video";
  const here = lookUpModel(runwayModels[path], context);
  if (here.isListed || !lookUpModel(runwayModels[other], context).isListed)
    return modelRow(runwayModels[path], context);
  if (path === "text_to_video")
    throw unsupported(context.fieldPath("prompt"), "this model supports image-to-video only.");
  throw unsupported(request.images[0]?.path ?? "", refusals.first);
}

const optional = ["seed", "negativePrompt"] as const;

const hasOption = ({ options }: RunwayRow, name: string): boolean => options?.includes(name) !== false;

function lossesOf(request: VideoRequest, row: RunwayRow, context: VideoRenderContext): Warning[] {
  const { audio } = row;
  const isFixed = audio === "always" || audio === "never";
  const unsaid = isFixed ? optional : ([...optional, "audio"] as const);
  return [
    ...dropped(request, context, ["fps", "watermark", ...unsaid.filter((field) => !hasOption(row, field))]),
    ...(isFixed ? fixedSound(request, context, audio === "always") : []),
  ];
}

function told(body: JsonObject): VideoProgress {
  const state = stateOf(body.status, states);
  const part = state.state === "in_progress" ? numberOf(body.progress) : undefined;
  const percent = part === undefined ? undefined : Math.round(Math.min(1, Math.max(0, part)) * 100);
  if (state.state === "failed")
    return { ...state, failure: faultFailure(matchErrorCode(faults, textOf(body.failureCode)), body.failure) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was canceled." } };
  if (state.state !== "completed") return known({ ...state, percent });
  const output = Array.isArray(body.output) ? body.output.map(textOf).filter((url) => /^https?:/.test(url)) : [];
  return { ...state, results: output.map((url) => ({ place: { kind: "url", url } })) };
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  return status === 200 && isObject(body) && textOf(body.status) !== "" ? told(body) : null;
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { error, issues } = objectOf(body);
  const list = Array.isArray(issues) ? issues.filter(isObject) : [];
  const said = list.map(({ path, message }) => [Array.isArray(path) ? path.join(".") : "", textOf(message)]);
  const details = said.map((words) => words.filter(Boolean).join(": ")).join("; ");
  const message = [textOf(error) || textOf(body), details].filter(Boolean).join(" ");
  return faultError(/moderation|safety/i.test(message) && status === 400 ? "content" : undefined, {
    status,
    message,
    retryAfterMs,
  });
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `tasks/${encodeURIComponent(upstreamId)}`;

export const runwayVideos: VideoUpstream = {
  name: "runway-videos",
  takes: ["url", "data"],
  secureOnly: true,
  render(request, context) {
    const { row, warnings } = rowFor(request, context);
    const { path, audio } = row;
    checkImages(request.images, row);
    if (request.prompt === undefined && (row.needsPrompt || path === "text_to_video"))
      throw missing(context.fieldPath("prompt"));
    const { members, made } = shapeFor(request, row);
    const seconds = secondsFor(request, row);
    const body = omitUndefined({
      ...(hasOption(row, "contentModeration") ? pick(request.metadata, passed) : {}),
      model: context.model,
      promptText: request.prompt,
      negativePrompt: hasOption(row, "negativePrompt") ? request.negativePrompt : undefined,
      ...imagesOf(request),
      ...members,
      duration: seconds,
      seed: hasOption(row, "seed") ? request.seed : undefined,
      audio: hasOption(row, "audio") ? request.audio : undefined,
    });
    const losses = [
      ...lossesOf(request, row, context),
      ...approximationWarnings(request, { ...made, seconds }, context),
    ];
    const fixed = audio === undefined ? undefined : audio === "always";
    const sound = hasOption(row, "audio") ? request.audio : fixed;
    const { width, height, resolution } = made;
    const size = width === undefined ? { resolution } : { width, height };
    const effect = known({ seconds, ...size, audio: sound } as EffectiveSettings);
    return { call: { path, body }, warnings: [...warnings, ...losses], effect };
  },
  accepted: ({ body }) => ({ upstreamId: requireId(body, "id") }),
  poll: (task) => getCall(taskPath(task)),
  progress,
  cancel: (task) => deleteCall(taskPath(task)),
  remove: (task) => deleteCall(taskPath(task)),
  error: { parse: parseError },
  // A task may not be asked for more often than every five seconds.
  pace: { firstMs: 6_000, mostMs: 10_000 },
  resultSeconds: 86_400,
};
