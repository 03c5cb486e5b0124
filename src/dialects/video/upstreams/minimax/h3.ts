// MiniMax's newer videos: a list of contents with roles, and a task that tells its address itself.
import type { VideoAsk, VideoImage, VideoResult } from "../../../../canon/video.ts";
import { compact, isObject, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../reject.ts";
import { faultFailure } from "../../fault.ts";
import { nearestRatio, picked, tierFor, within } from "../../fit.ts";
import { dropped, fixedSound, misfits } from "../../losses.ts";
import type { UpstreamAnswer, VideoProgress, VideoUpstream } from "../../upstream.ts";
import {
  deleteCall,
  getCall,
  idIn,
  imageSent,
  known,
  objectOf,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../../wire.ts";
import { checkAccepted, faultOfCode, parseError, saidIn } from "./faults.ts";

/** https://platform.minimax.io/docs/api-reference/video-generation-v2 */
const states: States = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

const ratios = ["16:9", "21:9", "4:3", "1:1", "3:4", "9:16"] as const;
const tiers = ["768P", "2K"] as const;
const roles = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;
const passed = ["prompt_optimizer"];

/** True for models of the newer wire. */
export const isNewer = (model: string): boolean => /(?:^|-)h[3-9]/i.test(model);

const itemPath = (id: string): string => `v2/query/video_generation/${encodeURIComponent(id)}`;

function contentOf(prompt: string, images: readonly VideoImage[]): JsonObject[] {
  const reference = images.find(({ role }) => role === "reference");
  if (reference !== undefined && images.some(({ role }) => role !== "reference"))
    throw unsupported(reference.path, "it takes frames or reference images, not both.");
  const parts = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageSent(image) },
    role: roles[image.role],
  }));
  return [{ type: "text", text: prompt }, ...parts];
}

function fitted(ask: VideoAsk, model: string): { seconds: number; resolution: string; ratio?: string } {
  const seconds = within(ask.seconds ?? 5, /max/i.test(model.replace(/^minimax/i, "")) ? 5 : 4, 15);
  const resolution = tierFor(ask, tiers) ?? tiers[0];
  // With an image the video has the image's shape; without one there must be a shape.
  return { seconds, resolution, ...(ask.images.length > 0 ? {} : { ratio: nearestRatio(ask, ratios) ?? ratios[0] }) };
}

function resultsOf(task: JsonObject, upstreamId: string): VideoResult[] {
  if (textOf(objectOf(task.content).url) === "") return [];
  // Addresses live for a short time, and every answer has a new one.
  return [{ place: { kind: "locate", ref: upstreamId }, mediaType: "video/mp4" }];
}

function told(task: JsonObject, upstreamId: string): VideoProgress {
  const state = stateOf(task.status, states);
  const usage = objectOf(task.usage);
  const effect = known({ seconds: sizeNumber(usage.output_seconds) ?? sizeNumber(usage.total_seconds) });
  if (state.state === "completed") return { ...state, results: resultsOf(task, upstreamId), effect };
  if (state.state !== "failed" && state.state !== "cancelled") return state;
  const { code, message } = saidIn(task);
  const failure = faultFailure(faultOfCode(code), message);
  return { ...state, failure: state.state === "failed" ? failure : { ...failure, code: "cancelled" } };
}

function progress({ status, body }: UpstreamAnswer, upstreamId: string): VideoProgress | null {
  if (status === 404 || (status === 400 && saidIn(body).code === 2013)) return { isGone: true };
  const { task } = objectOf(body);
  return status === 200 && isObject(task) && textOf(task.status) !== "" ? told(task, upstreamId) : null;
}

export const minimaxNewerVideos: VideoUpstream = {
  name: "minimax-videos-v2",
  serves: isNewer,
  takes: ["url", "data"],
  render(ask, context) {
    if (ask.prompt === undefined) throw missing(context.fieldPath("prompt"));
    const made = fitted(ask, context.model);
    const body = compact({
      ...picked(ask.metadata, passed),
      model: context.model,
      content: contentOf(ask.prompt, ask.images),
      resolution: made.resolution,
      duration: made.seconds,
      ratio: made.ratio,
      aigc_watermark: ask.watermark,
    });
    const warnings = [
      ...dropped(ask, context, ["negativePrompt", "fps", "seed"]),
      ...fixedSound(ask, context, true),
      ...misfits(ask, made, context),
    ];
    const effect = { seconds: made.seconds, resolution: made.resolution.toLowerCase(), audio: true };
    return { call: { path: "v2/video_generation", body }, warnings, effect };
  },
  accepted({ status, body }) {
    checkAccepted(status, body);
    return { upstreamId: idIn(body, "task_id") };
  },
  poll: ({ upstreamId }) => getCall(itemPath(upstreamId)),
  progress: (answer, { upstreamId }) => progress(answer, upstreamId),
  cancel: ({ upstreamId }) => deleteCall(`v2/video_generation/${encodeURIComponent(upstreamId)}`),
  locate: {
    call: (_task, ref) => getCall(itemPath(ref)),
    read: ({ status, body }) => (status === 200 && textOf(objectOf(objectOf(objectOf(body).task).content).url)) || null,
  },
  error: { parse: parseError },
  resultSeconds: 86_400,
};
