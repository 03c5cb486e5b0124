// What is sent for a requested length, shape and resolution, by the row of a model; without bounds the client's words go on.
import type { VideoRequest } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import { unsupported } from "../errors.ts";
import { type Durations, lookUpModel, type ModelRow, type ModelTable } from "../shared/model-table.ts";
import { nearest, nearestRatio, shortSide, sizeOf, tierFor, within } from "./nearest-supported.ts";
import type { VideoRenderContext } from "./upstream.ts";
import { fixedSound } from "./warnings.ts";

/** The nearest length that the model makes. */
export function durationFor(wanted: number, durations: Durations | undefined): number {
  if (durations === undefined) return wanted;
  return "min" in durations ? within(wanted, durations.min, durations.max) : nearest(wanted, durations);
}

const divisor = (left: number, right: number): number => (right === 0 ? left : divisor(right, left % right));

function requestedRatio(request: VideoRequest): string | undefined {
  const size = sizeOf(request);
  if (request.ratio !== undefined || size === null) return request.ratio;
  const by = divisor(size.width, size.height);
  return `${size.width / by}:${size.height / by}`;
}

function requestedResolution(request: VideoRequest): string | undefined {
  const side = shortSide(request);
  return request.resolution ?? (side === undefined ? undefined : `${side}p`);
}

/** The nearest ratio that the model makes; undefined where none was requested, or the model has no such setting. */
export function ratioFor(request: VideoRequest, ratios: readonly string[] | undefined): string | undefined {
  return ratios === undefined ? requestedRatio(request) : nearestRatio(request, ratios);
}

/** The nearest resolution that the model makes, as `ratioFor`. */
export function resolutionFor(request: VideoRequest, resolutions: readonly string[] | undefined): string | undefined {
  return resolutions === undefined ? requestedResolution(request) : tierFor(request, resolutions);
}

/** The row of the requested model, and the warning that there is none. */
export function modelRow<Row extends ModelRow>(
  table: ModelTable<Row>,
  context: VideoRenderContext,
): { readonly row: Row; readonly warnings: Warning[] } {
  const { row, isListed } = lookUpModel(table, context);
  return { row, warnings: isListed ? [] : [{ code: "unverified", path: context.fieldPath("model") }] };
}

interface Sound {
  /** What is said to the model; missing where it has no choice. */
  readonly sent: boolean | undefined;
  /** Whether the video will have sound, as far as it is known. */
  readonly made: boolean | undefined;
  readonly warnings: readonly Warning[];
}

/** Sound or silence, as the model lets it be chosen. */
export function soundFor(request: VideoRequest, { audio = "optional" }: ModelRow, context: VideoRenderContext): Sound {
  if (audio === "optional") return { sent: request.audio, made: request.audio, warnings: [] };
  const made = audio === "always";
  return { sent: undefined, made, warnings: fixedSound(request, context, made) };
}

const refusals = {
  first: "this model does not support a first frame.",
  last: "this model does not support a last frame.",
  reference: "this model does not support reference images.",
} as const;

const words = { first: "a first frame", last: "a last frame", reference: "reference images" } as const;

/** Throws `unsupported_parameter` for an image that the model has no use for, and for one that it lacks. */
export function checkRoles(
  { images }: VideoRequest,
  { images: roles, needs = [] }: ModelRow,
  context: VideoRenderContext,
): void {
  const stray = images.find(({ role }) => roles?.includes(role) === false);
  if (stray !== undefined) throw unsupported(stray.path, refusals[stray.role]);
  const lacking = needs.find((role) => images.every((image) => image.role !== role));
  if (lacking !== undefined) throw unsupported(context.fieldPath("model"), `this model requires ${words[lacking]}.`);
}
