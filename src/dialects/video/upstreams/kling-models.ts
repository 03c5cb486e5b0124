// Kling's models, on its older and newer paths: lengths, ratios, resolutions, audio and images.
import type { ModelTable } from "../../shared/model-table.ts";
import type { VideoRow } from "../vendor.ts";

export interface KlingRow extends VideoRow {
  /** Has a path of its own, with references in addition to frames: `kling-video-o1` on the older paths, the others on the newer. */
  readonly isOmni?: true;
}

const checkedOn = "2026-11-22";
const pageOf = (model: string): string => `https://kling.ai/document-api/api/video/${model}`;
const capabilityMap = "https://kling.ai/document-api/guides/capability-map/video";

const ratios = ["16:9", "9:16", "1:1"] as const;
const tiers = ["720p", "1080p"] as const;
const frames = ["first", "last"] as const;
const all = [...frames, "reference"] as const;
const upToFifteen = { min: 3, max: 15 } as const;
const fiveOrTen = [5, 10] as const;
const highAudio = { when: { audio: true }, resolutions: ["1080p"] } as const;
const highLast = { when: { has: "last" }, resolutions: ["1080p"] } as const;

const firstOmni = {
  source: pageOf("o1/video-omni"),
  checkedOn,
  durations: fiveOrTen,
  ratios,
  resolutions: tiers,
  audio: "optional",
  images: all,
  isOmni: true,
} as const;

const rows: readonly KlingRow[] = [
  {
    models: /^kling-3\.0-turbo/i,
    source: pageOf("3-0-turbo/image-to-video"),
    checkedOn,
    durations: upToFifteen,
    ratios,
    resolutions: tiers,
    audio: "always",
    images: ["first"],
  },
  {
    models: /^kling-(?:3\.0|v3)-omni/i,
    source: pageOf("3-0-omni/video-omni"),
    checkedOn,
    durations: upToFifteen,
    ratios,
    resolutions: [...tiers, "4k"],
    audio: "optional",
    images: all,
    isOmni: true,
  },
  { models: /^kling-o1/i, ...firstOmni },
  { models: /^kling-video-o1/i, ...firstOmni, needsPrompt: true },
  {
    models: /^kling-v?3(?:[.-]0)?$/i,
    source: pageOf("3-0/image-to-video"),
    checkedOn,
    durations: upToFifteen,
    ratios,
    resolutions: [...tiers, "4k"],
    audio: "optional",
    images: frames,
  },
  {
    models: /^kling-v?2[.-]6/i,
    source: pageOf("2-6/image-to-video"),
    checkedOn,
    durations: fiveOrTen,
    ratios,
    resolutions: tiers,
    audio: "optional",
    images: frames,
    limits: [highAudio, highLast],
  },
  {
    models: /^kling-v?2/i,
    source: capabilityMap,
    checkedOn,
    durations: fiveOrTen,
    ratios,
    resolutions: tiers,
    audio: "never",
    images: all,
    limits: [highLast],
  },
  {
    models: /^kling-v?1/i,
    source: capabilityMap,
    checkedOn,
    durations: fiveOrTen,
    ratios,
    resolutions: tiers,
    audio: "never",
    images: all,
  },
];

export const klingModels: ModelTable<KlingRow> = {
  rows,
  unlisted: { models: /(?:)/, source: capabilityMap, checkedOn },
};
