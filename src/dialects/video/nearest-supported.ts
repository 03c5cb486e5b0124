// Maps requested values to what an upstream supports: the nearest length, ratio, size and tier.
import type { VideoRequest } from "../../canonical/video.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The nearest allowed value; of two equally near ones, the larger. */
export function nearest(requested: number, allowed: readonly [number, ...number[]]): number {
  return allowed.reduce((best, value) => {
    const gain = Math.abs(best - requested) - Math.abs(value - requested);
    return gain > 0 || (gain === 0 && value > best) ? value : best;
  });
}

/** The nearest whole number between two bounds. */
export function within(requested: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(requested + 0.5)));
}

/** Width over height of `16:9`, `1280x720`, `1280*720`; undefined for any other text. */
export function proportion(text: string): number | undefined {
  const [, width, height] = /^\s*(\d{1,5}(?:\.\d+)?)\s*[:x*×/]\s*(\d{1,5}(?:\.\d+)?)\s*$/i.exec(text) ?? [];
  const value = Number(width) / Number(height);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Both sides; a missing one is computed for a landscape of 16:9. */
export function sizeOf({
  width,
  height,
}: Pick<VideoRequest, "width" | "height">): { width: number; height: number } | null {
  if (width === undefined && height === undefined) return null;
  const known = {
    width: width ?? Math.round(((height ?? 0) * 16) / 9),
    height: height ?? Math.round(((width ?? 0) * 9) / 16),
  };
  return known.width > 0 && known.height > 0 ? known : null;
}

/** The requested shape, width over height: the ratio, otherwise that of the size. */
export function requestedProportion(request: Pick<VideoRequest, "ratio" | "width" | "height">): number | undefined {
  const requested = request.ratio === undefined ? undefined : proportion(request.ratio);
  const size = sizeOf(request);
  return requested ?? (size === null ? undefined : size.width / size.height);
}

/** The nearest allowed ratio; undefined where the client requested none. */
export function nearestRatio<Ratio extends string>(
  request: Pick<VideoRequest, "ratio" | "width" | "height">,
  allowed: readonly Ratio[],
): Ratio | undefined {
  const requested = requestedProportion(request);
  if (requested === undefined) return undefined;
  const distance = (ratio: string): number => Math.abs(Math.log(requested) - Math.log(proportion(ratio) ?? 1e9));
  return allowed.reduce<Ratio | undefined>(
    (best, ratio) => (best === undefined || distance(ratio) < distance(best) ? ratio : best),
    undefined,
  );
}

/** The nearest allowed size, with any separator: first by shape, then by area. */
export function nearestSize<Size extends string>(
  request: Pick<VideoRequest, "ratio" | "width" | "height" | "resolution">,
  allowed: readonly Size[],
): Size | undefined {
  const requested = requestedProportion(request);
  const size = sizeOf(request);
  const side = shortSide(request);
  if (requested === undefined && side === undefined) return undefined;
  const area =
    size === null
      ? side === undefined
        ? undefined
        : side * side * Math.max(requested ?? 1, 1 / (requested ?? 1))
      : size.width * size.height;
  const score = (text: string): readonly [number, number] => {
    const [width = 1, height = 1] = text.split(/[x*:]/).map(Number);
    const shape = requested === undefined ? 0 : Math.abs(Math.log(requested) - Math.log(width / height));
    // Sizes within a few percent count as one shape, because encoders prefer sides that are multiples of a power of
    // two.
    return [Math.round(shape * 20), area === undefined ? 0 : Math.abs(Math.log(area / (width * height)))];
  };
  const better = (left: readonly [number, number], right: readonly [number, number]): boolean =>
    left[0] < right[0] || (left[0] === right[0] && left[1] < right[1]);
  return allowed.reduce<Size | undefined>(
    (best, text) => (best === undefined || better(score(text), score(best)) ? text : best),
    undefined,
  );
}

const sideOfTier: { readonly [tier: string]: number } = { "4k": 2160, "2k": 1440, uhd: 2160, hd: 720, fhd: 1080 };

/** The requested short side, in pixels. */
export function shortSide(request: Pick<VideoRequest, "width" | "height" | "resolution">): number | undefined {
  const tier = request.resolution?.toLowerCase();
  const requested =
    tier === undefined ? undefined : (sideOfTier[tier] ?? Number(/^(\d{3,4})p?$/.exec(tier)?.[1] ?? Number.NaN));
  if (requested !== undefined && Number.isFinite(requested)) return requested;
  const size = sizeOf(request);
  return size === null ? undefined : Math.min(size.width, size.height);
}

/** The resolution for pricing: the vendor's name, otherwise that of the short side. */
export function resolutionName(made: Pick<VideoRequest, "width" | "height" | "resolution">): string | undefined {
  if (made.resolution !== undefined) return made.resolution.toLowerCase();
  const side = shortSide(made);
  if (side === undefined) return undefined;
  return side === sideOfTier["4k"] ? "4k" : `${side}p`;
}

const floors: readonly (readonly [number, number])[] = [
  [2000, 2160],
  [1400, 1440],
  [1000, 1080],
  [700, 720],
  [500, 540],
];

/**
 * The tier for the requested size, among those of the upstream, such as `["480p", "720p", "1080P"]`: the equal one,
 * otherwise the nearest lower one, otherwise the lowest. Undefined where the client requested none.
 */
export function tierFor<Tier extends string>(
  request: Pick<VideoRequest, "width" | "height" | "resolution">,
  allowed: readonly Tier[],
): Tier | undefined {
  const side = shortSide(request);
  if (side === undefined) return undefined;
  const meant = floors.find(([floor]) => side >= floor)?.[1] ?? 480;
  const sideOf = (tier: string): number => shortSide({ resolution: tier }) ?? 0;
  const ordered = allowed.toSorted((left, right) => sideOf(left) - sideOf(right));
  // Some servers use 768 lines for what others call 720.
  return ordered.findLast((tier) => sideOf(tier) <= meant * 1.07) ?? ordered[0];
}

/** Members of a client's native fields with the upstream's names. Nothing else passes. */
export function pick(metadata: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]])));
}

/** Merges `more` into `target`; nested objects are merged too. */
export function deepMerge(target: JsonObject, more: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [name, value] of Object.entries(more)) {
    const there = result[name];
    result[name] = isObject(there) && isObject(value) ? deepMerge(there, value) : (value as Json | undefined);
  }
  return result;
}
