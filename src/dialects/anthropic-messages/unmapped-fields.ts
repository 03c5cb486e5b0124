// Fields that only this dialect has: what becomes of each when the upstream speaks another one.
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isAbsent } from "./field-names.ts";

/** Fields that canon holds; they are read elsewhere. */
const held = new Set([
  "model",
  "messages",
  "max_tokens",
  "system",
  "temperature",
  "top_p",
  "top_k",
  "stream",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_format",
]);

type Rule = (value: Json) => readonly UnmappedField[];

const as =
  (path: string, rule: UnmappedField["rule"]): Rule =>
  () => [{ path, rule }];

/** Members of an object that canon does not hold, by their own rule. */
const besides =
  (field: string, members: readonly string[], rule: UnmappedField["rule"]): Rule =>
  (value) =>
    isObject(value)
      ? Object.keys(value)
          .filter((name) => !members.includes(name) && !isAbsent(value[name]))
          .map((name): UnmappedField => ({ path: `${field}.${name}`, rule }))
      : [];

/** Words that demand no region. */
const anywhere = new Set<Json>(["global", "not_available"]);

const rules = new Map<string, Rule>([
  ["cache_control", as("cache_control", "ignore")],
  ["metadata", besides("metadata", ["user_id"], "ignore")],
  ["output_config", besides("output_config", ["effort", "format"], "warn")],
  ["inference_geo", (geo) => [{ path: "inference_geo", rule: anywhere.has(geo) ? "ignore" : "reject" }]],
  ["speed", () => []],
  ["service_tier", () => []],
  ["container", as("container", "reject")],
  ["mcp_servers", as("mcp_servers", "reject")],
  ["thread", as("thread", "reject")],
  ["fallbacks", as("fallbacks", "reject")],
  ["compaction", as("compaction", "reject")],
]);

/** One extra for each field, absent ones excepted. Unknown fields are dropped with a warning. */
export function readExtras(wire: JsonObject): UnmappedField[] {
  return Object.entries(wire).flatMap(([name, value]) => {
    if (held.has(name) || value === undefined || isAbsent(value)) return [];
    return (rules.get(name) ?? as(name, "warn"))(value);
  });
}
