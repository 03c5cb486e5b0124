// Warnings for the fields that a submit drops or approximates.
import type { VideoField, VideoRequest } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import { proportion, shortSide, sizeOf } from "./nearest-supported.ts";
import type { VideoRenderContext } from "./upstream.ts";

/** The tolerance of a ratio, because encoders prefer sides that are multiples of a power of two. */
const sameShape = 0.03;

/** The expected result; members that follow the image or are unknown are absent. */
export interface RenderedSettings {
  readonly seconds?: number | undefined;
  readonly ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** A warning for each of these fields that the client sent. */
export function dropped(
  request: VideoRequest,
  context: VideoRenderContext,
  fields: readonly (keyof VideoRequest & VideoField)[],
): Warning[] {
  const lost = fields.filter((field) => request[field] !== undefined);
  return lost.map((field) => ({ code: "dropped", path: context.fieldPath(field) }));
}

/** A warning where the client requests audio or silence and the model always does the opposite. */
export function fixedSound(request: VideoRequest, context: VideoRenderContext, hasSound: boolean): Warning[] {
  return request.audio === undefined || request.audio === hasSound ? [] : dropped(request, context, ["audio"]);
}

function isLike(left: number | undefined, right: number | undefined): boolean {
  return left !== undefined && right !== undefined && Math.abs(Math.log(left / right)) < sameShape;
}

type Loss = Warning["code"] | null;

function lengthLoss(requested: number | undefined, { seconds }: RenderedSettings): Loss {
  if (requested === undefined || requested === seconds) return null;
  return seconds === undefined ? "dropped" : "approximated";
}

function ratioLoss(requested: string | undefined, { ratio }: RenderedSettings): Loss {
  if (requested === undefined) return null;
  if (ratio === undefined) return "dropped";
  return isLike(proportion(requested), proportion(ratio)) ? null : "approximated";
}

function tierLoss(requested: string | undefined, { resolution }: RenderedSettings): Loss {
  if (requested === undefined) return null;
  if (resolution === undefined) return "dropped";
  return shortSide({ resolution: requested }) === shortSide({ resolution }) ? null : "approximated";
}

function sizeLoss(request: VideoRequest, made: RenderedSettings): Loss {
  const size = sizeOf(request);
  if (size === null || (size.width === made.width && size.height === made.height)) return null;
  if (made.ratio === undefined && made.resolution === undefined) return "dropped";
  const isShape = isLike(size.width / size.height, proportion(made.ratio ?? ""));
  const isTier = Math.min(size.width, size.height) === shortSide({ resolution: made.resolution ?? "" });
  return isShape && isTier ? null : "approximated";
}

/** Warnings for a length or shape that differs from the request. */
export function approximationWarnings(
  request: VideoRequest,
  made: RenderedSettings,
  context: VideoRenderContext,
): Warning[] {
  const losses: readonly (readonly [VideoField, Loss])[] = [
    ["seconds", lengthLoss(request.seconds, made)],
    ["size", sizeLoss(request, made)],
    ["ratio", ratioLoss(request.ratio, made)],
    ["resolution", tierLoss(request.resolution, made)],
  ];
  return losses.flatMap(([field, code]) => (code === null ? [] : [{ code, path: context.fieldPath(field) }]));
}
