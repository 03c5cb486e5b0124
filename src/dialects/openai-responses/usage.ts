// Token usage on this wire: totals and their details.
import { cacheWrites, totalInput, totalOutput, type Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { parseUsage as parseTotals } from "../shared/openai-usage.ts";

/** The counts of a server; undefined if there are none. */
export function parseUsage(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return parseTotals(
    omitUndefined({
      prompt_tokens: usage.input_tokens,
      completion_tokens: usage.output_tokens,
      total_tokens: usage.total_tokens,
      prompt_tokens_details: usage.input_tokens_details,
      completion_tokens_details: usage.output_tokens_details,
    }),
  );
}

/** Both details are required, even when zero. */
export function renderUsage(usage: Usage): JsonObject {
  const input = totalInput(usage);
  const output = totalOutput(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: cacheWrites(usage) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + output,
  };
}
