// `usage: { include: true }` in a request asks for `usage.cost` in the reply: where both are on the wire.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Dialect } from "./dialect.ts";

/** Dialects whose streams have usage only on request. */
const streamsOnRequest: ReadonlySet<string> = new Set(["openai-chat", "openai-completions"]);

/** The request that providers get; null for one that does not ask for its cost. */
export function withoutCostRequest({ name }: Pick<Dialect, "name">, wire: JsonObject): JsonObject | null {
  const { usage, ...rest } = wire;
  if (!isObject(usage) || usage.include !== true) return null;
  if (rest.stream !== true || !streamsOnRequest.has(name)) return rest;
  const options = isObject(rest.stream_options) ? rest.stream_options : {};
  return { ...rest, stream_options: { ...options, include_usage: true } };
}

/** A reply, or an event of a stream, with the cost in its usage; null if it has no usage. */
export function addUsageCost(reply: Json | undefined, cost: Json): JsonObject | null {
  if (!isObject(reply)) return null;
  if (isObject(reply.usage)) return { ...reply, usage: { ...reply.usage, cost } };
  const { response } = reply;
  if (!isObject(response) || !isObject(response.usage)) return null;
  return { ...reply, response: { ...response, usage: { ...response.usage, cost } } };
}
