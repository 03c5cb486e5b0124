// The bound on a request's output, where the gateway has to lower it.
import type { JsonObject } from "../lib/json.ts";
import { isObject } from "../lib/json.ts";
import type { Dialect } from "./dialect.ts";

/** Names that a bound may have in place of the dialect's own. */
const others = ["max_tokens"];

function withMember(wire: JsonObject, [name = "", ...rest]: readonly string[], value: number): JsonObject {
  if (rest.length === 0) return { ...wire, [name]: value };
  const inner = wire[name];
  return { ...wire, [name]: withMember(isObject(inner) ? inner : {}, rest, value) };
}

/** Where the client has put its bound, else where its dialect has one. */
export function outputBoundPath({ request }: Dialect, wire: JsonObject): string {
  const own = request.fieldPath("maxOutputTokens");
  return wire[own] === undefined ? (others.find((name) => typeof wire[name] === "number") ?? own) : own;
}

/** The same wire with another bound. */
export const withOutputBound = (dialect: Dialect, wire: JsonObject, tokens: number): JsonObject =>
  withMember(wire, outputBoundPath(dialect, wire).split("."), tokens);
