// The models on Replicate: the input names and values of each family, from the schemas of the models.
import type { ModelTable } from "../../shared/model-table.ts";
import type { HostedRow } from "./model-host.ts";

const checkedOn = "2026-11-22";
const schemaOf = (model: string): string => `https://replicate.com/${model}/api/schema`;

const usual = {
  first: "image",
  last: "last_frame_image",
  seconds: "duration",
  ratio: "aspect_ratio",
  resolution: "resolution",
  seed: "seed",
  negativePrompt: "negative_prompt",
} as const;

const { negativePrompt: _, ...positive } = usual;

const rows: readonly HostedRow[] = [
  {
    models: /^minimax\//i,
    source: schemaOf("minimax/hailuo-02"),
    checkedOn,
    fields: { first: "first_frame_image", last: "last_frame_image", seconds: "duration", resolution: "resolution" },
    resolutions: ["768p", "512p", "1080p"],
    durations: [6, 10],
  },
  {
    models: /^kwaivgi\//i,
    source: schemaOf("kwaivgi/kling-v2.6"),
    checkedOn,
    fields: {
      first: "start_image",
      last: "end_image",
      references: "reference_images",
      seconds: "duration",
      ratio: "aspect_ratio",
      negativePrompt: "negative_prompt",
      audio: "generate_audio",
    },
    durations: [5, 10],
    ratios: ["16:9", "9:16", "1:1"],
  },
  {
    models: /^google\/veo/i,
    source: schemaOf("google/veo-3.1"),
    checkedOn,
    fields: { ...usual, last: "last_frame", references: "reference_images", audio: "generate_audio" },
    durations: [4, 6, 8],
    ratios: ["16:9", "9:16"],
    resolutions: ["720p", "1080p"],
  },
  {
    models: /^openai\/sora-2(?:$|[:-])/i,
    source: schemaOf("openai/sora-2"),
    checkedOn,
    fields: { first: "input_reference", seconds: "seconds", ratio: "aspect_ratio" },
    durations: [4, 8, 12],
    ratios: ["16:9", "9:16"],
    ratioWords: { "16:9": "landscape", "9:16": "portrait" },
    audio: "always",
  },
  {
    models: /^bytedance\/seedance-1(?:\.\d+)?-pro/i,
    source: schemaOf("bytedance/seedance-1-pro"),
    checkedOn,
    fields: { ...positive, fps: "fps" },
    durations: { min: 2, max: 12 },
    ratios: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "9:21"],
    resolutions: ["480p", "720p", "1080p"],
    audio: "never",
  },
  {
    models: /^bytedance\/seedance-1-lite/i,
    source: schemaOf("bytedance/seedance-1-lite"),
    checkedOn,
    fields: { ...positive, references: "reference_images", fps: "fps" },
    durations: { min: 2, max: 12 },
    ratios: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "9:21"],
    resolutions: ["480p", "720p", "1080p"],
    audio: "never",
  },
  {
    models: /^bytedance\/seedance-2/i,
    source: schemaOf("bytedance/seedance-2.0"),
    checkedOn,
    fields: { ...positive, references: "reference_images", audio: "generate_audio" },
  },
  {
    models: /^wan-video\/wan-2\.[12]/i,
    source: schemaOf("wan-video/wan-2.2-i2v-fast"),
    checkedOn,
    fields: {
      first: "image",
      last: "last_image",
      ratio: "aspect_ratio",
      resolution: "resolution",
      seed: "seed",
      fps: "frames_per_second",
    },
    ratios: ["16:9", "9:16"],
    resolutions: ["480p", "720p"],
    audio: "never",
  },
  {
    models: /^wan-video\/wan-2\.5-t2v/i,
    source: schemaOf("wan-video/wan-2.5-t2v"),
    checkedOn,
    fields: { seconds: "duration", size: "size", seed: "seed", negativePrompt: "negative_prompt" },
    durations: [5, 10],
    sizes: ["1280*720", "832*480", "480*832", "720*1280", "1920*1080", "1080*1920"],
  },
  {
    models: /^wan-video\/wan-2\.5-i2v/i,
    source: schemaOf("wan-video/wan-2.5-i2v"),
    checkedOn,
    fields: {
      first: "image",
      seconds: "duration",
      resolution: "resolution",
      seed: "seed",
      negativePrompt: "negative_prompt",
    },
    durations: [5, 10],
    resolutions: ["480p", "720p", "1080p"],
  },
  {
    models: /^runwayml\//i,
    source: schemaOf("runwayml/gen4-turbo"),
    checkedOn,
    fields: { first: "image", seconds: "duration", ratio: "aspect_ratio", seed: "seed" },
    durations: [5, 10],
    ratios: ["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"],
    audio: "never",
  },
  {
    models: /^luma\//i,
    source: schemaOf("luma/ray-2-720p"),
    checkedOn,
    fields: { first: "start_image", last: "end_image", seconds: "duration", ratio: "aspect_ratio" },
    durations: [5, 9],
    ratios: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"],
    audio: "never",
  },
  {
    models: /^pixverse\//i,
    source: schemaOf("pixverse/pixverse-v5"),
    checkedOn,
    fields: { ...usual, resolution: "quality" },
    durations: [5, 8],
    ratios: ["16:9", "9:16", "1:1"],
    resolutions: ["360p", "540p", "720p", "1080p"],
  },
];

/** The version after the colon does not change the model. */
export const replicateModels: ModelTable<HostedRow> = {
  rows,
  unlisted: { models: /(?:)/, source: schemaOf("minimax/video-01"), checkedOn, fields: usual },
};
