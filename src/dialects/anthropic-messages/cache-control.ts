// Cache breakpoints: the blocks that mark the end of a prefix to cache.
import type { CacheHint } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** Reads `cache_control` as an optional member. */
export function cacheOf(wire: JsonObject): { readonly cache?: CacheHint } {
  return isObject(wire["cache_control"]) ? { cache: { wire: wire["cache_control"] } } : {};
}

/** Writes `cache_control`. Hints of other dialects have no form here and are left out without a warning. */
export function cacheControl(cache: CacheHint | undefined): JsonObject {
  const wire = cache?.wire;
  return isObject(wire) && wire["type"] === "ephemeral" ? { cache_control: wire } : {};
}
