// What the models behind Runway offer, by the families of their names.
import type { VideoAsk } from "../../../../canon/video.ts";
import { nearest, nearestSize, within } from "../../fit.ts";

type Sizes = readonly [string, ...string[]];

/** The first size is what is made when the client wants none. */
export interface Offer {
  readonly names: RegExp;
  /** For videos of a text alone; absent where there must be an image. */
  readonly textSizes?: Sizes;
  readonly imageSizes: Sizes;
  lengthFor(wanted: number | undefined): number;
  readonly takesLast?: true;
  readonly takesReferences?: true;
  readonly takesSeed?: true;
  /** Whether there is sound: as the client wants it, always, or never. */
  readonly sound: "asked" | "always" | "never";
  readonly isModerated?: true;
}

const plain = ["1280:720", "720:1280"] as const;
const large = [...plain, "1920:1080", "1080:1920"] as const;
const many = [...plain, "1104:832", "832:1104", "960:960", "1584:672"] as const;
const seedanceSizes = [
  ...["1280:720", "720:1280", "1112:834", "834:1112", "960:960", "1470:630"],
  ...["864:496", "496:864", "752:560", "560:752", "640:640", "992:432"],
  ...["1920:1080", "1080:1920", "1664:1248", "1248:1664", "1440:1440", "2206:946"],
] as [string, ...string[]];

const oneOf =
  (usual: number, ...allowed: [number, ...number[]]) =>
  (wanted = usual): number =>
    nearest(wanted, allowed);
const between =
  (usual: number, least: number, most: number) =>
  (wanted = usual): number =>
    within(wanted, least, most);

/** https://docs.dev.runwayml.com/api */
const offers: readonly Offer[] = [
  {
    names: /^gen4_turbo/i,
    imageSizes: many,
    lengthFor: oneOf(10, 5, 10),
    takesSeed: true,
    sound: "never",
    isModerated: true,
  },
  {
    names: /^gen3a/i,
    imageSizes: ["1280:768", "768:1280"],
    lengthFor: oneOf(10, 5, 10),
    takesLast: true,
    takesSeed: true,
    sound: "never",
    isModerated: true,
  },
  {
    names: /^veo3\.\d/i,
    textSizes: large,
    imageSizes: large,
    lengthFor: oneOf(8, 4, 6, 8),
    takesLast: true,
    sound: "asked",
  },
  { names: /^veo/i, textSizes: large, imageSizes: large, lengthFor: () => 8, sound: "always" },
  {
    names: /^seedance/i,
    textSizes: seedanceSizes,
    imageSizes: seedanceSizes,
    lengthFor: between(5, 4, 15),
    takesLast: true,
    takesReferences: true,
    sound: "asked",
  },
];

const newest: Offer = {
  names: /^gen4\.\d/i,
  textSizes: plain,
  imageSizes: many,
  lengthFor: between(5, 2, 10),
  takesSeed: true,
  sound: "never",
  isModerated: true,
};

export const offerFor = (model: string): Offer => offers.find(({ names }) => names.test(model)) ?? newest;

/** `ratio` is a size, as this wire calls it. */
export interface Fitted {
  readonly seconds: number;
  readonly ratio: string;
  readonly width: number;
  readonly height: number;
}

export function fitTo(ask: VideoAsk, sizes: Sizes, offer: Offer): Fitted {
  const ratio = nearestSize(ask, sizes) ?? sizes[0];
  const [width = 0, height = 0] = ratio.split(":").map(Number);
  return { seconds: offer.lengthFor(ask.seconds), ratio, width, height };
}
