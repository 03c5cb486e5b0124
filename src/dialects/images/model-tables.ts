// The image models of all providers, as rows.
import type { ImageModels, ImageRow } from "./model-sizes.ts";

const checkedOn = "2026-11-22";

const table = (
  source: string,
  rows: readonly (Omit<ImageRow, "source" | "checkedOn"> & { source?: string })[],
): ImageModels => ({
  rows: rows.map((row) => ({ source, ...row, checkedOn })),
  unlisted: { models: /(?:)/, source, checkedOn },
});

const fourK = 4096 * 4096;

/** `2560x1440` is the smallest size, in pixels, of the newer models. */
export const arkModels = table("https://www.volcengine.com/docs/82379/1541523", [
  { models: /seedream-?5/i, area: { min: 2560 * 1440, max: 10_404_496 }, resolutions: ["2K", "3K"] },
  { models: /seedream-?4[-.]5/i, area: { min: 2560 * 1440, max: fourK }, resolutions: ["2K", "4K"] },
  { models: /seedream-?4/i, area: { min: 1280 * 720, max: fourK }, resolutions: ["1K", "2K", "4K"] },
  { models: /seedream-?3/i, sides: { min: 512, max: 2048 }, resolutions: [] },
  { models: /seededit/i, keepsSize: true, resolutions: [] },
]);

export const zhipuModels = table("https://docs.bigmodel.cn/api-reference/模型-api/图像生成", [
  {
    models: /^glm-image/i,
    sides: { min: 1024, max: 2048 },
    area: { min: 1024 * 1024, max: 2 ** 22 },
    step: 32,
    onlyQuality: "hd",
  },
  {
    models: /^cogview/i,
    sizes: ["1024x1024", "768x1344", "864x1152", "1344x768", "1152x864", "1440x720", "720x1440"],
  },
]);

const grokRatios = ["1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "1:2", "2:1"] as const;

export const xaiModels = table("https://docs.x.ai/developers/model-capabilities/images/generation", [
  { models: /^grok-imagine-image/i, ratios: [...grokRatios, "9:20", "20:9"], resolutions: ["1K", "2K"] },
  { models: /^grok-(?:\d-)?image/i, ratios: grokRatios, resolutions: [] },
]);

const geminiRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

/** Models before generation 3 generate about a thousand pixels per side and have no parameter for it. */
export const geminiImageModels = table("https://ai.google.dev/gemini-api/docs/image-generation", [
  { models: /gemini-[12](?:\.\d)?-/, ratios: geminiRatios, resolutions: [] },
  {
    models: /gemini-3\.1-flash/,
    ratios: [...geminiRatios, "1:4", "4:1", "1:8", "8:1"],
    resolutions: ["512", "1K", "2K", "4K"],
  },
  { models: /gemini-3(?:\.[01])?-pro/, ratios: geminiRatios, resolutions: ["1K", "2K", "4K"] },
]);

const imagenRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"] as const;

export const imagenModels = table("https://ai.google.dev/gemini-api/docs/imagen", [
  { models: /imagen-?(?:3|4.*fast)/, ratios: imagenRatios, resolutions: [] },
  { models: /imagen-?4/, ratios: imagenRatios, resolutions: ["1K", "2K"] },
]);

const minimaxRatios = ["1:1", "16:9", "4:3", "3:2", "2:3", "3:4", "9:16", "21:9"] as const;

/** A row with sides accepts pixels in place of a ratio. */
export const minimaxImageModels = table("https://platform.minimax.io/docs/api-reference/image-generation-t2i", [
  { models: /^image-01$/, ratios: minimaxRatios, sides: { min: 512, max: 2048 }, step: 8 },
  { models: /^image-01/, ratios: minimaxRatios },
]);

/** Only OpenAI's own models have bounds. Compatible servers generate any size. */
export const openaiImageModels = table("https://platform.openai.com/docs/api-reference/images/create", [
  { models: /^gpt-image-1(?:$|[.-])/, sizes: ["1024x1024", "1536x1024", "1024x1536"], maxImages: 10 },
  { models: /^(?:gpt-image|chatgpt-image)/, step: 16, maxImages: 10 },
  { models: /^dall-e-3/, sizes: ["1024x1024", "1792x1024", "1024x1792"], maxImages: 1 },
  { models: /^dall-e-2/, sizes: ["1024x1024", "512x512", "256x256"], maxImages: 10 },
]);

const editSource = "https://www.alibabacloud.com/help/en/model-studio/qwen-image-edit-api";
const wanSource = "https://www.alibabacloud.com/help/en/model-studio/text-to-image-v2-api-reference";

export const dashscopeImageModels = table("https://www.alibabacloud.com/help/en/model-studio/qwen-image-api", [
  { models: /^qwen-image-edit-(?:plus|max)/, source: editSource, maxImages: 6, sides: { min: 512, max: 2048 } },
  { models: /^qwen-image-edit/, source: editSource, keepsSize: true },
  { models: /^qwen-image-[2-9]/, maxImages: 6, area: { min: 512 * 512, max: 2048 * 2048 } },
  { models: /^qwen-image/, sizes: ["1664x928", "1472x1104", "1328x1328", "1104x1472", "928x1664"] },
  { models: /^wan/, source: wanSource, maxImages: 4, needsCount: true },
]);
