// How vendors count the tokens of an image: by tiles, by patches, or at a fixed rate. Each rule is the vendor's published one.
import type { Dimensions } from "../../lib/image-size.ts";

/** `detail` is the client's value, if it sent one. */
export type ImageRule = (size: Dimensions, detail: string | undefined) => number;

function scaled({ width, height }: Dimensions, factor: number): Dimensions {
  return factor >= 1 ? { width, height } : { width: width * factor, height: height * factor };
}

const shortSide = ({ width, height }: Dimensions): number => Math.min(width, height);
const longSide = ({ width, height }: Dimensions): number => Math.max(width, height);
const cells = ({ width, height }: Dimensions, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

/**
 * OpenAI's tiles: within 2,048 x 2,048, then the short side at most 768, then squares of 512. Low detail costs only
 * the base. https://platform.openai.com/docs/guides/images-vision#calculating-costs, as of 2026-11.
 */
export function openaiTiles(base: number, tile: number): ImageRule {
  return (size, detail) => {
    if (detail === "low") return base;
    const within = scaled(size, 2_048 / longSide(size));
    return base + tile * cells(scaled(within, 768 / shortSide(within)), 512);
  };
}

/**
 * OpenAI's patches of 32 pixels: an image with more than the budget is shrunk to it, so that whole patches fit its width.
 * https://platform.openai.com/docs/guides/images-vision#calculating-costs, as of 2026-11.
 */
export function openaiPatches(factor: number, budget: number): ImageRule {
  const side = 32;
  return (size) => {
    const all = cells(size, side);
    if (all <= budget) return Math.ceil(all * factor);
    const shrink = Math.sqrt((budget * side * side) / (size.width * size.height));
    const wide = (size.width * shrink) / side;
    const high = (size.height * shrink) / side;
    const fit = Math.min(Math.floor(wide) / wide, Math.floor(high) / high);
    const patches = Math.ceil(wide * fit - 1e-6) * Math.ceil(high * fit - 1e-6);
    return Math.ceil(Math.min(patches, budget) * factor);
  };
}

/**
 * Anthropic's patches of 28 pixels, after the image is reduced to the maximum side and the maximum tokens.
 * https://platform.claude.com/docs/en/build-with-claude/vision, read 2026-11-22.
 */
export function anthropicPatches(longest: number, most: number): ImageRule {
  const side = 28;
  return (size) => {
    const within = scaled(size, longest / longSide(size));
    const all = cells(within, side);
    if (all <= most) return all;
    return Math.min(most, cells(scaled(within, Math.sqrt(most / all)), side));
  };
}

/**
 * Gemini until 2.5: 258 for a small image, otherwise for each tile of 768 pixels.
 * https://ai.google.dev/gemini-api/docs/tokens, read 2026-11-22.
 */
export const geminiTiles: ImageRule = (size) => (longSide(size) <= 384 ? 258 : 258 * cells(size, 768));

/** Gemini 3: a budget for each level of resolution. https://ai.google.dev/gemini-api/docs/media-resolution, read 2026-11-22. */
export const geminiLevels: ImageRule = (_size, detail) => {
  const levels: Readonly<Record<string, number>> = { low: 280, medium: 560, high: 1_120, ultra_high: 2_240 };
  return levels[detail?.toLowerCase().replace("media_resolution_", "") ?? "high"] ?? 1_120;
};

/** xAI: tiles of 448 pixels, six at most, and one more, 256 tokens each. https://awesomeagents.ai/guides/ai-vision-image-resolution-limits, March 2026. */
export const grokTiles: ImageRule = (size) => 256 * (1 + Math.min(6, cells(size, 448)));

/**
 * Qwen-VL: a token for a square of 28 or 32 pixels, the image rounded to squares and reduced to the maximum pixels.
 * https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct/discussions/47 and the processor in qwen_vl_utils.
 */
export function qwenSquares(side: number, most: number): ImageRule {
  return (size) => {
    const within = scaled(size, Math.sqrt((most * side * side) / (size.width * size.height)));
    const count = Math.max(1, Math.round(within.width / side)) * Math.max(1, Math.round(within.height / side));
    return Math.min(most, Math.max(4, count)) + 2;
  };
}

/** Mistral: patches of 28 pixels (https://github.com/scaleway/docs-content/pull/4897), rows ended by a token each, the long side at most 1,540. */
export const mistralPatches: ImageRule = (size) => {
  const within = scaled(size, 1_540 / longSide(size));
  return Math.ceil(within.height / 28) * (Math.ceil(within.width / 28) + 1);
};
