// Rows and checks shared by the tables of embedding formats: inputs, and fields that most formats lack.
import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { dropped, type FieldTable, ignored, type RenderSetting, rejected, type UpstreamHalf } from "../field-table.ts";
import { upstreamsOf } from "../upstream-format.ts";

/** The format of embedding servers. */
export const upstreamEmbeddings = upstreamsOf<EmbeddingRequest, EmbeddingResponse>("embed");
export type EmbeddingTable = FieldTable<EmbeddingRequest>;
export type EmbeddingSetting = RenderSetting<EmbeddingRequest>;

/** Maximum items of one request, whatever an upstream accepts per call. */
export const maxItems = 2048;

/** Checks that the input has items, none of them empty, and not too many. `field` is its path on the wire. */
function checked(input: EmbeddingInput, field: string): EmbeddingInput {
  const items: readonly (string | readonly number[])[] = input.kind === "texts" ? input.texts : input.tokens;
  if (items.length === 0) throw badValue(field, `'${field}' must not be an empty array.`);
  if (items.length > maxItems) throw badValue(field, `'${field}' must have at most ${maxItems} items.`);
  const empty = items.findIndex((item) => item.length === 0);
  if (empty < 0) return input;
  const what = input.kind === "texts" ? "string" : "array";
  throw badValue(`${field}[${empty}]`, `'${field}[${empty}]' must not be an empty ${what}.`);
}

const isText = (item: Json): item is string => typeof item === "string";
const isId = (item: Json): item is number => typeof item === "number";
const isIds = (item: Json): item is number[] => Array.isArray(item) && item.every(isId);

/** A text, texts, token ids of one item, or arrays of token ids. Throws status 400 for anything else. */
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

type InputHalf = UpstreamHalf<EmbeddingSetting, EmbeddingInput>;

export const noTokens = rejected("this model accepts text only, not token IDs.");

/** Refuses token ids. */
export const textsOnly: NonNullable<InputHalf["limit"]> = (_setting, input) =>
  input.kind === "tokens" ? noTokens : undefined;

/** The texts of an input that has passed `textsOnly`. */
export const textsIn = (input: EmbeddingInput): string[] => (input.kind === "texts" ? [...input.texts] : []);

/** A list of texts at a path. */
export const textsAt = (path: string) => ({ path, limit: textsOnly, render: textsIn });

/** Rows for fields that server formats lack. */
export const noUser = dropped("the format has no end users");
export const noTitle = dropped("the format has no titles");
export const noPurpose = dropped("the format has no task types");
/** The gateway itself converts vectors to the format and length that the client requested. */
export const madeHere = ignored("the gateway does it");

/** Splits a wire by consecutive parts of the list under `field`; a single wire when no split is needed. */
export function dividedWire(wire: JsonObject, field: string, most: number): JsonObject[] {
  const items = wire[field];
  if (!Array.isArray(items) || items.length <= most || items.every(isId)) return [wire];
  const starts = Array.from({ length: Math.ceil(items.length / most) }, (_, part) => part * most);
  return starts.map((from) => ({ ...wire, [field]: items.slice(from, from + most) }));
}
