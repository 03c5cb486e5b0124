// What is asked of Veo: one instance with its images, and parameters. Its two services take almost the same.
import type { VideoAsk, VideoImage } from "../../../../canon/video.ts";
import type { Warning } from "../../../../canon/warning.ts";
import { compact, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../reject.ts";
import { nearest, nearestRatio, picked, tierFor, within } from "../../fit.ts";
import { base64Of, imageFor } from "../../images.ts";
import { dropped, fixedSound, type Made, misfits } from "../../losses.ts";
import { pixelsOf } from "../../results.ts";
import type { VideoEffect, VideoRenderContext } from "../../upstream.ts";

/** How a service differs from the other. */
export interface VeoService {
  /** Members of `parameters` that its own clients know and canon does not. Never where results are put, nor how many. */
  readonly passed: readonly string[];
  /** Whether sound can be chosen; elsewhere it belongs to the model. */
  readonly choosesSound: boolean;
  /** Whether a seed can be said. */
  readonly takesSeed: boolean;
  /** Whether tiers above the lowest are only made in the longest length. */
  readonly ties: boolean;
}

export interface VeoRequest {
  readonly body: JsonObject;
  readonly warnings: readonly Warning[];
  readonly effect: VideoEffect;
}

const ratios = ["16:9", "9:16"] as const;
const lengths = [4, 6, 8] as const;
const usual = { seconds: 8, ratio: "16:9", resolution: "720p", framesPerSecond: 24 } as const;
const mostReferences = 3;

/** https://ai.google.dev/gemini-api/docs/video: tiers by the generation in a model's name. */
const tiers: readonly (readonly [RegExp, readonly string[]])[] = [
  [/veo-2/i, ["720p"]],
  [/veo-3\.0/i, ["720p", "1080p"]],
];
const newestTiers = ["720p", "1080p", "4k"] as const;

const isOld = (model: string): boolean => /veo-2/i.test(model);

function tierOf(ask: VideoAsk, model: string, seconds: number, { ties }: VeoService): string | undefined {
  const offered = tiers.find(([pattern]) => pattern.test(model))?.[1] ?? newestTiers;
  const made = ties && seconds !== usual.seconds ? offered.slice(0, 1) : offered;
  return tierFor(ask, made);
}

function bytesOf({ source, path }: VideoImage): JsonObject {
  if (source.kind !== "bytes") throw unsupported(path, "it takes images as bytes.");
  return { bytesBase64Encoded: base64Of(source), mimeType: source.mediaType };
}

function imagesOf(images: readonly VideoImage[]): JsonObject {
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const references = images.filter(({ role }) => role === "reference");
  const stray = references[mostReferences];
  if (stray !== undefined) throw unsupported(stray.path, `it takes ${mostReferences} images for reference.`);
  if (last !== undefined && first === undefined)
    throw unsupported(last.path, "it takes no last frame without a first.");
  return compact({
    image: first && bytesOf(first),
    lastFrame: last && bytesOf(last),
    referenceImages:
      references.length === 0
        ? undefined
        : references.map((image) => ({ image: bytesOf(image), referenceType: "asset" })),
  });
}

function soundLoss(ask: VideoAsk, context: VideoRenderContext, service: VeoService): Warning[] {
  const isFree = service.choosesSound && !isOld(context.model);
  return isFree ? [] : fixedSound(ask, context, !isOld(context.model));
}

function effectOf(made: Made & { seconds: number }, hasSound: boolean): VideoEffect {
  const resolution = made.resolution ?? usual.resolution;
  return { seconds: made.seconds, resolution, ...pixelsOf(made.ratio ?? usual.ratio, resolution), audio: hasSound };
}

/** Throws `unsupported_parameter` for images that cannot be said. */
export function veoRequest(ask: VideoAsk, context: VideoRenderContext, service: VeoService): VeoRequest {
  const { model } = context;
  if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
  const wanted = ask.seconds ?? usual.seconds;
  const seconds = isOld(model) ? within(wanted, 5, 8) : nearest(wanted, lengths);
  const ratio = nearestRatio(ask, ratios);
  const resolution = tierOf(ask, model, seconds, service);
  const made = { seconds, ratio: ratio ?? usual.ratio, resolution: resolution ?? usual.resolution };
  const audio = service.choosesSound && !isOld(model) ? ask.audio : undefined;
  const parameters = compact({
    ...picked(ask.metadata, service.passed),
    aspectRatio: ratio,
    resolution: isOld(model) ? undefined : resolution,
    durationSeconds: ask.seconds === undefined ? undefined : seconds,
    negativePrompt: ask.negativePrompt,
    seed: service.takesSeed ? ask.seed : undefined,
    generateAudio: audio,
    sampleCount: ask.n > 1 ? ask.n : undefined,
  });
  const lost = [
    ...(ask.fps === usual.framesPerSecond ? [] : (["fps"] as const)),
    ...(service.takesSeed ? [] : (["seed"] as const)),
    "watermark" as const,
  ];
  return {
    body: { instances: [compact({ prompt: ask.prompt, ...imagesOf(ask.images) })], parameters },
    warnings: [...dropped(ask, context, lost), ...soundLoss(ask, context, service), ...misfits(ask, made, context)],
    effect: effectOf(made, !isOld(model) && audio !== false),
  };
}
