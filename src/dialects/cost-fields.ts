// Fields of a request that change what it costs beyond its tokens: the class of service, tools that a provider runs, and cached prompts.
import type { ChatRequest, Tool } from "../canonical/chat.ts";
import type { UnitKind } from "../canonical/usage.ts";
import { isObject, type Json } from "../lib/json.ts";

/** A tool that is billed by its use, and where it is on the wire. */
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

/** Tools that the client runs itself cost nothing. */
export function pricedTools(tools: readonly Tool[]): PricedTool[] {
  return tools.flatMap((tool) => {
    const unit = tool.kind === "hosted" ? unitOf(tool) : null;
    return unit === null ? [] : [{ unit, path: tool.kind === "hosted" ? tool.path : "" }];
  });
}

/** The class of service, where it is not the usual one. */
export function pricedTier(tier: ChatRequest["tier"]): string | null {
  return tier === undefined || tier === "default" ? null : tier;
}

/** How long a prompt may be cached, as far as the request says it. */
export type CacheWrites = "none" | "short" | "long";

/** Of one marker: five minutes, or an hour. */
export const cacheWritesOf = (wire: Json): CacheWrites => (isObject(wire) && wire["ttl"] === "1h" ? "long" : "short");

/** Of two markers the longer one. */
export const longerCache = (left: CacheWrites, right: CacheWrites): CacheWrites =>
  left === "long" || right === "long" ? "long" : left === "short" ? left : right;
