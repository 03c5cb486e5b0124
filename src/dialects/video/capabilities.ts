// What is sent for a requested length, shape and resolution, by the row of a model; without bounds the client's words go on.
import type { VideoAsk } from "../../canon/video.ts";
import type { Warning } from "../../canon/warning.ts";
import { type Durations, lookUpModel, type ModelRow, type ModelTable } from "../shared/model-table.ts";
import { nearest, nearestRatio, shortSide, sizeOf, tierFor, within } from "./fit.ts";
import type { VideoRenderContext } from "./upstream.ts";

/** The nearest length that the model makes. */
export function durationFor(wanted: number, durations: Durations | undefined): number {
  if (durations === undefined) return wanted;
  return "min" in durations ? within(wanted, durations.min, durations.max) : nearest(wanted, durations);
}

const divisor = (left: number, right: number): number => (right === 0 ? left : divisor(right, left % right));

function requestedRatio(ask: VideoAsk): string | undefined {
  const size = sizeOf(ask);
  if (ask.ratio !== undefined || size === null) return ask.ratio;
  const by = divisor(size.width, size.height);
  return `${size.width / by}:${size.height / by}`;
}

function requestedResolution(ask: VideoAsk): string | undefined {
  const side = shortSide(ask);
  return ask.resolution ?? (side === undefined ? undefined : `${side}p`);
}

/** The nearest ratio that the model makes; undefined where none was requested, or the model has no such setting. */
export function ratioFor(ask: VideoAsk, ratios: readonly string[] | undefined): string | undefined {
  return ratios === undefined ? requestedRatio(ask) : nearestRatio(ask, ratios);
}

/** The nearest resolution that the model makes, as `ratioFor`. */
export function resolutionFor(ask: VideoAsk, resolutions: readonly string[] | undefined): string | undefined {
  return resolutions === undefined ? requestedResolution(ask) : tierFor(ask, resolutions);
}

/** The row of the requested model, and the warning that there is none. */
export function modelRow<Row extends ModelRow>(
  table: ModelTable<Row>,
  context: VideoRenderContext,
): { readonly row: Row; readonly warnings: Warning[] } {
  const { row, isListed } = lookUpModel(table, context);
  return { row, warnings: isListed ? [] : [{ code: "unverified", path: context.fieldPath("model") }] };
}
