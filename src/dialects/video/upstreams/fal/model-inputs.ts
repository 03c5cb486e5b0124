// The models behind fal: what each endpoint calls its inputs and which values it takes, from the types of fal's own client.
import type { ModelTable } from "../../../shared/model-table.ts";
import type { HostedRow } from "../model-host.ts";
import endpoints from "./endpoints.json" with { type: "json" };

const { source, checkedOn } = endpoints;

/** Checked where the file is written; the types of a JSON file are wider than what stands in it. */
const rows = (endpoints.rows as readonly Omit<HostedRow, "source" | "checkedOn">[]).map((row) => ({
  ...row,
  source,
  checkedOn,
}));

export const falModels: ModelTable<HostedRow> = {
  rows,
  // The names that most endpoints have.
  unlisted: {
    models: /(?:)/,
    source,
    checkedOn,
    fields: {
      first: "image_url",
      last: "end_image_url",
      references: "reference_image_urls",
      seconds: "duration",
      ratio: "aspect_ratio",
      resolution: "resolution",
      seed: "seed",
      negativePrompt: "negative_prompt",
      audio: "generate_audio",
    },
    secondsAs: "text",
  },
};

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
