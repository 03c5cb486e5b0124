// Length, shape, resolution and audio of a video: the nearest that the model's row supports, what is sent, and the
// result.
import type { VideoRequest } from "../../canonical/video.ts";
import type { Durations } from "../shared/model-table.ts";
import {
  nearest,
  nearestRatio,
  nearestSize,
  proportion,
  shortSide,
  sizeOf,
  tierFor,
  within,
} from "./nearest-supported.ts";
import type { EffectiveSettings } from "./upstream.ts";
import type { Limit, SentSettings, SettingField, SettingFields, Shape, VideoRow, VideoVendor } from "./vendor.ts";
import type { RenderedSettings } from "./warnings.ts";

/** The nearest supported length. */
function durationFor(length: number, durations: Durations | undefined): number {
  if (durations === undefined) return length;
  return "min" in durations ? within(length, durations.min, durations.max) : nearest(length, durations);
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

/** The nearest supported ratio; undefined where none was requested or the model has no such setting. */
export function ratioFor(request: VideoRequest, ratios: readonly string[] | undefined): string | undefined {
  return ratios === undefined ? requestedRatio(request) : nearestRatio(request, ratios);
}

/** The nearest supported resolution, as `ratioFor`. */
export function resolutionFor(request: VideoRequest, resolutions: readonly string[] | undefined): string | undefined {
  return resolutions === undefined ? requestedResolution(request) : tierFor(request, resolutions);
}

/** The pixels of a ratio at a tier such as `720p`: the tier is the short side. */
function pixelsOf(ratio: string, resolution: string): { width: number; height: number } {
  const shape = proportion(ratio) ?? 1;
  const side = shortSide({ resolution }) ?? 0;
  const even = (value: number): number => Math.round(value / 2) * 2;
  return { width: even(side * Math.max(1, shape)), height: even(side * Math.max(1, 1 / shape)) };
}

/** Width and height of a size in any separator. */
export function sidesOf(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split(/[x*:]/).map(Number);
  return { width, height };
}

/** A size determines ratio and resolution. Nothing is sent where none was requested and none is required. */
export function shapeBySize(request: VideoRequest, sizes: readonly string[], isRequired = false): Shape {
  const size = nearestSize(request, sizes) ?? (isRequired ? sizes[0] : undefined);
  if (size === undefined) return { sent: {}, made: {} };
  const { width, height } = sidesOf(size);
  return { sent: { size }, made: { ratio: size, resolution: `${Math.min(width, height)}p`, width, height } };
}

/** What is sent, and the expected result. */
interface FittedSettings {
  readonly sent: SentSettings;
  readonly made: RenderedSettings;
}

type Facts = Pick<RenderedSettings, "seconds" | "resolution">;

function applies({ when }: Limit, { images, audio }: VideoRequest, { seconds, resolution }: Facts): boolean {
  const has = (role: string): boolean => images.some((image) => image.role === role);
  return (
    (when.has === undefined || has(when.has)) &&
    (when.lacks === undefined || !has(when.lacks)) &&
    (when.audio === undefined || audio === true) &&
    (when.seconds === undefined || seconds === when.seconds) &&
    (when.otherSeconds === undefined || seconds !== when.otherSeconds) &&
    (when.resolution === undefined || resolution === when.resolution)
  );
}

/** Resolutions that an operator declared take precedence over a limit without any of them. */
function narrowed<Row extends VideoRow>(row: Row, request: VideoRequest, facts: Facts): Row {
  const limits = (row.limits ?? []).filter((limit) => applies(limit, request, facts));
  const parts = limits.map(({ durations, resolutions = [] }) => {
    const left = resolutions.filter((resolution) => row.resolutions?.includes(resolution));
    return { ...(durations && { durations }), ...(left.length > 0 && { resolutions: left }) };
  });
  return Object.assign({}, row, ...parts) as Row;
}

interface Fitting<Row extends VideoRow> {
  readonly request: VideoRequest;
  readonly row: Row;
  readonly vendor: VideoVendor<Row>;
  readonly fields: SettingFields;
}

const isFixed = (field: SettingField): boolean => typeof field === "object" && field !== null && "fixed" in field;

function fitSeconds<Row extends VideoRow>({ request, row, vendor, fields }: Fitting<Row>) {
  const { usual = {}, sendsUsual = [] } = vendor;
  if (fields.seconds === null) return {};
  const length = request.seconds ?? row.usualSeconds ?? (row.durations && usual.seconds);
  const made = length === undefined ? undefined : durationFor(length, row.durations);
  const isSent = request.seconds !== undefined || row.usualSeconds !== undefined || sendsUsual.includes("seconds");
  return { made, sent: isSent && !isFixed(fields.seconds) ? made : undefined };
}

const usualOf = (usual: string | undefined, values: readonly string[] | undefined): string | undefined =>
  values && (usual === "first" ? values[0] : usual);

/** The default resolution is sent where a limit excludes the result without it. */
function fitResolution<Row extends VideoRow>({ request, row, vendor, fields }: Fitting<Row>, whole: Row) {
  const { usual = {}, sendsUsual = [] } = vendor;
  const { resolutions } = row;
  if (fields.resolution === null || (isFixed(fields.resolution) && resolutions === undefined)) return {};
  const requested = resolutionFor(request, resolutions);
  const usually = usualOf(usual.resolution, whole.resolutions);
  const isExcluded =
    whole.resolutions !== resolutions && usually !== undefined && resolutions?.includes(usually) === false;
  const fallback = isExcluded ? resolutions?.[0] : usually;
  const isSent = requested !== undefined || isExcluded || sendsUsual.includes("resolution");
  const made = requested ?? fallback;
  return { made, sent: isSent && !isFixed(fields.resolution) ? made : undefined };
}

function fitRatio<Row extends VideoRow>({ request, row, vendor, fields }: Fitting<Row>) {
  const { usual = {}, sendsUsual = [], ratioFollows } = vendor;
  const followed = request.images.filter(
    ({ role }) => ratioFollows === "images" || role === "first" || (ratioFollows === "frames" && role === "last"),
  );
  if (ratioFollows !== undefined && followed.length > 0) return {};
  if (fields.ratio === null || isFixed(fields.ratio)) return { made: usual.ratio };
  const requested = ratioFor(request, row.ratios);
  const made = requested ?? usualOf(usual.ratio, row.ratios);
  return { made, sent: sendsUsual.includes("ratio") ? made : requested };
}

function settingsOf<Row extends VideoRow>(fitting: Fitting<Row>, whole: Row): FittedSettings {
  const seconds = fitSeconds(fitting);
  const shape = fitting.vendor.shape?.(fitting.request, fitting.row);
  if (shape !== undefined)
    return { sent: { seconds: seconds.sent, ...shape.sent }, made: { seconds: seconds.made, ...shape.made } };
  const [ratio, resolution] = [fitRatio(fitting), fitResolution(fitting, whole)];
  return {
    sent: { seconds: seconds.sent, ratio: ratio.sent, resolution: resolution.sent },
    made: { seconds: seconds.made, ratio: ratio.made, resolution: resolution.made },
  };
}

/** Fitted to the request, then again to the limits of the result. */
export function fitSettings<Row extends VideoRow>(fitting: Fitting<Row>): FittedSettings {
  const { request, row } = fitting;
  const first = settingsOf({ ...fitting, row: narrowed(row, request, {}) }, row);
  return row.limits === undefined ? first : settingsOf({ ...fitting, row: narrowed(row, request, first.made) }, row);
}

/** Audio or silence, where the model has a choice. */
interface FittedAudio {
  /** Absent where there is no choice. */
  readonly sent: boolean | undefined;
  /** Whether the video will have audio, as far as it is known. */
  readonly made: boolean | undefined;
  /** Whether the result differs from the request. */
  readonly isLost: boolean;
}

/** `audio` of a row counts as `optional` where the vendor has a field for it. */
export function fitAudio<Row extends VideoRow>({ request, row, vendor, fields }: Fitting<Row>): FittedAudio {
  const { audio: requested } = request;
  if (fields.audio !== null && (row.audio ?? "optional") === "optional") {
    const made = requested ?? (row.audio && vendor.usual?.audio);
    return { sent: requested, made, isLost: false };
  }
  const assumed = row.audio === undefined || row.audio === "optional" ? vendor.assumesAudio : row.audio === "always";
  const made = row.audio === undefined ? undefined : assumed;
  return { sent: undefined, made, isLost: requested !== undefined && requested !== assumed };
}

/** The reported settings. */
export function effectOf(
  made: RenderedSettings,
  reports: VideoVendor["reports"],
  audio: boolean | undefined,
): EffectiveSettings {
  const { seconds, ratio, resolution, width, height } = made;
  const size = reports === "implied" && ratio && resolution ? pixelsOf(ratio, resolution) : { width, height };
  const all = {
    seconds,
    ...(reports === undefined || reports === "resolution" ? {} : size),
    resolution: reports === "size" && width !== undefined ? undefined : resolution?.toLowerCase(),
    audio,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
