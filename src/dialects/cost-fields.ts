// Request fields that change the cost beyond token counts: service tier, tools run by the provider, cached prompts.
import type { ChatRequest, Tool } from "../canonical/chat.ts";
import type { UnitKind } from "../canonical/usage.ts";
import { isObject, type Json } from "../lib/json.ts";

/** A tool that is billed by use, and its path on the wire. */
export interface PricedTool {
  readonly unit: UnitKind;
  readonly path: string;
}

const searches = /search|google|url_context|web_fetch|retrieval/i;
const runs = /code_interpreter|code_?execution|image_generation|mcp/i;

function unitOf({ wire }: Extract<Tool, { kind: "hosted" }>): UnitKind | null {
  const names = [wire["type"], ...Object.keys(wire)].filter((name) => typeof name === "string").join(" ");
  if (searches.test(names)) return "searches";
  return runs.test(names) ? "requests" : null;
}

/** Tools that the client runs are free. */
export function pricedTools(tools: readonly Tool[]): PricedTool[] {
  return tools.flatMap((tool) => {
    const unit = tool.kind === "hosted" ? unitOf(tool) : null;
    return unit === null ? [] : [{ unit, path: tool.kind === "hosted" ? tool.path : "" }];
  });
}

/** The service tier, if it is not the default. */
export function pricedTier(tier: ChatRequest["tier"]): string | null {
  return tier === undefined || tier === "default" ? null : tier;
}

/** How long a prompt may be cached, as far as the request specifies it. */
export type CacheWrites = "none" | "short" | "long";

/** The lifetime of one marker: five minutes, or an hour. */
export const cacheWritesOf = (wire: Json): CacheWrites => (isObject(wire) && wire["ttl"] === "1h" ? "long" : "short");

/** The longer lifetime of two. */
export const longerCache = (left: CacheWrites, right: CacheWrites): CacheWrites =>
  left === "long" || right === "long" ? "long" : left === "short" ? left : right;
