// Cache markers: where a prefix ends that may be cached.
import type { CacheHint } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** The marker as this dialect writes it, as an optional member. */
export function cacheOf(wire: JsonObject): { readonly cache?: CacheHint } {
  return isObject(wire["cache_control"]) ? { cache: { wire: wire["cache_control"] } } : {};
}

/** The way back; markers of other dialects are hints that this one cannot read, and go without a word. */
export function cacheControl(cache: CacheHint | undefined): JsonObject {
  const wire = cache?.wire;
  return isObject(wire) && wire["type"] === "ephemeral" ? { cache_control: wire } : {};
}
