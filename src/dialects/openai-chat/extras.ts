// What canon has no place for: which of these fields may go in silence, which with a warning, which not at all.
import type { Extra } from "../../canon/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

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

/** A field that is not in this table and not read is dropped with a warning. */
const rules: { readonly [field: string]: (value: Json) => Extra["rule"] | null } = {
  /** Converted to tools; the entry tells the writer to answer with `function_call`. */
  functions: () => "quiet",
  store: () => "quiet",
  metadata: () => "quiet",
  prompt_cache_key: () => "quiet",
  prompt_cache_options: () => "quiet",
  prompt_cache_retention: () => "quiet",
  modalities: (value) => (Array.isArray(value) && value.includes("audio") ? "reject" : "quiet"),
  /** Only the form of the speech; whether there is any, `modalities` says. */
  audio: () => "quiet",
  web_search_options: () => "reject",
  service_tier: (value) => (value === "scale" ? "drop" : null),
};

/** `null`, an empty list and an empty object are how many clients say nothing. */
export function isAbsent(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function extraOf(field: string, value: Json): Extra[] {
  const rule = Object.hasOwn(rules, field) ? (rules[field]?.(value) ?? null) : "drop";
  return rule === null ? [] : [{ path: field, rule }];
}

/** An empty `web_search_options` asks for a search all the same. */
function isSaid(field: string, value: Json | undefined): value is Json {
  return !isAbsent(value) || (field === "web_search_options" && isObject(value));
}

/** The fields of a request that only this dialect has. */
export function parseExtras(wire: JsonObject): Extra[] {
  const extras: Extra[] = [];
  for (const field in wire) {
    const value = wire[field];
    if (!read.has(field) && isSaid(field, value)) extras.push(...extraOf(field, value));
  }
  const options = wire.stream_options;
  if (isObject(options)) {
    for (const name in options) {
      if (name !== "include_usage" && !isAbsent(options[name])) {
        extras.push({ path: `stream_options.${name}`, rule: name === "include_obfuscation" ? "quiet" : "drop" });
      }
    }
  }
  return extras;
}
