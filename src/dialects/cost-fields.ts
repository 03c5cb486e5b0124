// Request fields that change the cost beyond token counts: service tier, tools run by the provider, cached prompts.
import type { CacheHint, ChatRequest, Tool } from "../canonical/chat.ts";
import type { TokenBucket, UnitKind } from "../canonical/usage.ts";
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

const mediaOutput = ["audioOutputTokens", "imageOutputTokens"] as const;

/** What the reply may be charged as, apart from text: requested images and audio. */
export function mediaOutputOf({ media, unmappedFields }: ChatRequest): readonly TokenBucket[] {
  // Known to the client's own format only: which of them it is stays open.
  if (unmappedFields.some(({ path }) => path === "modalities")) return mediaOutput;
  return mediaOutput.filter((bucket) => (bucket === "audioOutputTokens" ? media?.speech : media?.image) !== undefined);
}

/** How long a prompt may be cached, as far as the request specifies it. */
export type CacheWrites = "none" | "short" | "long";

/** The lifetime of one marker: five minutes, or an hour. */
export const cacheWritesOf = (wire: Json): CacheWrites => (isObject(wire) && wire["ttl"] === "1h" ? "long" : "short");

/** The marker in what is passed on as it is: tools and blocks of the client's own format. */
export const cacheHintIn = (wire: Json): { readonly cache?: CacheHint } =>
  isObject(wire) && isObject(wire["cache_control"]) ? { cache: { wire: wire["cache_control"] } } : {};

/** The longer lifetime of two. */
export const longerCache = (left: CacheWrites, right: CacheWrites): CacheWrites =>
  left === "long" || right === "long" ? "long" : left === "short" ? left : right;
