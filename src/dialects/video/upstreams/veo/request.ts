// What is asked of Veo: one instance with its images, and parameters. Its two services take almost the same.
import type { VideoImage, VideoRequest } from "../../../../canonical/video.ts";
import type { Warning } from "../../../../canonical/warning.ts";
import { type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import type { ModelRow } from "../../../shared/model-table.ts";
import { checkRoles, durationFor, modelRow, ratioFor, resolutionFor } from "../../capabilities.ts";
import { base64Of, imageFor } from "../../images.ts";
import { known } from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import { pixelsOf } from "../../result-urls.ts";
import type { EffectiveSettings, VideoRenderContext } from "../../upstream.ts";
import { approximationWarnings, dropped, fixedSound, type RenderedSettings } from "../../warnings.ts";
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
  readonly effect: EffectiveSettings;
}

/** What is made of a model that has a row when nothing is said. */
const usual = { seconds: 8, ratio: "16:9", resolution: "720p", framesPerSecond: 24 } as const;
const mostReferences = 3;

interface Fit {
  /** What is said; missing where the client said nothing, or the model has no such setting. */
  readonly sent: Pick<RenderedSettings, "seconds" | "ratio" | "resolution">;
  /** What is made, as far as it is known. */
  readonly made: Pick<RenderedSettings, "seconds" | "ratio" | "resolution">;
}

function fitted(request: VideoRequest, row: ModelRow, { ties }: VeoService): Fit {
  const wanted = request.seconds ?? (row.durations === undefined ? undefined : usual.seconds);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, row.durations);
  const isTied = ties && seconds !== usual.seconds;
  const ratio = ratioFor(request, row.ratios);
  const resolution = resolutionFor(request, isTied ? row.resolutions?.slice(0, 1) : row.resolutions);
  return {
    sent: { seconds: request.seconds === undefined ? undefined : seconds, ratio, resolution },
    made: {
      seconds,
      ratio: ratio ?? (row.ratios && usual.ratio),
      resolution: resolution ?? (row.resolutions && usual.resolution),
    },
  };
}

function bytesOf({ source, path }: VideoImage): JsonObject {
  if (source.kind !== "bytes") throw unsupported(path, "this model accepts image bytes only, not URLs.");
  return { bytesBase64Encoded: base64Of(source), mimeType: source.mediaType };
}

function imagesOf(images: readonly VideoImage[]): JsonObject {
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const references = images.filter(({ role }) => role === "reference");
  const stray = references[mostReferences];
  if (stray !== undefined)
    throw unsupported(stray.path, `this model accepts at most ${mostReferences} reference images.`);
  if (last !== undefined && first === undefined) throw unsupported(last.path, "a last frame requires a first frame.");
  return omitUndefined({
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

function soundMade({ audio: requested }: VideoRequest, row: ModelRow, service: VeoService): boolean | undefined {
  if (row.audio === undefined) return service.choosesSound ? requested : undefined;
  return row.audio !== "never" && !(canChooseSound(row, service) && requested === false);
}

function warningsOf(request: VideoRequest, context: VideoRenderContext, service: VeoService, row: ModelRow): Warning[] {
  const lost = [
    ...(request.fps === usual.framesPerSecond ? [] : (["fps"] as const)),
    ...(service.takesSeed ? [] : (["seed"] as const)),
    "watermark" as const,
  ];
  return [
    ...dropped(request, context, lost),
    ...(canChooseSound(row, service) ? [] : fixedSound(request, context, row.audio !== "never")),
  ];
}

function effectOf({ seconds, ratio, resolution }: RenderedSettings, audio: boolean | undefined): EffectiveSettings {
  const size = ratio === undefined || resolution === undefined ? {} : pixelsOf(ratio, resolution);
  return known({ seconds, resolution, ...size, audio } as EffectiveSettings);
}

/** Throws `unsupported_parameter` for images that cannot be said. */
export function veoRequest(request: VideoRequest, context: VideoRenderContext, service: VeoService): VeoRequest {
  if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
  const { row, warnings: unverified } = modelRow(veoModels, context);
  checkRoles(request, row, context);
  const { sent, made } = fitted(request, row, service);
  const parameters = omitUndefined({
    ...pick(request.metadata, service.passed),
    aspectRatio: sent.ratio,
    resolution: sent.resolution,
    durationSeconds: sent.seconds,
    negativePrompt: request.negativePrompt,
    seed: service.takesSeed ? request.seed : undefined,
    generateAudio: canChooseSound(row, service) ? request.audio : undefined,
    sampleCount: request.n > 1 ? request.n : undefined,
  });
  return {
    body: { instances: [omitUndefined({ prompt: request.prompt, ...imagesOf(request.images) })], parameters },
    warnings: [
      ...unverified,
      ...warningsOf(request, context, service, row),
      ...approximationWarnings(request, made, context),
    ],
    effect: effectOf(made, soundMade(request, row, service)),
  };
}
