// The ratio and the resolution that come nearest to what a client wants, out of those that a model has.
import type { ImageAsk } from "../../canonical/image.ts";
import { lookUpModel } from "../shared/model-table.ts";
import { type Notes, note } from "../shared/warnings.ts";
import { noteSaid } from "./field-support.ts";
import { type ImageTable, imageRow } from "./model-sizes.ts";
import { nearestResolution, pixelsOf, ratioFor, resolutionFor } from "./sizes.ts";

/** What pixels are written as for a model whose ratios are not known. */
const usualRatios = ["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2"] as const;

/** The nearest ratio of the model; of a model without a row the one that was requested. */
export function nearestRatio(ask: ImageAsk, notes: Notes, table: ImageTable): string | undefined {
  const { ratios } = imageRow(table, notes);
  if (ratios === undefined && ask.ratio !== undefined) return ask.ratio;
  const [first, ...others] = ratios ?? usualRatios;
  return first === undefined ? undefined : ratioFor(ask, [first, ...others]);
}

/** `nearestRatio`, noted: a ratio is nearer to what was meant than nothing, and never quite the same as pixels. */
export function ratioNoted(ask: ImageAsk, notes: Notes, table: ImageTable): string | undefined {
  const ratio = nearestRatio(ask, notes, table);
  noteShapeUnverified(ask, notes, table);
  if (ratio !== undefined && ratio !== ask.ratio) noteSaid(ask, notes, "approximated", "size");
  return ratio;
}

/** The resolution of the model that is nearest; undefined where none was meant, or the model has no such setting. */
export function resolutionOf(ask: ImageAsk, notes: Notes, table: ImageTable): string | undefined {
  const wanted = resolutionFor(ask);
  const { resolutions } = imageRow(table, notes);
  if (wanted === undefined || resolutions === undefined) return wanted;
  return nearestResolution(wanted, resolutions);
}

/** A warning where a shape goes to a model that no row knows. */
export function noteShapeUnverified(ask: ImageAsk, notes: Notes, table: ImageTable): void {
  if (pixelsOf(ask) !== null && !lookUpModel(table, notes.context).isListed) note(notes, "unverified", "model");
}
