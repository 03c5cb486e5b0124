// What an upstream cannot say of an image: told as a loss where the client said it, and passed over where it means nothing.
import type { ImageAsk, ImageField } from "../../canonical/image.ts";
import { unsupported } from "../errors.ts";
import { type Notes, note } from "../shared/warnings.ts";

/** Values that ask for what happens anyway. */
const neutral: { readonly [field in ImageField]?: (ask: ImageAsk) => boolean } = {
  n: ({ n }) => n === 1,
  quality: ({ quality }) => quality === "auto",
  background: ({ background }) => background === "auto",
  moderation: ({ moderation }) => moderation === "auto",
  partialImages: ({ partialImages }) => partialImages === 0,
  watermark: ({ watermark }) => watermark === false,
  size: ({ width, ratio, resolution }) => width === undefined && ratio === undefined && resolution === undefined,
};

/** Told by every answer, split by the corridor, or nobody's concern where it is not known. */
const handled: readonly ImageField[] = ["prompt", "delivery", "n", "endUser"];

const isField = (name: string, ask: ImageAsk): name is ImageField => name in ask.said;

/** Notes every field that the client said and that is not among those that `can` be said. */
export function noteLost(ask: ImageAsk, notes: Notes, can: readonly ImageField[]): void {
  for (const name of Object.keys(ask.said)) {
    if (!isField(name, ask) || can.includes(name) || handled.includes(name)) continue;
    if (neutral[name]?.(ask) !== true) noteSaid(ask, notes, "dropped", name);
  }
}

/** Records what became of a field, where the client said it. */
export function noteSaid(ask: ImageAsk, notes: Notes, code: "dropped" | "approximated", field: ImageField): void {
  const path = ask.said[field];
  if (path !== undefined) note(notes, code, path);
}

/** The prompt, with what is to be avoided at its end: for models that have no other place for it. */
export function promptWithNegative(ask: ImageAsk, notes: Notes): string {
  if (!ask.negativePrompt) return ask.prompt;
  noteSaid(ask, notes, "approximated", "negativePrompt");
  return `${ask.prompt}\n\nAvoid: ${ask.negativePrompt}`;
}

/** For models that give bytes alone: an address was asked for, and there is nobody to keep what it would lead to. */
export function noteBytes(ask: ImageAsk, notes: Notes): void {
  if (ask.delivery === "url") noteSaid(ask, notes, "approximated", "delivery");
}

/** A mask says which part may change: without it the whole would. */
export function refuseMask({ mask }: ImageAsk): void {
  if (mask !== undefined) throw unsupported(mask.path, "it takes no mask.");
}

/** For models that draw from words alone. */
export function refuseImages({ images: [first] }: ImageAsk): void {
  if (first !== undefined) throw unsupported(first.path, "it takes no images.");
}
