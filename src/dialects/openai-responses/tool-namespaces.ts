// Tool namespaces: in other dialects the namespace becomes a prefix of the name; clients get the separate form back.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const separator = "__";

/** The name of a tool with its namespace as prefix; without a namespace, its own name. */
export function flatName(namespace: Json | undefined, name: string): string {
  return typeof namespace === "string" && namespace !== "" ? `${namespace}${separator}${name}` : name;
}

/** A tool as its client names it. */
export interface NamedTool {
  readonly name: string;
  readonly namespace?: string;
}

/** All tools that a request declares: in `tools`, and in items of the input. */
export function declaredTools(wire: JsonObject): { readonly tool: JsonObject; readonly path: string }[] {
  const own = listed(wire.tools, "tools");
  const items = Array.isArray(wire.input) ? wire.input : [];
  const added = items.flatMap((item, index) =>
    isObject(item) && item.type === "additional_tools" ? listed(item.tools, `input[${index}].tools`) : [],
  );
  return [...own, ...added];
}

function listed(tools: Json | undefined, path: string): { tool: JsonObject; path: string }[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, index) => (isObject(tool) ? [{ tool, path: `${path}[${index}]` }] : []));
}

/** Maps the prefixed names to the client's; names without a namespace are unchanged. */
export function namesOf(wire: JsonObject): (name: string) => NamedTool {
  const known = new Map<string, NamedTool>();
  for (const { tool } of declaredTools(wire)) {
    if (tool.type !== "namespace" || typeof tool.name !== "string") continue;
    for (const { tool: inner } of listed(tool.tools, "tools")) {
      if (typeof inner.name !== "string") continue;
      known.set(flatName(tool.name, inner.name), { name: inner.name, namespace: tool.name });
    }
  }
  return (name) => known.get(name) ?? { name };
}
