// What canon has no place for: which of these fields may go in silence, which with a warning, which not at all.
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { type ExtraRules, readExtras } from "../shared/openai-unmapped-fields.ts";

/** Fields that parsing reads, so that they are never left out as unknown. */
const read = new Set([
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "top_logprobs",
  "max_output_tokens",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "user",
  "safety_identifier",
]);

const quiet = (): UnmappedField["rule"] => "ignore";
const reject = (): UnmappedField["rule"] => "reject";
const otherTiers = new Set<Json>(["scale", "ultrafast"]);

/** What is kept between requests is the gateway's own business: it has resolved the chain before the request is read. */
const rules: ExtraRules["rules"] = {
  previous_response_id: quiet,
  store: quiet,
  background: quiet,
  include: quiet,
  metadata: quiet,
  prompt_cache_key: quiet,
  prompt_cache_options: quiet,
  prompt_cache_retention: quiet,
  conversation: reject,
  prompt: reject,
  truncation: (value) => (value === "disabled" ? "ignore" : "warn"),
  service_tier: (value) => (otherTiers.has(value) ? "warn" : null),
};

/** Members of objects that canon holds in part, with the values that ask for nothing special. */
const members: readonly (readonly [field: string, member: string, plain: Json])[] = [
  ["reasoning", "context", "auto"],
  ["reasoning", "mode", "standard"],
];

/** The fields of a request that only this dialect has. */
export function parseExtras(wire: JsonObject): UnmappedField[] {
  const inner = members.flatMap(([field, member, plain]): UnmappedField[] => {
    const holder = wire[field];
    const value = isObject(holder) ? holder[member] : undefined;
    return isAbsent(value) || value === plain ? [] : [{ path: `${field}.${member}`, rule: "warn" }];
  });
  return [...readExtras(wire, { read, rules }), ...inner];
}
