// The models of Wan as rows, by generation and kind: lengths, sizes, resolutions, ratios, sound and images.
import type { ModelTable } from "../../shared/model-table.ts";
import type { VideoRow } from "../vendor.ts";

export interface WanRow extends VideoRow {
  /** Takes all images in one list of media; other models have a member for each. */
  readonly takesMedia?: true;
}

const checkedOn = "2026-11-22";
const pageOf = (name: string) => ({ source: `https://www.alibabacloud.com/help/en/model-studio/${name}`, checkedOn });
const text = pageOf("text-to-video-api-reference");
const frame = pageOf("image-to-video-api-reference");
const frames = pageOf("image-to-video-by-first-and-last-frame-api-reference");
const references = pageOf("wan-video-to-video-api-reference");

const sizesOf480 = ["832*480", "480*832", "624*624"] as const;
const sizesOf720 = ["1280*720", "720*1280", "960*960", "1088*832", "832*1088"] as const;
const sizesOf1080 = ["1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632"] as const;
const highSizes = [...sizesOf720, ...sizesOf1080] as const;
const allSizes = [...sizesOf480, ...highSizes] as const;

const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
const high = ["720P", "1080P"] as const;
const all = ["480P", "720P", "1080P"] as const;

const upToFifteen = { min: 2, max: 15 } as const;
const fiveOrTen = [5, 10] as const;
const onlyFive = [5] as const;

/** Media of the newest generation: a ratio and a resolution in place of a size, and always sound. */
const newest = { takesMedia: true, ratios, resolutions: high, durations: upToFifteen, audio: "always" } as const;
const fromText = { ...text, images: [] } as const;
const fromFrame = { ...frame, images: ["first"], needs: ["first"] } as const;
const fromFrames = { ...frames, images: ["first", "last"], needs: ["first", "last"], durations: onlyFive } as const;
const sixth = { durations: upToFifteen, audio: "optional" } as const;
const fifth = { durations: fiveOrTen, audio: "optional" } as const;
const older = { durations: onlyFive, audio: "never" } as const;

/** Sizes are for videos without a first frame; with one, the video has the shape of the frame. */
const rows: readonly WanRow[] = [
  { models: /wan-?2\.7.*t2v/i, ...fromText, ...newest },
  { models: /wan-?2\.7.*i2v/i, ...fromFrame, ...newest, images: ["first", "last"] },
  { models: /wan-?2\.7.*r2v/i, ...references, ...newest, images: ["first", "reference"], needs: ["reference"] },
  { models: /wan-?2\.6.*t2v/i, ...fromText, ...sixth, sizes: highSizes },
  { models: /wan-?2\.6.*i2v/i, ...fromFrame, ...sixth, resolutions: high },
  {
    ...{ models: /wan-?2\.6.*r2v/i, ...references, ...sixth, sizes: highSizes },
    ...{ images: ["reference"], needs: ["reference"] },
  },
  { models: /wan-?2\.5.*t2v/i, ...fromText, ...fifth, sizes: allSizes },
  { models: /wan-?2\.5.*i2v/i, ...fromFrame, ...fifth, resolutions: all },
  { models: /wan-?2\.2.*kf2v/i, ...older, ...fromFrames, resolutions: all },
  { models: /wan-?2\.2.*t2v.*plus/i, ...fromText, ...older, sizes: [...sizesOf480, ...sizesOf1080] },
  { models: /wan-?2\.2.*i2v.*plus/i, ...fromFrame, ...older, resolutions: ["480P", "1080P"] },
  { models: /wan-?2\.2.*i2v/i, ...fromFrame, ...older, resolutions: ["480P", "720P"] },
  { models: /wanx?-?2\.1.*kf2v/i, ...older, ...fromFrames, resolutions: ["720P"] },
  { models: /wanx?-?2\.1.*t2v.*turbo/i, ...fromText, ...older, sizes: [...sizesOf480, ...sizesOf720] },
  { models: /wanx?-?2\.1.*t2v/i, ...fromText, ...older, sizes: sizesOf720 },
  { models: /wanx?-?2\.1.*i2v.*turbo/i, ...fromFrame, ...older, resolutions: ["480P", "720P"] },
  { models: /wanx?-?2\.1.*i2v/i, ...fromFrame, ...older, resolutions: ["720P"] },
];

export const wanModels: ModelTable<WanRow> = {
  rows,
  unlisted: { models: /(?:)/, ...pageOf("video-generation/"), takesMedia: true },
};
