// Hosts of models by many makers, where every model names its own inputs: canon's fields under a family's names.
import type { VideoAsk } from "../../../canon/video.ts";
import type { Warning } from "../../../canon/warning.ts";
import { compact, type Json, type JsonObject } from "../../../lib/json.ts";
import { unsupported } from "../../reject.ts";
import { nearest, nearestRatio, tierFor, within } from "../fit.ts";
import { imageFor } from "../images.ts";
import { dropped, type Made, misfits } from "../losses.ts";
import type { VideoRenderContext } from "../upstream.ts";
import { imageSent } from "../wire.ts";

/** Null where a family has no such input. */
export interface Inputs {
  readonly names: RegExp;
  readonly first: string;
  readonly last: string | null;
  readonly references: string | null;
  readonly seconds: string | null;
  readonly ratio: string | null;
  readonly resolution: string | null;
  readonly seed: string | null;
  readonly fps: string | null;
  readonly negativePrompt: string | null;
  readonly audio: string | null;
  /** As this family spells them; all lengths and tiers where absent. */
  readonly tiers?: readonly [string, ...string[]];
  readonly lengths?: readonly [number, ...number[]];
  /** How a length is written; as a number where absent. */
  writeSeconds?(seconds: number): Json;
}

const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"] as const;
const tiers = ["480p", "720p", "1080p"] as const;

function lengthFor(ask: VideoAsk, { lengths, seconds }: Inputs): number | undefined {
  if (ask.seconds === undefined || seconds === null) return undefined;
  return lengths === undefined ? within(ask.seconds, 1, 60) : nearest(ask.seconds, lengths);
}

function imagesFor({ images }: VideoAsk, inputs: Inputs): JsonObject {
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const references = images.filter(({ role }) => role === "reference");
  if (last !== undefined && inputs.last === null) throw unsupported(last.path, "it takes no last frame.");
  if (references[0] !== undefined && inputs.references === null)
    throw unsupported(references[0].path, "it takes no reference images.");
  return {
    ...(first === undefined ? {} : { [inputs.first]: imageSent(first) }),
    ...(last === undefined ? {} : { [inputs.last ?? ""]: imageSent(last) }),
    ...(references.length === 0 ? {} : { [inputs.references ?? ""]: references.map(imageSent) }),
  };
}

/** Canon's plain fields, under the names that the family has for them. */
const plain = ["seed", "fps", "negativePrompt", "audio"] as const;

function plainInputs(ask: VideoAsk, inputs: Inputs): JsonObject {
  const named = plain.map((field) => [inputs[field], ask[field] as Json | undefined] as const);
  return Object.fromEntries(
    named.flatMap(([name, value]) => (name === null || value === undefined ? [] : [[name, value]])),
  );
}

/** What is asked for of length, shape and tier; nothing where the client said nothing. */
export function madeOf(ask: VideoAsk, inputs: Inputs): Made {
  return {
    seconds: lengthFor(ask, inputs),
    ratio: inputs.ratio === null ? undefined : nearestRatio(ask, ratios),
    resolution: inputs.resolution === null ? undefined : tierFor(ask, inputs.tiers ?? tiers),
  };
}

/** Warnings for what the family has no name for, and for what had to be rounded. */
export function lossesOf(ask: VideoAsk, inputs: Inputs, made: Made, context: VideoRenderContext): Warning[] {
  const nameless = plain.filter((field) => inputs[field] === null);
  return [...dropped(ask, context, [...nameless, "watermark"]), ...misfits(ask, made, context)];
}

/** The input of the model. Throws `unsupported_parameter` for images that it has no name for. */
export function inputOf(ask: VideoAsk, inputs: Inputs, made: Made): JsonObject {
  const wishes = [
    [inputs.seconds, made.seconds === undefined ? undefined : (inputs.writeSeconds?.(made.seconds) ?? made.seconds)],
    [inputs.ratio, made.ratio],
    [inputs.resolution, made.resolution],
  ] as const;
  return compact({
    prompt: ask.prompt,
    ...imagesFor(ask, inputs),
    ...plainInputs(ask, inputs),
    ...Object.fromEntries(wishes.flatMap(([name, value]) => (name === null ? [] : [[name, value]]))),
  });
}
