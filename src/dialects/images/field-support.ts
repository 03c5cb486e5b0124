// What an upstream does not support of an image request: a warning where the client set it, and nothing where it is the default.
import type { ImageField, ImageRequest } from "../../canonical/image.ts";
import { unsupported } from "../errors.ts";
import { type Warnings, warn } from "../shared/warnings.ts";

/** Values that ask for what happens anyway. */
const neutral: { readonly [field in ImageField]?: (request: ImageRequest) => boolean } = {
  n: ({ n }) => n === 1,
  quality: ({ quality }) => quality === "auto",
  background: ({ background }) => background === "auto",
  moderation: ({ moderation }) => moderation === "auto",
  partialImages: ({ partialImages }) => partialImages === 0,
  watermark: ({ watermark }) => watermark === false,
  size: ({ width, ratio, resolution }) => width === undefined && ratio === undefined && resolution === undefined,
};

/** Reported by every response, split by the gateway, or without effect where it is unknown. */
const handled: readonly ImageField[] = ["prompt", "delivery", "n", "endUser"];

const isField = (name: string, request: ImageRequest): name is ImageField => name in request.said;

/** Notes every field that the client said and that is not among those that `can` be said. */
export function noteLost(request: ImageRequest, warnings: Warnings, can: readonly ImageField[]): void {
  for (const name of Object.keys(request.said)) {
    if (!isField(name, request) || can.includes(name) || handled.includes(name)) continue;
    if (neutral[name]?.(request) !== true) warnIfSet(request, warnings, "dropped", name);
  }
}

/** Records what became of a field, where the client said it. */
export function warnIfSet(
  request: ImageRequest,
  warnings: Warnings,
  code: "dropped" | "approximated",
  field: ImageField,
): void {
  const path = request.said[field];
  if (path !== undefined) warn(warnings, code, path);
}

/** The prompt, with what is to be avoided at its end: for models that have no other place for it. */
export function promptWithNegative(request: ImageRequest, warnings: Warnings): string {
  if (!request.negativePrompt) return request.prompt;
  warnIfSet(request, warnings, "approximated", "negativePrompt");
  return `${request.prompt}\n\nAvoid: ${request.negativePrompt}`;
}

/** For models that give bytes alone: an address was asked for, and there is nobody to keep what it would lead to. */
export function noteBytes(request: ImageRequest, warnings: Warnings): void {
  if (request.delivery === "url") warnIfSet(request, warnings, "approximated", "delivery");
}

/** A mask says which part may change: without it the whole would. */
export function refuseMask({ mask }: ImageRequest): void {
  if (mask !== undefined) throw unsupported(mask.path, "this model does not support masks.");
}

/** For models that draw from words alone. */
export function refuseImages({ images: [first] }: ImageRequest): void {
  if (first !== undefined) throw unsupported(first.path, "this model does not support image input.");
}
