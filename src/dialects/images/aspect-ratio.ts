// The ratio and the resolution that come nearest to what a client wants, out of those that a model has.
import type { ImageRequest } from "../../canonical/image.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import { warnIfSet } from "./field-support.ts";
import { type ImageTable, imageRow } from "./model-sizes.ts";
import { nearestResolution, pixelsOf, ratioFor, resolutionFor } from "./sizes.ts";

/** What pixels are written as for a model whose ratios are not known. */
const usualRatios = ["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2"] as const;

/** The nearest ratio of the model; of a model without a row the one that was requested. */
export function nearestRatio(request: ImageRequest, warnings: Warnings, table: ImageTable): string | undefined {
  const { ratios } = imageRow(table, warnings);
  if (ratios === undefined && request.ratio !== undefined) return request.ratio;
  const [first, ...others] = ratios ?? usualRatios;
  return first === undefined ? undefined : ratioFor(request, [first, ...others]);
}

/** `nearestRatio`, noted: a ratio is nearer to what was meant than nothing, and never quite the same as pixels. */
export function ratioNoted(request: ImageRequest, warnings: Warnings, table: ImageTable): string | undefined {
  const ratio = nearestRatio(request, warnings, table);
  noteShapeUnverified(request, warnings, table);
  if (ratio !== undefined && ratio !== request.ratio) warnIfSet(request, warnings, "approximated", "size");
  return ratio;
}

/** The resolution of the model that is nearest; undefined where none was meant, or the model has no such setting. */
export function resolutionOf(request: ImageRequest, warnings: Warnings, table: ImageTable): string | undefined {
  const wanted = resolutionFor(request);
  const { resolutions } = imageRow(table, warnings);
  if (wanted === undefined || resolutions === undefined) return wanted;
  return nearestResolution(wanted, resolutions);
}

/** A warning where a shape goes to a model that no row knows. */
export function noteShapeUnverified(request: ImageRequest, warnings: Warnings, table: ImageTable): void {
  if (pixelsOf(request) !== null && !lookUpModel(table, warnings.context).isListed)
    warn(warnings, "unverified", "model");
}
