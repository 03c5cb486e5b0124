// What goes in: texts or token ids as most wires write them, checked before anybody is asked.
import type { EmbeddingInput } from "../../canonical/embedding.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { badValue, unsupported } from "../errors.ts";

/** Items of one request, whatever the upstream takes in one call. */
export const mostItems = 2048;

/** An input that is something: items, none of them empty, not too many. `field` is its path on the wire. */
function checked(input: EmbeddingInput, field: string): EmbeddingInput {
  const items: readonly (string | readonly number[])[] = input.kind === "texts" ? input.texts : input.tokens;
  if (items.length === 0) throw badValue(field, `'${field}' must not be an empty array.`);
  if (items.length > mostItems) throw badValue(field, `'${field}' must have at most ${mostItems} items.`);
  const empty = items.findIndex((item) => item.length === 0);
  if (empty < 0) return input;
  const what = input.kind === "texts" ? "string" : "array";
  throw badValue(`${field}[${empty}]`, `'${field}[${empty}]' must not be an empty ${what}.`);
}

const isText = (item: Json): item is string => typeof item === "string";
const isId = (item: Json): item is number => typeof item === "number";
const isIds = (item: Json): item is number[] => Array.isArray(item) && item.every(isId);

/** A text, texts, token ids of one item, or arrays of token ids. Throws the 400 of anything else. */
export function readInput(input: Json | undefined, field: string): EmbeddingInput {
  if (typeof input === "string") {
    if (input === "") throw badValue(field, `'${field}' must not be an empty string.`);
    return { kind: "texts", texts: [input] };
  }
  const items = Array.isArray(input) ? input : [];
  if (items.every(isText)) return checked({ kind: "texts", texts: items }, field);
  if (items.every(isId)) return { kind: "tokens", tokens: [items] };
  if (items.every(isIds)) return checked({ kind: "tokens", tokens: items }, field);
  throw badValue(field, `'${field}' must not mix strings, numbers and arrays.`);
}

/** The texts of an input, for wires that have no words for token ids. */
export function textsOf(input: EmbeddingInput, context: RenderContext): string[] {
  if (input.kind === "texts") return [...input.texts];
  throw unsupported(context.fieldPath("input"), "this model accepts text only, not token IDs.");
}

/** A wire whose list under `field` is cut into consecutive parts; the wire alone where nothing is to be cut. */
export function dividedWire(wire: JsonObject, field: string, most: number): JsonObject[] {
  const items = wire[field];
  if (!Array.isArray(items) || items.length <= most || items.every(isId)) return [wire];
  const starts = Array.from({ length: Math.ceil(items.length / most) }, (_, part) => part * most);
  return starts.map((from) => ({ ...wire, [field]: items.slice(from, from + most) }));
}

/** Everything on a wire that has no place in canon. */
export function unknownFields(wire: JsonObject, known: ReadonlySet<string>): UnmappedField[] {
  return Object.keys(wire)
    .filter((name) => !known.has(name) && wire[name] !== null)
    .map((path) => ({ path, rule: "warn" }));
}
