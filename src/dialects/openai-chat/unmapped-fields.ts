// What canon has no place for: which of these fields may go in silence, which with a warning, which not at all.
import type { UnmappedField } from "../../canonical/warning.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type ExtraRules, readExtras } from "../shared/openai-unmapped-fields.ts";

/** Fields that parsing reads, so that they are never left out as unknown. */
const read = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "n",
  "stop",
  "max_tokens",
  "max_completion_tokens",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "function_call",
  "user",
  "safety_identifier",
]);

const loud = new Set(["web_search_options"]);

/** A field that is not in this table and not read is dropped with a warning. */
const rules: ExtraRules["rules"] = {
  /** Converted to tools; the entry tells the writer to answer with `function_call`. */
  functions: () => "ignore",
  store: () => "ignore",
  metadata: () => "ignore",
  prompt_cache_key: () => "ignore",
  prompt_cache_options: () => "ignore",
  prompt_cache_retention: () => "ignore",
  modalities: (value) => (Array.isArray(value) && value.includes("audio") ? "reject" : "ignore"),
  /** Only the form of the speech; whether there is any, `modalities` says. */
  audio: () => "ignore",
  web_search_options: () => "reject",
  service_tier: (value) => (value === "scale" ? "warn" : null),
};

/** The fields of a request that only this dialect has. An empty `web_search_options` asks for a search all the same. */
export function parseExtras(wire: JsonObject): UnmappedField[] {
  return readExtras(wire, { read, rules, loud });
}
