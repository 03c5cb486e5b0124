// What is said to Kling of length, shape, resolution and sound, by the row of the model.
import type { VideoImage, VideoRequest } from "../../../../canonical/video.ts";
import type { Warning } from "../../../../canonical/warning.ts";
import { unsupported } from "../../../errors.ts";
import { durationFor, modelRow, ratioFor, resolutionFor } from "../../capabilities.ts";
import { base64Of, imageFor } from "../../images.ts";
import { known } from "../../json-helpers.ts";
import { shortSide } from "../../nearest-supported.ts";
import { pixelsOf } from "../../result-urls.ts";
import type { EffectiveSettings, VideoRenderContext } from "../../upstream.ts";
import { approximationWarnings, dropped, fixedSound } from "../../warnings.ts";
import { type KlingRow, klingModels } from "./models.ts";

/** What is made of a model that has a row when nothing is said. */
const usual = { seconds: 5, ratio: "16:9", resolution: "720p" } as const;
const highTier = "1080p";

export interface Fit {
  readonly row: KlingRow;
  readonly seconds: number | undefined;
  /** Missing where the client said none, or where it follows the image. */
  readonly ratio: string | undefined;
  readonly resolution: string | undefined;
  readonly audio: boolean | undefined;
  readonly warnings: readonly Warning[];
  readonly effect: EffectiveSettings;
}

/** The resolution, raised where what was requested only exists at a higher one. */
function tierOf(request: VideoRequest, { resolutions, only1080p = [] }: KlingRow): string | undefined {
  const tier = resolutionFor(request, resolutions);
  const isRaised =
    (only1080p.includes("audio") && request.audio === true) ||
    (only1080p.includes("last") && imageFor(request.images, "last") !== undefined);
  const side = tier === undefined ? 0 : (shortSide({ resolution: tier }) ?? 0);
  return isRaised && side < (shortSide({ resolution: highTier }) ?? 0) ? highTier : tier;
}

function effectOf(
  fit: Pick<Fit, "seconds" | "ratio" | "resolution">,
  row: KlingRow,
  sound: boolean,
): EffectiveSettings {
  const { seconds, ratio, resolution } = fit;
  const size = ratio === undefined || resolution === undefined ? {} : pixelsOf(ratio, resolution);
  const audio = row.audio === "always" || (row.audio !== "never" && sound);
  return known({ seconds, resolution, audio, ...size } as EffectiveSettings);
}

/** What is said to the upstream, what will be made of it, and what is lost. */
export function fit(request: VideoRequest, context: VideoRenderContext, isFramed: boolean): Fit {
  const { row, warnings } = modelRow(klingModels, context);
  const { durations, ratios, audio = "optional" } = row;
  const wanted = request.seconds ?? (durations === undefined ? undefined : usual.seconds);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, durations);
  const ratio = isFramed ? undefined : ratioFor(request, ratios);
  const resolution = tierOf(request, row);
  const made = {
    seconds,
    resolution: resolution ?? (row.resolutions === undefined ? undefined : usual.resolution),
    ratio: isFramed ? undefined : (ratio ?? (ratios === undefined ? undefined : usual.ratio)),
  };
  return {
    row,
    seconds,
    ratio,
    resolution,
    audio: audio === "optional" ? request.audio : undefined,
    warnings: [
      ...warnings,
      ...dropped(request, context, ["fps", "seed"]),
      ...(audio === "optional" ? [] : fixedSound(request, context, audio === "always")),
      ...approximationWarnings(request, made, context),
    ],
    effect: effectOf(made, row, request.audio === true),
  };
}

/** An address, or Base64 without the beginning of a data URI, which is refused here. */
export function imageValue({ source, path }: VideoImage): string {
  if (source.kind === "file") throw unsupported(path, "this model accepts images as URLs or as bytes.");
  if (source.kind === "url") return source.url;
  if (!/^image\/(?:jpeg|png)$/.test(source.mediaType))
    throw unsupported(path, "this model accepts JPEG and PNG images only.");
  return base64Of(source);
}
