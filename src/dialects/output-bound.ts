// The output limit of a request, where the gateway has to lower it.
import type { JsonObject } from "../lib/json.ts";
import { isObject } from "../lib/json.ts";
import type { Dialect } from "./dialect.ts";

/** Alternative names of the limit. */
const others = ["max_tokens"];

function withMember(wire: JsonObject, [name = "", ...rest]: readonly string[], value: number): JsonObject {
  if (rest.length === 0) return { ...wire, [name]: value };
  const inner = wire[name];
  return { ...wire, [name]: withMember(isObject(inner) ? inner : {}, rest, value) };
}

/** The path of the limit in the client's wire, otherwise the path of the dialect. */
export function outputBoundPath({ request }: Dialect, wire: JsonObject): string {
  const own = request.fieldPath("maxOutputTokens");
  return wire[own] === undefined ? (others.find((name) => typeof wire[name] === "number") ?? own) : own;
}

/** The same wire with another limit. */
export const withOutputBound = (dialect: Dialect, wire: JsonObject, tokens: number): JsonObject =>
  withMember(wire, outputBoundPath(dialect, wire).split("."), tokens);
