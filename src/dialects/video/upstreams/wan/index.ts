// Wan on DashScope: a task behind a header that asks for one.
import type { VideoAsk } from "../../../../canon/video.ts";
import { compact, isObject, type JsonObject } from "../../../../lib/json.ts";
import { badReply, missing } from "../../../reject.ts";
import { nearestRatio, picked, tierFor } from "../../fit.ts";
import { dropped, fixedSound, type Made, misfits } from "../../losses.ts";
import type { UpstreamTask, VideoEffect, VideoUpstream } from "../../upstream.ts";
import { getCall, idIn, known, objectOf } from "../../wire.ts";
import { mediaOf } from "./media.ts";
import { type Offer, offerFor, sizeFor, usualSeconds } from "./offers.ts";
import { parseError, progress } from "./task.ts";

const root = "api/v1";
const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
/** Members that Wan's own clients know and canon does not, flat or in the objects where they lie. */
const passedInput = ["audio_url", "template"];
const passedParameters = ["prompt_extend", "shot_type"];

type Shape = Made & { readonly said: JsonObject };

/** The shape as the model takes it: a size, or a tier with or without a ratio. */
function shapeOf(ask: VideoAsk, offer: Offer): Shape {
  const isFramed = ask.images.some(({ role }) => role === "first");
  if (!offer.isNewer && !isFramed) {
    const { size, tier } = sizeFor(ask, offer.tiers) ?? {};
    const [width, height] = size?.split("*").map(Number) ?? [];
    return { said: compact({ size }), ratio: size, resolution: tier, width, height };
  }
  const resolution = tierFor(ask, offer.tiers);
  const ratio = isFramed ? undefined : nearestRatio(ask, ratios);
  return { said: compact({ resolution, ratio }), ratio, resolution };
}

function effectOf({ resolution, width, height }: Made, seconds: number, audio: boolean | undefined): VideoEffect {
  return known({ seconds, resolution: resolution?.toLowerCase(), width, height, audio } as VideoEffect);
}

function pathOf(offer: Offer, { images }: VideoAsk): string {
  const isBetween = !offer.isNewer && images.some(({ role }) => role === "last");
  return `${root}/services/aigc/${isBetween ? "image2video" : "video-generation"}/video-synthesis`;
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `${root}/tasks/${encodeURIComponent(upstreamId)}`;

export const wanVideos: VideoUpstream = {
  name: "wan-videos",
  takes: ["url", "data"],
  render(ask, context) {
    const offer = offerFor(context.model);
    if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { metadata } = ask;
    const seconds = offer.lengthFor?.(ask.seconds ?? usualSeconds) ?? usualSeconds;
    const { said, ...shape } = shapeOf(ask, offer);
    const input = compact({
      ...picked({ ...metadata, ...objectOf(metadata.input) }, passedInput),
      prompt: ask.prompt,
      negative_prompt: ask.negativePrompt,
      ...mediaOf(ask, offer, context),
    });
    const parameters = compact({
      ...picked({ ...metadata, ...objectOf(metadata.parameters) }, passedParameters),
      ...said,
      duration: ask.seconds === undefined || offer.lengthFor === undefined ? undefined : seconds,
      audio: offer.audio === "optional" ? ask.audio : undefined,
      watermark: ask.watermark,
      seed: ask.seed,
    });
    const body = { model: context.model, input, parameters };
    const warnings = [
      ...dropped(ask, context, ["fps"]),
      ...(offer.audio === "optional" ? [] : fixedSound(ask, context, offer.audio === "always")),
      ...misfits(ask, { ...shape, seconds }, context),
    ];
    const effect = effectOf(shape, seconds, offer.audio === "optional" ? ask.audio : offer.audio === "always");
    return { call: { path: pathOf(offer, ask), body, headers: { "x-dashscope-async": "enable" } }, warnings, effect };
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
