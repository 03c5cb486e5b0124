// The video models of MiniMax as rows, on its older and its newer paths: lengths, resolutions, ratios, sound and images.
import type { ModelRow, ModelTable } from "../../../shared/model-table.ts";

export interface HailuoRow extends ModelRow {
  /** A resolution that needs a first frame. */
  readonly framedResolution?: string;
  /** A resolution that is only made in the shortest length. */
  readonly shortResolution?: string;
  /** Has neither a field for the length nor one for the resolution. */
  readonly isFixed?: true;
}

const checkedOn = "2026-11-22";
const older = { source: "https://platform.minimax.io/docs/guides/video-generation", checkedOn } as const;
const newer = { source: "https://platform.minimax.io/docs/api-reference/video-generation-v2", checkedOn } as const;

const hailuo = { ...older, durations: [6, 10], audio: "never", shortResolution: "1080P" } as const;
const first = { ...older, durations: [6], resolutions: ["720P"], audio: "never", isFixed: true } as const;

/** The first resolution is what is made where the client said none. */
export const hailuoModels: ModelTable<HailuoRow> = {
  rows: [
    {
      ...{ models: /hailuo-02/i, ...hailuo, resolutions: ["768P", "512P", "1080P"], framedResolution: "512P" },
      ...{ images: ["first", "last"] },
    },
    {
      ...{ models: /hailuo-2\.3-fast/i, ...hailuo, resolutions: ["768P", "1080P"] },
      ...{ images: ["first"], needs: ["first"] },
    },
    { models: /hailuo-2\.3/i, ...hailuo, resolutions: ["768P", "1080P"], images: ["first"] },
    { models: /^s2v-01/i, ...first, images: ["reference"], needs: ["reference"] },
    { models: /^t2v-01/i, ...first, images: [] },
    { models: /^i2v-01/i, ...first, images: ["first"], needs: ["first"] },
  ],
  unlisted: { models: /(?:)/, ...older },
};

const ratios = ["16:9", "21:9", "4:3", "1:1", "3:4", "9:16"] as const;
const third = { ...newer, resolutions: ["768P", "2K"], ratios, audio: "always" } as const;

/** The first resolution and ratio, and five seconds, are requested where the client said nothing. */
export const h3Models: ModelTable<ModelRow> = {
  rows: [
    { models: /(?:^|-)h3-max/i, ...third, durations: { min: 5, max: 15 } },
    { models: /(?:^|-)h3/i, ...third, durations: { min: 4, max: 15 } },
  ],
  unlisted: { models: /(?:)/, ...newer },
};
