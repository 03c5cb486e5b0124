// Image sizes: pixels with any separator, a ratio, or a named resolution, and the nearest supported one.
import type { ImageSize } from "../../canonical/image.ts";
import type { Json } from "../../lib/json.ts";
import { badValue } from "../errors.ts";

type Shape = Omit<ImageSize, "path">;

export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** No provider generates images beyond these bounds; each has its own within them. */
const leastSide = 16;
const mostSide = 16_384;
const mostPixels = 33_554_432;

const pixels = /^\s*(\d{1,6})\s*[xX*×]\s*(\d{1,6})\s*$/;
const ratio = /^\s*(\d{1,3})\s*:\s*(\d{1,3})\s*$/;
const resolution = /^\s*(512|[124]k)\s*$/i;

function checked(width: number, height: number, path: string): Pixels {
  const isWithin = [width, height].every((side) => side >= leastSide && side <= mostSide);
  if (isWithin && width * height <= mostPixels) return { width, height };
  throw badValue(
    path,
    `'${path}' must have sides of ${leastSide} to ${mostSide} pixels and at most ${mostPixels} pixels in total.`,
  );
}

/** A ratio as two numbers; null for any other text. */
function ratioSides(text: string): readonly [number, number] | null {
  const [, width, height] = ratio.exec(text) ?? [];
  const sides = [Number(width), Number(height)] as const;
  return sides.every((side) => side > 0) ? sides : null;
}

/**
 * `1024x1024` with any separator, `16:9`, `2K`, or `auto`, which requests nothing. Throws `invalid_value` for anything
 * else.
 */
export function readSize(text: string, path: string): Shape {
  if (/^\s*(?:auto)?\s*$/i.test(text)) return {};
  const [, width, height] = pixels.exec(text) ?? [];
  if (width !== undefined) return checked(Number(width), Number(height), path);
  const named = resolution.exec(text)?.[1];
  if (named !== undefined) return { resolution: named.toUpperCase() };
  if (ratioSides(text) !== null) return { ratio: text.replaceAll(/\s/g, "") };
  throw badValue(path, `'${path}' must be 'auto' or a width and height such as '1024x1024'.`);
}

/**
 * The size that these members request together, with the path of the first one that does; nothing where all are empty.
 */
export function sizeFrom(...members: readonly (readonly [path: string, text: Json | undefined])[]): {
  size?: ImageSize;
} {
  const given = members.flatMap(([path, text]) =>
    typeof text === "string" && text !== "" ? [{ ...readSize(text, path), path }] : [],
  );
  const [first] = given;
  const shape: Shape = Object.assign({}, ...given);
  return first === undefined || pixelsOf(shape) === null ? {} : { size: { ...shape, path: first.path } };
}

const baseSides: { readonly [resolution: string]: number } = { "512": 512, "1K": 1024, "2K": 2048, "4K": 4096 };

const toSixteen = (side: number): number => Math.max(16, Math.round(side / 16) * 16);

/** The pixels of a size; null where they are not determined. */
export function pixelsOf({ width, height, ratio: wanted, resolution: named }: Shape): Pixels | null {
  if (width !== undefined && height !== undefined) return { width, height };
  const sides = wanted === undefined ? null : ratioSides(wanted);
  if (sides === null && named === undefined) return null;
  const side = baseSides[named ?? "1K"] ?? 1024;
  const shape = sides === null ? 1 : sides[0] / sides[1];
  return { width: toSixteen(side * Math.sqrt(shape)), height: toSixteen(side / Math.sqrt(shape)) };
}

const shapeOf = ({ width, height }: Pixels): number => Math.log(width / height);

/** The item with the smallest distance, the first of several. */
function nearestBy<Item>(items: readonly [Item, ...Item[]], distance: (item: Item) => number): Item {
  return items.reduce((best, item) => (distance(item) < distance(best) ? item : best));
}

/** The size with the nearest shape, then the nearest area. */
export function nearestPixels(wanted: Pixels, allowed: readonly [Pixels, ...Pixels[]]): Pixels {
  const area = Math.log(wanted.width * wanted.height);
  return nearestBy(
    allowed,
    (size) =>
      Math.round(Math.abs(shapeOf(size) - shapeOf(wanted)) * 100) * 1_000 +
      Math.abs(Math.log(size.width * size.height) - area),
  );
}

/** The nearest of these ratios; undefined where the request does not determine the shape. */
export function ratioFor(ask: Shape, allowed: readonly [string, ...string[]]): string | undefined {
  const sides = ask.ratio === undefined ? null : ratioSides(ask.ratio);
  const shape = ask.width !== undefined && ask.height !== undefined ? ask.width / ask.height : undefined;
  const wanted = sides === null ? shape : sides[0] / sides[1];
  if (wanted === undefined) return undefined;
  const log = (text: string): number => {
    const [width = 1, height = 1] = ratioSides(text) ?? [];
    return Math.log(width / height);
  };
  return nearestBy(allowed, (text) => Math.abs(log(text) - Math.log(wanted)));
}

/** The requested resolution; undefined where the request does not determine it. */
export function resolutionFor({ width, height, resolution: named }: Shape): string | undefined {
  if (named !== undefined) return named;
  if (width === undefined || height === undefined) return undefined;
  const longest = Math.max(width, height);
  if (longest <= 1536) return "1K";
  return longest <= 2560 ? "2K" : "4K";
}

/** The nearest of these resolutions, such as `1K` and `2K`; undefined where there are none. */
export function nearestResolution(wanted: string, allowed: readonly string[]): string | undefined {
  const [first, ...others] = allowed;
  if (first === undefined) return undefined;
  const side = (resolution: string): number => Math.log(baseSides[resolution.toUpperCase()] ?? Number.MAX_VALUE);
  return nearestBy([first, ...others], (resolution) => Math.abs(side(resolution) - side(wanted)));
}

/** Sizes such as `1024x1024` as pixels. */
export function sizesOf(first: string, ...others: readonly string[]): readonly [Pixels, ...Pixels[]] {
  const read = (text: string): Pixels => {
    const [width = 1, height = 1] = text.split("x").map(Number);
    return { width, height };
  };
  return [read(first), ...others.map(read)];
}
