// What the older video models of MiniMax offer, by the families of their names.
import type { VideoAsk } from "../../../../canon/video.ts";
import { nearest, tierFor } from "../../fit.ts";

/** `lengths` and the first of `tiers` are what is made when nothing is said. */
export interface Offer {
  readonly names: RegExp;
  /** The tier that is made when the client wants none stands first. */
  readonly tiers: readonly [string, ...string[]];
  readonly lengths: readonly [number, ...number[]];
  /** A tier that needs a first frame. */
  readonly framedTier?: string;
  readonly takesLast?: true;
  readonly takesReference?: true;
  /** Has neither a field for the length nor one for the resolution. */
  readonly isFixed?: true;
}

/** https://platform.minimax.io/docs/guides/video-generation */
const offers: readonly Offer[] = [
  { names: /hailuo-02/i, tiers: ["768P", "512P", "1080P"], lengths: [6, 10], framedTier: "512P", takesLast: true },
  { names: /^s2v/i, tiers: ["720P"], lengths: [6], takesReference: true, isFixed: true },
  { names: /^[ti]2v-01/i, tiers: ["720P"], lengths: [6], isFixed: true },
  { names: /(?:)/, tiers: ["768P", "1080P"], lengths: [6, 10] },
];

export function offerFor(model: string): Offer {
  return offers.find(({ names }) => names.test(model)) ?? (offers[offers.length - 1] as Offer);
}

/** What is made of a wish: the resolution first, since the highest one is only made in the shortest length. */
export function fitTo(offer: Offer, ask: VideoAsk, hasFrame: boolean): { seconds: number; resolution: string } {
  const tiers = offer.tiers.filter((tier) => hasFrame || tier !== offer.framedTier);
  const resolution = tierFor(ask, tiers) ?? offer.tiers[0];
  const lengths: readonly [number, ...number[]] = resolution === "1080P" ? [6] : offer.lengths;
  return { seconds: nearest(ask.seconds ?? 6, lengths), resolution };
}
