// Wan on DashScope: a task behind a header that asks for one.
import type { VideoRequest } from "../../../../canonical/video.ts";
import { isObject, omitUndefined } from "../../../../lib/json.ts";
import { invalidUpstreamResponse, missing } from "../../../errors.ts";
import { durationFor, modelRow, soundFor } from "../../capabilities.ts";
import { imageFor } from "../../images.ts";
import { getCall, known, objectOf, requireId } from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import type { EffectiveSettings, UpstreamTask, VideoUpstream } from "../../upstream.ts";
import { approximationWarnings, dropped, type RenderedSettings } from "../../warnings.ts";
import { mediaOf } from "./media.ts";
import { type WanRow, wanModels } from "./models.ts";
import { shapeOf } from "./shape.ts";
import { parseError, progress } from "./task.ts";

const root = "api/v1";
/** What is made of a model that has a row when nothing is said. */
const usualSeconds = 5;
/** Members that Wan's own clients know and canon does not, flat or in the objects where they lie. */
const passedInput = ["audio_url", "template"];
const passedParameters = ["prompt_extend", "shot_type"];

interface Length {
  readonly made: number | undefined;
  /** Missing where the client said none, or the model has only one. */
  readonly sent: number | undefined;
}

function lengthOf({ seconds }: VideoRequest, { durations }: WanRow): Length {
  const wanted = seconds ?? (durations === undefined ? undefined : usualSeconds);
  const made = wanted === undefined ? undefined : durationFor(wanted, durations);
  const isFixed = durations !== undefined && "length" in durations && durations.length === 1;
  return { made, sent: seconds === undefined || isFixed ? undefined : made };
}

function effectOf(
  { seconds, resolution, width, height }: RenderedSettings,
  audio: boolean | undefined,
): EffectiveSettings {
  return known({ seconds, resolution: resolution?.toLowerCase(), width, height, audio } as EffectiveSettings);
}

/** Models with a member for each image take two frames on a path of their own. */
function pathOf({ takesMedia }: WanRow, { images }: VideoRequest): string {
  const isBetween = !takesMedia && imageFor(images, "last") !== undefined;
  return `${root}/services/aigc/${isBetween ? "image2video" : "video-generation"}/video-synthesis`;
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `${root}/tasks/${encodeURIComponent(upstreamId)}`;

export const wanVideos: VideoUpstream = {
  name: "wan-videos",
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(wanModels, context);
    const sound = soundFor(request, row, context);
    const { metadata } = request;
    const length = lengthOf(request, row);
    const { sent, ...shape } = shapeOf(request, row);
    const input = omitUndefined({
      ...pick({ ...metadata, ...objectOf(metadata.input) }, passedInput),
      prompt: request.prompt,
      negative_prompt: request.negativePrompt,
      ...mediaOf(request, row, context),
    });
    const parameters = omitUndefined({
      ...pick({ ...metadata, ...objectOf(metadata.parameters) }, passedParameters),
      ...sent,
      duration: length.sent,
      audio: sound.sent,
      watermark: request.watermark,
      seed: request.seed,
    });
    const made = { ...shape, seconds: length.made };
    const warnings = [
      ...unverified,
      ...dropped(request, context, ["fps"]),
      ...sound.warnings,
      ...approximationWarnings(request, made, context),
    ];
    const call = {
      path: pathOf(row, request),
      body: { model: context.model, input, parameters },
      headers: { "x-dashscope-async": "enable" },
    };
    return { call, warnings, effect: effectOf(made, sound.made) };
  },
  accepted(answer) {
    const { status, body } = answer;
    if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
    if (!isObject(body.output) && body.code !== undefined) throw parseError(status, body);
    const told = progress(answer);
    return { upstreamId: requireId(body.output, "task_id"), ...(told === null ? {} : { progress: told }) };
  },
  poll: (task) => getCall(taskPath(task)),
  progress,
  cancel: (task) => ({ path: `${taskPath(task)}/cancel`, body: {} }),
  error: { parse: parseError },
  pace: { firstMs: 5_000, mostMs: 15_000 },
  resultSeconds: 86_400,
};
