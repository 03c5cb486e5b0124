// The supported size, ratio or resolution of a model nearest to the requested one, from its table row.
import type { ImageSize } from "../../canonical/image.ts";
import { dropped } from "../field-table.ts";
import { lookUpModel, type ModelRow, type ModelTable } from "../shared/model-table.ts";
import { lose, type Warnings, warn } from "../shared/warnings.ts";
import { nearestPixels, nearestResolution, type Pixels, pixelsOf, ratioFor, resolutionFor, sizesOf } from "./sizes.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A row with, in addition to `sizes` and `resolutions`, bounds for models that support any size within them. */
export interface ImageRow extends ModelRow {
  /** Total pixels. */
  readonly area?: Bounds;
  /** Pixels per side. */
  readonly sides?: Bounds;
  /** Sides are multiples of this; 16 when a size has to be adjusted. */
  readonly step?: number;
  /** The output has the size of the input image. */
  readonly keepsSize?: true;
  /** Maximum images per call; one if absent. */
  readonly maxImages?: number;
  /** Without `n`, the model generates as many images as it can. */
  readonly needsCount?: true;
  /** The only quality that it supports. */
  readonly onlyQuality?: string;
}

export type ImageModels = ModelTable<ImageRow>;

/** The row of the requested model. */
export function imageRow(models: ImageModels, { context }: Warnings): ImageRow {
  return lookUpModel(models, context).row;
}

/** Warns about a size for a model without a row. */
function warnUnverified(models: ImageModels, warnings: Warnings): void {
  if (!lookUpModel(models, warnings.context).isListed) warn(warnings, "unverified", "model");
}

/** The factor by which both sides must change to be within the bounds of a row. */
function factorFor({ width, height }: Pixels, { area, sides }: ImageRow): number {
  const pixels = width * height;
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const least = Math.max(area ? Math.sqrt(area.min / pixels) : 0, sides ? sides.min / short : 0);
  const most = Math.min(
    area ? Math.sqrt(area.max / pixels) : Number.POSITIVE_INFINITY,
    sides ? sides.max / long : Number.POSITIVE_INFINITY,
  );
  return Math.min(Math.max(1, least), most);
}

function clamped(side: number, sides: Bounds | undefined): number {
  return sides === undefined ? side : Math.min(sides.max, Math.max(sides.min, side));
}

/** Tolerance for rounding errors. */
const tiny = 1e-9;

function fitting(wanted: Pixels, row: ImageRow): Pixels {
  const [first, ...others] = row.sizes ?? [];
  if (first !== undefined) return nearestPixels(wanted, sizesOf(first, ...others));
  const factor = factorFor(wanted, row);
  const step = row.step ?? (factor === 1 ? 1 : 16);
  // Rounds up when enlarging and down when reducing, so that the result stays within the bounds.
  const rounded = (steps: number): number =>
    factor > 1 ? Math.ceil(steps - tiny) : factor < 1 ? Math.floor(steps + tiny) : Math.round(steps);
  const fit = (side: number): number => clamped(Math.max(1, rounded((side * factor) / step)) * step, row.sides);
  return { width: fit(wanted.width), height: fit(wanted.height) };
}

/** The nearest supported size; undefined where the client or the model does not fix one. */
export function fittedPixels(size: ImageSize, warnings: Warnings, models: ImageModels): Pixels | undefined {
  const row = imageRow(models, warnings);
  const wanted = pixelsOf(size);
  if (wanted === null) return undefined;
  warnUnverified(models, warnings);
  if (row.keepsSize) {
    lose(warnings, dropped("the result is as large as the input"), size.path);
    return undefined;
  }
  const fitted = fitting(wanted, row);
  if (fitted.width !== wanted.width || fitted.height !== wanted.height) warn(warnings, "approximated", size.path);
  return fitted;
}

/** `fittedPixels` as text: `1024x1024`, or with another separator. */
export function fittedSize(
  size: ImageSize,
  warnings: Warnings,
  models: ImageModels,
  separator: "x" | "*" = "x",
): string | undefined {
  const fitted = fittedPixels(size, warnings, models);
  return fitted === undefined ? undefined : `${fitted.width}${separator}${fitted.height}`;
}

/** `2K` if only a resolution was requested and the model supports it; otherwise the size as `WIDTHxHEIGHT`. */
export function sizeOrResolution(size: ImageSize, warnings: Warnings, models: ImageModels): string | undefined {
  const { resolutions } = imageRow(models, warnings);
  const isNamed = size.width === undefined && size.ratio === undefined && size.resolution !== undefined;
  if (isNamed && resolutions === undefined) warnUnverified(models, warnings);
  if (isNamed && (resolutions === undefined || resolutions.includes(size.resolution ?? ""))) return size.resolution;
  return fittedSize(size, warnings, models);
}

/** Ratios offered for models whose ratios are unknown. */
const usualRatios = ["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2"] as const;

/** The nearest supported ratio; for a model without a row, the requested one. */
export function nearestRatio(size: ImageSize, warnings: Warnings, models: ImageModels): string | undefined {
  const { ratios } = imageRow(models, warnings);
  warnUnverified(models, warnings);
  if (ratios === undefined && size.ratio !== undefined) return size.ratio;
  const [first, ...others] = ratios ?? usualRatios;
  return first === undefined ? undefined : ratioFor(size, [first, ...others]);
}

/** `nearestRatio` with a warning, because a ratio only approximates the requested pixels. */
export function ratioNoted(size: ImageSize, warnings: Warnings, models: ImageModels): string | undefined {
  const ratio = nearestRatio(size, warnings, models);
  if (ratio !== undefined && ratio !== size.ratio) warn(warnings, "approximated", size.path);
  return ratio;
}

/** The nearest supported resolution; undefined where none was requested or the model has no such setting. */
export function resolutionOf(size: ImageSize, warnings: Warnings, models: ImageModels): string | undefined {
  const wanted = resolutionFor(size);
  const { resolutions } = imageRow(models, warnings);
  return wanted === undefined || resolutions === undefined ? wanted : nearestResolution(wanted, resolutions);
}
