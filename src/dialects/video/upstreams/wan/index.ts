// Wan on DashScope: a task behind a header that asks for one.
import type { VideoAsk } from "../../../../canonical/video.ts";
import { compact, isObject } from "../../../../lib/json.ts";
import { badReply, missing } from "../../../errors.ts";
import { durationFor, modelRow, soundFor } from "../../capabilities.ts";
import { imageFor } from "../../images.ts";
import { getCall, idIn, known, objectOf } from "../../json-helpers.ts";
import { picked } from "../../nearest-supported.ts";
import type { UpstreamTask, VideoEffect, VideoUpstream } from "../../upstream.ts";
import { dropped, type Made, misfits } from "../../warnings.ts";
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

function lengthOf({ seconds }: VideoAsk, { durations }: WanRow): Length {
  const wanted = seconds ?? (durations === undefined ? undefined : usualSeconds);
  const made = wanted === undefined ? undefined : durationFor(wanted, durations);
  const isFixed = durations !== undefined && "length" in durations && durations.length === 1;
  return { made, sent: seconds === undefined || isFixed ? undefined : made };
}

function effectOf({ seconds, resolution, width, height }: Made, audio: boolean | undefined): VideoEffect {
  return known({ seconds, resolution: resolution?.toLowerCase(), width, height, audio } as VideoEffect);
}

/** Models with a member for each image take two frames on a path of their own. */
function pathOf({ takesMedia }: WanRow, { images }: VideoAsk): string {
  const isBetween = !takesMedia && imageFor(images, "last") !== undefined;
  return `${root}/services/aigc/${isBetween ? "image2video" : "video-generation"}/video-synthesis`;
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `${root}/tasks/${encodeURIComponent(upstreamId)}`;

export const wanVideos: VideoUpstream = {
  name: "wan-videos",
  takes: ["url", "data"],
  render(ask, context) {
    if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(wanModels, context);
    const sound = soundFor(ask, row, context);
    const { metadata } = ask;
    const length = lengthOf(ask, row);
    const { sent, ...shape } = shapeOf(ask, row);
    const input = compact({
      ...picked({ ...metadata, ...objectOf(metadata.input) }, passedInput),
      prompt: ask.prompt,
      negative_prompt: ask.negativePrompt,
      ...mediaOf(ask, row, context),
    });
    const parameters = compact({
      ...picked({ ...metadata, ...objectOf(metadata.parameters) }, passedParameters),
      ...sent,
      duration: length.sent,
      audio: sound.sent,
      watermark: ask.watermark,
      seed: ask.seed,
    });
    const made = { ...shape, seconds: length.made };
    const warnings = [
      ...unverified,
      ...dropped(ask, context, ["fps"]),
      ...sound.warnings,
      ...misfits(ask, made, context),
    ];
    const call = {
      path: pathOf(row, ask),
      body: { model: context.model, input, parameters },
      headers: { "x-dashscope-async": "enable" },
    };
    return { call, warnings, effect: effectOf(made, sound.made) };
  },
  accepted(answer) {
    const { status, body } = answer;
    if (!isObject(body)) throw badReply("it is not a JSON object");
    if (!isObject(body.output) && body.code !== undefined) throw parseError(status, body);
    const told = progress(answer);
    return { upstreamId: idIn(body.output, "task_id"), ...(told === null ? {} : { progress: told }) };
  },
  poll: (task) => getCall(taskPath(task)),
  progress,
  cancel: (task) => ({ path: `${taskPath(task)}/cancel`, body: {} }),
  error: { parse: parseError },
  pace: { firstMs: 5_000, mostMs: 15_000 },
  resultSeconds: 86_400,
};
