// Which sizes the models of image providers make, as rows, and the nearest of them to what a client wants.
import type { ImageRequest } from "../../canonical/image.ts";
import { lookUpModel, type ModelRow, type ModelTable } from "../shared/model-table.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import { warnIfSet } from "./field-support.ts";
import { nearestPixels, type Pixels, pixelsOf, sizesOf } from "./sizes.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Beside the `sizes` and `resolutions` of every row: bounds where any size within them is made. */
export interface ImageRow extends ModelRow {
  /** Pixels in all. */
  readonly area?: Bounds;
  /** Pixels of each side. */
  readonly sides?: Bounds;
  /** Sides are multiples of it; 16 where something has to be fitted. */
  readonly step?: number;
  /** The result is as large as what went in. */
  readonly keepsSize?: true;
  /** Images of one call; one where absent. */
  readonly maxImages?: number;
  /** Left out, it makes as many as it can. */
  readonly needsCount?: true;
  /** The only quality that it takes. */
  readonly onlyQuality?: string;
}

export type ImageTable = ModelTable<ImageRow>;

/** The factor by which both sides must grow or shrink to be within the bounds of a row. */
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

/** What computing may miss a whole number by. */
const tiny = 1e-9;

function fitting(wanted: Pixels, row: ImageRow): Pixels {
  const [first, ...others] = row.sizes ?? [];
  if (first !== undefined) return nearestPixels(wanted, sizesOf(first, ...others));
  const factor = factorFor(wanted, row);
  const step = row.step ?? (factor === 1 ? 1 : 16);
  // What has to grow is rounded up, and what has to shrink is rounded down, so that it does not miss the bound again.
  const rounded = (steps: number): number =>
    factor > 1 ? Math.ceil(steps - tiny) : factor < 1 ? Math.floor(steps + tiny) : Math.round(steps);
  const fit = (side: number): number => clamped(Math.max(1, rounded((side * factor) / step)) * step, row.sides);
  return { width: fit(wanted.width), height: fit(wanted.height) };
}

/** The row of the requested model. */
export function imageRow(table: ImageTable, { context }: Warnings): ImageRow {
  return lookUpModel(table, context).row;
}

/** A warning where a size goes to a model that no row knows. */
function noteUnverified(table: ImageTable, warnings: Warnings): void {
  if (!lookUpModel(table, warnings.context).isListed) warn(warnings, "unverified", "model");
}

/** The nearest size that the model makes; undefined where the client left it open, or the model does. */
export function fittedPixels(request: ImageRequest, warnings: Warnings, table: ImageTable): Pixels | undefined {
  const row = imageRow(table, warnings);
  const wanted = pixelsOf(request);
  if (wanted === null) return undefined;
  noteUnverified(table, warnings);
  if (row.keepsSize) warnIfSet(request, warnings, "dropped", "size");
  if (row.keepsSize) return undefined;
  const fitted = fitting(wanted, row);
  if (fitted.width !== wanted.width || fitted.height !== wanted.height)
    warnIfSet(request, warnings, "approximated", "size");
  return fitted;
}

/** `2K` where only a resolution was requested and the model has it; else the size in pixels, as `WIDTHxHEIGHT`. */
export function sizeOrResolution(request: ImageRequest, warnings: Warnings, table: ImageTable): string | undefined {
  const { resolutions } = imageRow(table, warnings);
  const isNamed = request.width === undefined && request.ratio === undefined && request.resolution !== undefined;
  if (isNamed && resolutions === undefined) noteUnverified(table, warnings);
  if (isNamed && (resolutions === undefined || resolutions.includes(request.resolution ?? "")))
    return request.resolution;
  const fitted = fittedPixels(request, warnings, table);
  return fitted === undefined ? undefined : `${fitted.width}x${fitted.height}`;
}
