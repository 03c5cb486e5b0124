// What the inputs of models behind fal are called, families of one maker alike, and how they write a length.
import type { Inputs } from "../hosted.ts";

const usual: Inputs = {
  names: /(?:)/,
  first: "image_url",
  last: "end_image_url",
  references: null,
  seconds: "duration",
  ratio: "aspect_ratio",
  resolution: "resolution",
  seed: "seed",
  fps: null,
  negativePrompt: "negative_prompt",
  audio: null,
  writeSeconds: String,
};

const withUnit = (seconds: number): string => `${seconds}s`;

/** From the models' own pages, as https://fal.ai/models/fal-ai/veo3.1/api */
const families: readonly Inputs[] = [
  {
    ...usual,
    names: /kling-video/i,
    last: "tail_image_url",
    resolution: null,
    seed: null,
    audio: "generate_audio",
    lengths: [5, 10],
  },
  {
    ...usual,
    names: /veo[23].*first-last/i,
    first: "first_frame_url",
    last: "last_frame_url",
    audio: "generate_audio",
    tiers: ["720p", "1080p"],
    lengths: [4, 6, 8],
    writeSeconds: withUnit,
  },
  {
    ...usual,
    names: /veo[23]/i,
    last: null,
    references: "image_urls",
    audio: "generate_audio",
    tiers: ["720p", "1080p"],
    lengths: [4, 6, 8],
    writeSeconds: withUnit,
  },
  {
    ...usual,
    names: /minimax/i,
    ratio: null,
    seed: null,
    negativePrompt: null,
    tiers: ["768P", "512P"],
    lengths: [6, 10],
  },
  { ...usual, names: /seedance/i, negativePrompt: null, audio: "generate_audio" },
  {
    ...usual,
    names: /wan(?:-|\/)?v?2[.-][12]/i,
    seconds: null,
    fps: "frames_per_second",
    tiers: ["480p", "580p", "720p"],
  },
  {
    ...usual,
    names: /luma|ray-2/i,
    seed: null,
    negativePrompt: null,
    tiers: ["540p", "720p", "1080p"],
    lengths: [5, 9],
    writeSeconds: withUnit,
  },
  {
    ...usual,
    names: /sora-2/i,
    last: null,
    seed: null,
    negativePrompt: null,
    tiers: ["720p", "1080p"],
    lengths: [4, 8, 12],
    writeSeconds: Number,
  },
];

export const inputsFor = (model: string): Inputs => families.find(({ names }) => names.test(model)) ?? usual;

/** Inputs of models that a client may name itself: none that names a length, a tier or a number of videos. */
export const passed = [
  "camera_fixed",
  "cfg_scale",
  "enable_prompt_expansion",
  "guidance_scale",
  "loop",
  "motion_strength",
  "num_inference_steps",
  "prompt_optimizer",
  "style",
] as const;
