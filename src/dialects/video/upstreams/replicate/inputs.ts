// What the inputs of models behind Replicate are called: each model names its own, families of one maker alike.
import type { Inputs } from "../hosted.ts";

const usual: Inputs = {
  names: /(?:)/,
  first: "image",
  last: "last_frame_image",
  references: null,
  seconds: "duration",
  ratio: "aspect_ratio",
  resolution: "resolution",
  seed: "seed",
  fps: null,
  negativePrompt: "negative_prompt",
  audio: null,
};

/** From the models' own pages, as https://replicate.com/google/veo-3.1/api/schema */
const families: readonly Inputs[] = [
  {
    ...usual,
    names: /^minimax\//i,
    first: "first_frame_image",
    ratio: null,
    seed: null,
    negativePrompt: null,
    tiers: ["768p", "512p", "1080p"],
    lengths: [6, 10],
  },
  {
    ...usual,
    names: /^kwaivgi\//i,
    first: "start_image",
    last: "end_image",
    references: "reference_images",
    resolution: null,
    seed: null,
    audio: "generate_audio",
    lengths: [5, 10],
  },
  {
    ...usual,
    names: /^google\/veo/i,
    last: "last_frame",
    references: "reference_images",
    audio: "generate_audio",
    tiers: ["720p", "1080p"],
    lengths: [4, 6, 8],
  },
  {
    ...usual,
    names: /^bytedance\/seedance/i,
    references: "reference_images",
    negativePrompt: null,
    fps: "fps",
    audio: "generate_audio",
    tiers: ["480p", "720p", "1080p"],
  },
  {
    ...usual,
    names: /^wan-video\/wan-2\.[12]/i,
    last: "last_image",
    seconds: null,
    fps: "frames_per_second",
    negativePrompt: null,
    tiers: ["480p", "720p"],
  },
  { ...usual, names: /^wan-video\//i, last: null, ratio: null, resolution: null, lengths: [5, 10] },
  { ...usual, names: /^runwayml\//i, last: null, resolution: null, negativePrompt: null, lengths: [5, 10] },
  {
    ...usual,
    names: /^luma\//i,
    first: "start_image",
    last: "end_image",
    resolution: null,
    seed: null,
    negativePrompt: null,
    lengths: [5, 9],
  },
  {
    ...usual,
    names: /^pixverse\//i,
    resolution: "quality",
    tiers: ["360p", "540p", "720p", "1080p"],
    lengths: [5, 8],
  },
];

/** The version behind the colon does not change what a model is. */
export const inputsFor = (model: string): Inputs => families.find(({ names }) => names.test(model)) ?? usual;

/** Inputs of models that a client may name itself: none that names a length, a tier or a number of videos. */
export const passed = [
  "camera_fixed",
  "cfg_scale",
  "concepts",
  "enable_prompt_expansion",
  "go_fast",
  "guidance_scale",
  "loop",
  "mode",
  "motion_bucket_id",
  "num_inference_steps",
  "optimize_prompt",
  "prompt_optimizer",
  "sample_shift",
  "style",
  "subject_reference",
] as const;
