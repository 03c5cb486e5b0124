// The models of Jimeng are keys: one for each way to use images, and often one more for each tier.
import type { VideoAsk } from "../../../../canon/video.ts";
import { unsupported } from "../../../reject.ts";
import { tierFor } from "../../fit.ts";
import type { VideoRenderContext } from "../../upstream.ts";

const tiers = ["720p", "1080p"] as const;

/** A family such as `jimeng_v30`, with or without a tier, of which the images choose a member. */
const family = /^(jimeng)_(v\d+)(?:_(?:(720)|(1080))p?)?$/;
const wholeFamily = /^(jimeng)_(v\d+)_pro$/;

export interface Key {
  readonly key: string;
  readonly resolution: (typeof tiers)[number];
  /** How many frames it takes, at least and at most. */
  readonly least: number;
  readonly most: number;
}

/** https://www.volcengine.com/docs/85621/1544774 and its neighbours. */
const frames: readonly (readonly [RegExp, number, number])[] = [
  [/ti2v/, 0, 1],
  [/t2v/, 0, 0],
  [/first_tail/, 2, 2],
  [/i2v/, 1, 1],
];

function known(key: string): Key {
  const [, least, most] = frames.find(([pattern]) => pattern.test(key)) ?? [/./, 0, 2];
  return { key, resolution: /1080|_pro/.test(key) ? "1080p" : "720p", least, most };
}

/** The member of the family for this number of frames. */
function memberOf(model: string, ask: VideoAsk): string {
  const whole = wholeFamily.exec(model);
  if (whole !== null) return `${whole[1]}_ti2v_${whole[2]}_pro`;
  const [, maker, version, isLow, isHigh] = family.exec(model) ?? [];
  if (maker === undefined) return model;
  const isLarge = isHigh !== undefined || (isLow === undefined && tierFor(ask, tiers) === "1080p");
  const [way, tail] = (
    [
      ["t2v", "_1080p"],
      ["i2v_first", "_1080"],
    ] as const
  )[ask.images.length] ?? ["i2v_first_tail", "_1080"];
  return `${maker}_${way}_${version}${isLarge ? tail : ""}`;
}

/** The key for what was asked. Throws `unsupported_parameter` for images that it does not take, or lacks. */
export function keyFor(ask: VideoAsk, context: VideoRenderContext): Key {
  const found = known(memberOf(context.model, ask));
  const stray = ask.images.find(({ role }, index) => role === "reference" || index >= found.most);
  if (stray !== undefined)
    throw unsupported(stray.path, found.most === 0 ? "it makes videos of texts alone." : "it takes no such image.");
  if (ask.images.length < found.least)
    throw unsupported(context.fieldPath("model"), `it makes videos of ${found.least} image(s).`);
  return found;
}
