// What is asked of Veo: one instance with its images, and parameters. Its two services take almost the same.
import type { VideoAsk, VideoImage } from "../../../../canonical/video.ts";
import type { Warning } from "../../../../canonical/warning.ts";
import { compact, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import type { ModelRow } from "../../../shared/model-table.ts";
import { checkRoles, durationFor, modelRow, ratioFor, resolutionFor } from "../../capabilities.ts";
import { base64Of, imageFor } from "../../images.ts";
import { known } from "../../json-helpers.ts";
import { picked } from "../../nearest-supported.ts";
import { pixelsOf } from "../../result-urls.ts";
import type { VideoEffect, VideoRenderContext } from "../../upstream.ts";
import { dropped, fixedSound, type Made, misfits } from "../../warnings.ts";
import { veoModels } from "./models.ts";

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

/** What is made of a model that has a row when nothing is said. */
const usual = { seconds: 8, ratio: "16:9", resolution: "720p", framesPerSecond: 24 } as const;
const mostReferences = 3;

interface Fit {
  /** What is said; missing where the client said nothing, or the model has no such setting. */
  readonly sent: Pick<Made, "seconds" | "ratio" | "resolution">;
  /** What is made, as far as it is known. */
  readonly made: Pick<Made, "seconds" | "ratio" | "resolution">;
}

function fitted(ask: VideoAsk, row: ModelRow, { ties }: VeoService): Fit {
  const wanted = ask.seconds ?? (row.durations === undefined ? undefined : usual.seconds);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, row.durations);
  const isTied = ties && seconds !== usual.seconds;
  const ratio = ratioFor(ask, row.ratios);
  const resolution = resolutionFor(ask, isTied ? row.resolutions?.slice(0, 1) : row.resolutions);
  return {
    sent: { seconds: ask.seconds === undefined ? undefined : seconds, ratio, resolution },
    made: {
      seconds,
      ratio: ratio ?? (row.ratios && usual.ratio),
      resolution: resolution ?? (row.resolutions && usual.resolution),
    },
  };
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

const canChooseSound = ({ audio = "optional" }: ModelRow, service: VeoService): boolean =>
  service.choosesSound && audio === "optional";

function soundMade({ audio: requested }: VideoAsk, row: ModelRow, service: VeoService): boolean | undefined {
  if (row.audio === undefined) return service.choosesSound ? requested : undefined;
  return row.audio !== "never" && !(canChooseSound(row, service) && requested === false);
}

function warningsOf(ask: VideoAsk, context: VideoRenderContext, service: VeoService, row: ModelRow): Warning[] {
  const lost = [
    ...(ask.fps === usual.framesPerSecond ? [] : (["fps"] as const)),
    ...(service.takesSeed ? [] : (["seed"] as const)),
    "watermark" as const,
  ];
  return [
    ...dropped(ask, context, lost),
    ...(canChooseSound(row, service) ? [] : fixedSound(ask, context, row.audio !== "never")),
  ];
}

function effectOf({ seconds, ratio, resolution }: Made, audio: boolean | undefined): VideoEffect {
  const size = ratio === undefined || resolution === undefined ? {} : pixelsOf(ratio, resolution);
  return known({ seconds, resolution, ...size, audio } as VideoEffect);
}

/** Throws `unsupported_parameter` for images that cannot be said. */
export function veoRequest(ask: VideoAsk, context: VideoRenderContext, service: VeoService): VeoRequest {
  if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
  const { row, warnings: unverified } = modelRow(veoModels, context);
  checkRoles(ask, row, context);
  const { sent, made } = fitted(ask, row, service);
  const parameters = compact({
    ...picked(ask.metadata, service.passed),
    aspectRatio: sent.ratio,
    resolution: sent.resolution,
    durationSeconds: sent.seconds,
    negativePrompt: ask.negativePrompt,
    seed: service.takesSeed ? ask.seed : undefined,
    generateAudio: canChooseSound(row, service) ? ask.audio : undefined,
    sampleCount: ask.n > 1 ? ask.n : undefined,
  });
  return {
    body: { instances: [compact({ prompt: ask.prompt, ...imagesOf(ask.images) })], parameters },
    warnings: [...unverified, ...warningsOf(ask, context, service, row), ...misfits(ask, made, context)],
    effect: effectOf(made, soundMade(ask, row, service)),
  };
}
