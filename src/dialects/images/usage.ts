// What images cost: tokens where the provider counts them, and always how many there are.
import type { ImageResponse } from "../../canonical/image.ts";
import {
  areCounts,
  type BilledUnits,
  rareBuckets,
  splitTokens,
  tokenCount,
  totalInput,
  totalOutput,
  type Usage,
  zeroUsage,
} from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";

/** What the price of an image depends on, as far as the reply says it. */
export type ImageVariant = Pick<BilledUnits, "size" | "quality">;

/** The images that are paid for, in addition to tokens if there are any. */
export function imageUsage(
  amount: number,
  tokens: Usage = zeroUsage,
  variant: ImageVariant = {},
): { readonly usage: Usage } {
  return { usage: { ...tokens, units: [{ kind: "images", amount, ...variant }] } };
}

const detailsOf = (details: Json | undefined): JsonObject => (isObject(details) ? details : {});

/** `usage` of an OpenAI-shaped reply for so many images. */
export function readUsage(wire: Json | undefined, images: number, variant?: ImageVariant): { readonly usage: Usage } {
  if (!isObject(wire) || !areCounts(wire.input_tokens, wire.output_tokens))
    return imageUsage(images, zeroUsage, variant);
  const [inputDetails, outputDetails] = [detailsOf(wire.input_tokens_details), detailsOf(wire.output_tokens_details)];
  const outputTokens = tokenCount(wire.output_tokens);
  const total = tokenCount(wire.input_tokens);
  const cacheReadTokens = Math.min(tokenCount(inputDetails.cached_tokens), total);
  const input = splitTokens(total - cacheReadTokens, 0, inputDetails.image_tokens);
  const output = splitTokens(outputTokens, 0, outputDetails.image_tokens);
  const tokens = {
    ...zeroUsage,
    inputTokens: input.text,
    cacheReadTokens,
    outputTokens: output.text,
    ...rareBuckets({ imageInputTokens: input.image, imageOutputTokens: output.image }),
  };
  return imageUsage(images, tokens, variant);
}

/** `usage` for a client; undefined where nobody counted tokens. */
export function writeUsage({ usage }: Pick<ImageResponse, "usage">): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const [inputTokens, outputTokens] = [totalInput(usage), totalOutput(usage)];
  if (inputTokens + outputTokens === 0) return undefined;
  return omitUndefined({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: {
      text_tokens: inputTokens - (usage.imageInputTokens ?? 0),
      image_tokens: usage.imageInputTokens ?? 0,
    },
  });
}
