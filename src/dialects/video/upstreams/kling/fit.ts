// What Kling's models offer: lengths, ratios, tiers and sound, by their generation.
import type { VideoAsk, VideoImage } from "../../../../canon/video.ts";
import type { Warning } from "../../../../canon/warning.ts";
import { unsupported } from "../../../reject.ts";
import { nearest, nearestRatio, tierFor, within } from "../../fit.ts";
import { base64Of } from "../../images.ts";
import { dropped, fixedSound, misfits } from "../../losses.ts";
import { pixelsOf } from "../../results.ts";
import type { VideoEffect, VideoRenderContext } from "../../upstream.ts";

/** `2.6` of `kling-v2-6` and of `kling-2.6`; models without a number are taken for new ones. */
function generationOf(model: string): number {
  const [, major, minor = "0"] = /^kling-v?(\d+)(?:[.-](\d))?(?!\d)/i.exec(model) ?? [];
  return major === undefined ? Number.POSITIVE_INFINITY : Number(`${major}.${minor}`);
}

const lengths = [5, 10] as const;
const ratios = ["16:9", "9:16", "1:1"] as const;
const tiers = ["720p", "1080p"] as const;
const newerTiers = [...tiers, "4k"] as const;
const usual = { seconds: 5, ratio: "16:9", resolution: "720p" } as const;

export interface Fit {
  readonly seconds: number;
  /** Missing where the client said none, or where it follows the image. */
  readonly ratio: (typeof ratios)[number] | undefined;
  readonly resolution: (typeof newerTiers)[number] | undefined;
  readonly audio: boolean | undefined;
  readonly warnings: readonly Warning[];
  readonly effect: VideoEffect;
}

/** What is said to the upstream of length, shape and sound, what will be made of it, and what is lost. */
export function fit(ask: VideoAsk, context: VideoRenderContext, isFramed: boolean): Fit {
  const generation = generationOf(context.model);
  const wanted = ask.seconds ?? usual.seconds;
  const seconds = generation < 3 ? nearest(wanted, lengths) : within(wanted, 3, 15);
  const ratio = isFramed ? undefined : nearestRatio(ask, ratios);
  const resolution = tierFor(ask, generation < 3 ? tiers : newerTiers);
  const hasSound = generation >= 2.6;
  const made = {
    seconds,
    resolution: resolution ?? usual.resolution,
    ...(isFramed ? {} : { ratio: ratio ?? usual.ratio }),
  };
  return {
    seconds,
    ratio,
    resolution,
    audio: hasSound ? ask.audio : undefined,
    warnings: [
      ...dropped(ask, context, ["fps", "seed"]),
      ...(hasSound ? [] : fixedSound(ask, context, false)),
      ...misfits(ask, made, context),
    ],
    effect: {
      seconds,
      resolution: made.resolution,
      audio: hasSound && ask.audio === true,
      ...(made.ratio === undefined ? {} : pixelsOf(made.ratio, made.resolution)),
    },
  };
}

/** An address, or Base64 without the beginning of a data URI, which is refused here. */
export function imageValue({ source, path }: VideoImage): string {
  if (source.kind === "file") throw unsupported(path, "it takes images as addresses or as bytes.");
  if (source.kind === "url") return source.url;
  if (!/^image\/(?:jpeg|png)$/.test(source.mediaType)) throw unsupported(path, "it takes images as JPEG or PNG.");
  return base64Of(source);
}
