// What the models of Wan offer, by the generation and the kind in their names: lengths, tiers and sizes.
import type { VideoAsk } from "../../../../canon/video.ts";
import { nearest, proportion, shortSide, tierFor, wantedProportion, within } from "../../fit.ts";

/** What a model makes videos of. `any`: the client's images tell. */
export type WanKind = "text" | "frame" | "frames" | "references" | "any";
export type Tier = "480P" | "720P" | "1080P";

export interface Offer {
  readonly kind: WanKind;
  /** Newer models take a list of media, a tier and a ratio; older ones a member for each image, and a size. */
  readonly isNewer: boolean;
  readonly tiers: readonly Tier[];
  readonly audio: "optional" | "always" | "never";
  /** Undefined where there is one length, which is not said. */
  lengthFor: ((wanted: number) => number) | undefined;
}

const sizes: { readonly [tier in Tier]: readonly string[] } = {
  "480P": ["832*480", "480*832", "624*624"],
  "720P": ["1280*720", "720*1280", "960*960", "1088*832", "832*1088"],
  "1080P": ["1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632"],
};

const all = ["480P", "720P", "1080P"] as const;
const high = ["720P", "1080P"] as const;

/** https://www.alibabacloud.com/help/en/model-studio/video-generation/ */
const tiersByName: readonly (readonly [RegExp, readonly Tier[]])[] = [
  [/2\.5|2\.2-kf2v/, all],
  [/2\.2.*plus/, ["480P", "1080P"]],
  [/2\.2|2\.1.*turbo/, ["480P", "720P"]],
  [/2\.1/, ["720P"]],
];

const kinds: readonly (readonly [RegExp, WanKind])[] = [
  [/kf2v/, "frames"],
  [/r2v/, "references"],
  [/i2v/, "frame"],
  [/t2v/, "text"],
];

/** The one length of the older models, and what is made by all others when nothing is said. */
export const usualSeconds = 5;
const usualShape = 16 / 9;
const usualTier = "720p";

/** `2.6` of `wan2.6-t2v`; models without such a number are taken for the newest. */
function generationOf(model: string): number {
  return Number(/wanx?-?(\d+\.\d+)/i.exec(model)?.[1] ?? Number.POSITIVE_INFINITY);
}

function lengths(generation: number, kind: WanKind): Offer["lengthFor"] {
  if (generation < 2.5 || kind === "frames") return undefined;
  return generation < 2.6 ? (wanted) => nearest(wanted, [5, 10]) : (wanted) => within(wanted, 2, 15);
}

export function offerFor(model: string): Offer {
  const generation = generationOf(model);
  const kind = kinds.find(([pattern]) => pattern.test(model))?.[1] ?? "any";
  return {
    kind,
    isNewer: generation >= 2.7,
    tiers: tiersByName.find(([pattern]) => pattern.test(model))?.[1] ?? high,
    audio: generation >= 2.7 ? "always" : generation >= 2.5 ? "optional" : "never",
    lengthFor: lengths(generation, kind),
  };
}

/** Sizes of one shape differ by so much from each other. */
const sameShape = 0.03;

/** The size that is nearest in shape and then in tier to what the client wants; undefined where it wants none. */
export function sizeFor(ask: VideoAsk, tiers: readonly Tier[]): { size: string; tier: Tier } | undefined {
  const wanted = wantedProportion(ask);
  if (wanted === undefined && shortSide(ask) === undefined) return undefined;
  const offered = tiers.flatMap((tier) =>
    sizes[tier].map((size) => ({
      size,
      tier,
      off: Math.abs(Math.log((wanted ?? usualShape) / (proportion(size) ?? 1))),
    })),
  );
  const ordered = offered.toSorted((left, right) => left.off - right.off);
  const close = ordered.filter(({ off }) => off <= (ordered[0]?.off ?? 0) + sameShape);
  const inTiers = close.map(({ tier }) => tier);
  const tier = tierFor(ask, inTiers) ?? tierFor({ resolution: usualTier }, inTiers);
  return close.find((row) => row.tier === tier);
}
