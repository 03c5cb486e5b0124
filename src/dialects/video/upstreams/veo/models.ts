// The models of Veo as rows: lengths, ratios, resolutions and sound, on the Gemini API and on Vertex AI alike.
import type { ModelRow, ModelTable } from "../../../shared/model-table.ts";

const page = { source: "https://ai.google.dev/gemini-api/docs/video", checkedOn: "2026-11-22" } as const;
const ratios = ["16:9", "9:16"] as const;
const lengths = [4, 6, 8] as const;
const third = { ...page, durations: lengths, ratios, audio: "optional" } as const;

const rows: readonly ModelRow[] = [
  // Its one resolution has no parameter.
  { models: /veo-2/i, ...page, durations: { min: 5, max: 8 }, ratios, resolutions: [], audio: "never" },
  { models: /veo-3\.0/i, ...third, resolutions: ["720p", "1080p"] },
  { models: /veo-3\.1-lite/i, ...third, resolutions: ["720p", "1080p"] },
  { models: /veo-3\.1/i, ...third, resolutions: ["720p", "1080p", "4k"] },
];

export const veoModels: ModelTable<ModelRow> = { rows, unlisted: { models: /(?:)/, ...page } };
