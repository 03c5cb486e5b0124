// The image models behind DashScope: how many images at once, how large, and on which of its paths.
import type { ImageRequest } from "../../canonical/image.ts";
import { lookUpModel, type ModelQuery } from "../shared/model-table.ts";
import type { Warnings } from "../shared/warnings.ts";
import { fittedPixels, type ImageRow, type ImageTable } from "./model-sizes.ts";

const source = "https://www.alibabacloud.com/help/en/model-studio/qwen-image-api";
const editSource = "https://www.alibabacloud.com/help/en/model-studio/qwen-image-edit-api";
const wanSource = "https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference";
const checkedOn = "2026-11-22";

const rows: readonly ImageRow[] = [
  {
    models: /^qwen-image-edit-(?:plus|max)/,
    source: editSource,
    checkedOn,
    maxImages: 6,
    sides: { min: 512, max: 2048 },
  },
  { models: /^qwen-image-edit/, source: editSource, checkedOn, keepsSize: true },
  { models: /^qwen-image-[2-9]/, source, checkedOn, maxImages: 6, area: { min: 512 * 512, max: 2048 * 2048 } },
  {
    models: /^qwen-image/,
    source,
    checkedOn,
    sizes: ["1664x928", "1472x1104", "1328x1328", "1104x1472", "928x1664"],
  },
  { models: /^wan/, source: wanSource, checkedOn, maxImages: 4, needsCount: true },
];

export const dashscopeImageModels: ImageTable = { rows, unlisted: { models: /(?:)/, source, checkedOn } };

/** How many images one call may ask for: of a model that no row knows one at a time, which all of them understand. */
export function mostImagesOf(query: ModelQuery): number {
  return lookUpModel(dashscopeImageModels, query).row.maxImages ?? 1;
}

/** True for models that must be told how many. */
export function mustNameCount(query: ModelQuery): boolean {
  return lookUpModel(dashscopeImageModels, query).row.needsCount === true;
}

/** Models that make images as tasks alone: https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference */
export function isTaskModel(model: string): boolean {
  const [, major, minor] = /^wan(?:x)?(\d)\.(\d)/.exec(model) ?? [];
  if (major === undefined) return /^(?:wanx|flux|stable-diffusion)/.test(model);
  return Number(major) * 10 + Number(minor) < 26;
}

/** `1328*1328`: the nearest that the model makes; undefined where the client left it open or the model does. */
export function sizeFor(request: ImageRequest, warnings: Warnings): string | undefined {
  const fitted = fittedPixels(request, warnings, dashscopeImageModels);
  return fitted === undefined ? undefined : `${fitted.width}*${fitted.height}`;
}
