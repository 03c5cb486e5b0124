// What images cost: tokens where the provider counts them, and always how many there are.
import type { ImageResponse } from "../../canonical/image.ts";
import { areCounts, tokenCount, totalInput, totalOutput, type Usage, zeroUsage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";

/** The images that are paid for, beside tokens if there are any. */
export function imageUsage(amount: number, tokens: Usage = zeroUsage): { readonly usage: Usage } {
  return { usage: { ...tokens, units: { kind: "images", amount } } };
}

/** `usage` of an OpenAI-shaped reply for so many images. */
export function readUsage(wire: Json | undefined, images: number): Pick<ImageResponse, "usage" | "input"> {
  if (!isObject(wire) || !areCounts(wire.input_tokens, wire.output_tokens)) return imageUsage(images);
  const details = isObject(wire.input_tokens_details) ? wire.input_tokens_details : null;
  const tokens = {
    ...zeroUsage,
    inputTokens: tokenCount(wire.input_tokens),
    outputTokens: tokenCount(wire.output_tokens),
  };
  const input =
    details === null
      ? {}
      : { input: { textTokens: tokenCount(details.text_tokens), imageTokens: tokenCount(details.image_tokens) } };
  return { ...imageUsage(images, tokens), ...input };
}

/** `usage` for a client; undefined where nobody counted tokens. */
export function writeUsage({ usage, input }: Pick<ImageResponse, "usage" | "input">): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const [inputTokens, outputTokens] = [totalInput(usage), totalOutput(usage)];
  if (inputTokens + outputTokens === 0) return undefined;
  return omitUndefined({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: {
      text_tokens: input?.textTokens ?? inputTokens,
      image_tokens: input?.imageTokens ?? 0,
    },
  });
}
