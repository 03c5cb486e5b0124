// The shape and resolution of a video as a model of Wan takes them: one of its sizes, or a resolution with or without a ratio.
import type { VideoRequest } from "../../../../canonical/video.ts";
import { type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { ratioFor, resolutionFor } from "../../capabilities.ts";
import { imageFor } from "../../images.ts";
import { nearest, proportion, shortSide, tierFor, wantedProportion } from "../../nearest-supported.ts";
import type { RenderedSettings } from "../../warnings.ts";
import type { WanRow } from "./models.ts";

export type Shape = RenderedSettings & { readonly sent: JsonObject };

const usualShape = 16 / 9;
const usualResolution = "720p";
const heights = [480, 720, 1080] as const;
/** Sizes of one shape differ by so much from each other. */
const sameShape = 0.03;

/** The resolution that a size counts as: that of the landscape of 16:9 with as many pixels. */
function resolutionOf(size: string): string {
  const [width = 0, height = 0] = size.split("*").map(Number);
  return `${nearest(Math.sqrt((width * height) / usualShape), heights)}P`;
}

/** The size that is nearest in shape and then in resolution to what was requested; undefined where nothing was. */
function sizeFor(request: VideoRequest, sizes: readonly string[]): { size: string; resolution: string } | undefined {
  const wanted = wantedProportion(request);
  if (wanted === undefined && shortSide(request) === undefined) return undefined;
  const rows = sizes.map((declared) => {
    const size = declared.replace(/[x:]/, "*");
    const off = Math.abs(Math.log((wanted ?? usualShape) / (proportion(size) ?? 1)));
    return { size, resolution: resolutionOf(size), off };
  });
  const least = Math.min(...rows.map(({ off }) => off));
  const close = rows.filter(({ off }) => off <= least + sameShape).toSorted((left, right) => left.off - right.off);
  const resolutions = close.map(({ resolution }) => resolution);
  const resolution = tierFor(request, resolutions) ?? tierFor({ resolution: usualResolution }, resolutions);
  return close.find((row) => row.resolution === resolution);
}

/** With a first frame the video has its shape. */
export function shapeOf(request: VideoRequest, { sizes, resolutions, ratios }: WanRow): Shape {
  const isFramed = imageFor(request.images, "first") !== undefined;
  if (sizes !== undefined && !isFramed) {
    const { size, resolution } = sizeFor(request, sizes) ?? {};
    const [width, height] = size?.split("*").map(Number) ?? [];
    return { sent: omitUndefined({ size }), ratio: size, resolution, width, height };
  }
  const resolution = resolutionFor(request, resolutions)?.toUpperCase();
  const ratio = isFramed ? undefined : ratioFor(request, ratios);
  return { sent: omitUndefined({ resolution, ratio }), ratio, resolution };
}
