// What the families of image models behind DashScope take: how many at once, how large, and on which of its paths.
import type { ImageAsk } from "../../canon/image.ts";
import type { Notes } from "../shared/notes.ts";
import { noteSaid } from "./fields.ts";
import { nearestPixels, type Pixels, pixelsOf, sizesOf } from "./sizes.ts";

interface Family {
  readonly name: RegExp;
  /** Images of one call. */
  readonly most: number;
  /** The only sizes. */
  readonly sizes?: readonly [Pixels, ...Pixels[]];
  /** Any size with so many pixels. */
  readonly area?: { readonly least: number; readonly most: number };
  /** Any size with sides of so many pixels. */
  readonly sides?: { readonly least: number; readonly most: number };
  /** The result is as large as what went in. */
  readonly keepsSize?: true;
  /** Left out, it makes as many as it can. */
  readonly namesCount?: true;
}

/** https://www.alibabacloud.com/help/en/model-studio/qwen-image-api and /qwen-image-edit-api: the first that fits counts. */
const families: readonly Family[] = [
  { name: /^qwen-image-edit-(?:plus|max)/, most: 6, sides: { least: 512, most: 2048 } },
  { name: /^qwen-image-edit/, most: 1, keepsSize: true },
  { name: /^qwen-image-[2-9]/, most: 6, area: { least: 512 * 512, most: 2048 * 2048 } },
  {
    name: /^qwen-image/,
    most: 1,
    sizes: sizesOf("1664x928", "1472x1104", "1328x1328", "1104x1472", "928x1664"),
  },
  { name: /^wan/, most: 4, namesCount: true },
];

/** Nothing is known of it: it is asked for one at a time, which all of them understand. */
const unknown: Family = { name: /^/, most: 1 };

const familyOf = (model: string): Family => families.find(({ name }) => name.test(model)) ?? unknown;

/** How many images one call may ask for. */
export function mostImagesOf(model: string): number {
  return familyOf(model).most;
}

/** True for models that must be told how many. */
export function mustNameCount(model: string): boolean {
  return familyOf(model).namesCount === true;
}

/** Models that make images as tasks alone: https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference */
export function isTaskModel(model: string): boolean {
  const [, major, minor] = /^wan(?:x)?(\d)\.(\d)/.exec(model) ?? [];
  if (major === undefined) return /^(?:wanx|flux|stable-diffusion)/.test(model);
  return Number(major) * 10 + Number(minor) < 26;
}

const scaled = ({ width, height }: Pixels, factor: number): Pixels => ({
  width: Math.round((width * factor) / 16) * 16,
  height: Math.round((height * factor) / 16) * 16,
});

function fitting(wanted: Pixels, { sizes, area, sides }: Family): Pixels {
  if (sizes !== undefined) return nearestPixels(wanted, sizes);
  const pixels = wanted.width * wanted.height;
  if (area !== undefined && pixels > area.most) return scaled(wanted, Math.sqrt(area.most / pixels) * 0.99);
  if (area !== undefined && pixels < area.least) return scaled(wanted, Math.sqrt(area.least / pixels) * 1.01);
  if (sides === undefined) return wanted;
  const fit = (side: number): number => Math.min(sides.most, Math.max(sides.least, side));
  return { width: fit(wanted.width), height: fit(wanted.height) };
}

/** `1328*1328`: the nearest that the model makes; undefined where the client left it open or the model does. */
export function sizeFor(ask: ImageAsk, notes: Notes): string | undefined {
  const family = familyOf(notes.context.model);
  const wanted = pixelsOf(ask);
  if (wanted === null) return undefined;
  if (family.keepsSize) noteSaid(ask, notes, "dropped", "size");
  if (family.keepsSize) return undefined;
  const { width, height } = fitting(wanted, family);
  if (width !== wanted.width || height !== wanted.height) noteSaid(ask, notes, "approximated", "size");
  return `${width}*${height}`;
}
