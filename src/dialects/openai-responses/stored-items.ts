// Items of stored responses: their ids, lists of them, references, and continuation.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import type { StoredItems } from "../stored-responses.ts";
import { type ItemKind, itemId } from "./ids.ts";
import { inputItems } from "./parse-input.ts";

/** The requested page of a list. */
interface ListQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** The id after which the page starts. */
  readonly after?: string;
}

const maxLimit = 100;
const defaultLimit = 20;

function limitOf(text: string | null): number {
  if (text === null || text === "") return defaultLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw badValue("limit", `'limit' must be an integer from 1 to ${maxLimit}.`);
}

/** Parses the query of a list. Throws `invalid_value` for an invalid parameter. */
export function parseListQuery(parameter: (name: string) => string | null): ListQuery {
  const order = parameter("order") || "desc";
  if (order !== "asc" && order !== "desc") throw badValue("order", "'order' must be 'asc' or 'desc'.");
  const after = parameter("after") ?? "";
  return { limit: limitOf(parameter("limit")), order, ...(after === "" ? {} : { after }) };
}

/**
 * One page. `items` are in the order of the conversation, each with an id; an unknown `after` is an `invalid_value`.
 */
export function listPage(items: readonly JsonObject[], query: ListQuery): JsonObject {
  const ordered = query.order === "asc" ? items : items.toReversed();
  const at = query.after === undefined ? -1 : ordered.findIndex((item) => item.id === query.after);
  if (query.after !== undefined && at < 0) throw badValue("after", "'after' is not the ID of an item in this list.");
  const data = ordered.slice(at + 1, at + 1 + query.limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: at + 1 + data.length < ordered.length,
  };
}

const kinds: ReadonlyMap<unknown, ItemKind> = new Map<unknown, ItemKind>([
  ["message", "message"],
  ["function_call", "function_call"],
  ["custom_tool_call", "custom_tool_call"],
  ["reasoning", "reasoning"],
  ["compaction", "compaction"],
]);

/** The text of a message as parts, for a list. */
function inParts(item: JsonObject): JsonObject {
  if (typeof item.content !== "string") return item;
  const text = item.content;
  const part =
    item.role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text };
  return { ...item, content: [part] };
}

/** The items of an input as they are stored and listed: each with a type, a status and an id of its own. */
export function storedItems(input: JsonObject[string], response: string): JsonObject[] {
  return inputItems(input).map((item, index) => {
    const type = item.type ?? (item.role === undefined ? "item_reference" : "message");
    const id = typeof item.id === "string" && item.id !== "" ? item.id : undefined;
    const made = itemId(kinds.get(type) ?? "other", response, `in${index}`);
    const status = type === "message" ? { status: "completed" } : {};
    return inParts({ ...status, ...item, type, id: id ?? made });
  });
}

const unfinished = new Set<unknown>(["incomplete", "in_progress"]);

/** A cut message still has text that the client has seen; any other cut item is refused when it is sent back. */
function isUsable(item: JsonObject): boolean {
  if (item.type !== "message") return !unfinished.has(item.status);
  return !unfinished.has(item.status) || (Array.isArray(item.content) && item.content.length > 0);
}

/**
 * The output items with which a conversation can continue. Reasoning at the end of a cut response has no following
 * item, without which providers refuse it.
 */
function continuableItems(response: JsonObject): JsonObject[] {
  const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
  const usable = output.filter(isUsable);
  if (response.status === "completed") return usable;
  const end = usable.findLastIndex(({ type }) => type !== "reasoning");
  return usable.slice(0, end + 1);
}

/** The items with which a conversation continues; a compaction replaces everything before it. */
export function continuation(response: JsonObject): { items: JsonObject[]; replacesInput: boolean } {
  const items = continuableItems(response);
  const at = items.findLastIndex(({ type }) => type === "compaction");
  return { items: items.slice(Math.max(at, 0)), replacesInput: at >= 0 };
}

/** The ids of a response's output items. */
export function outputIds({ output }: JsonObject): string[] {
  const ids = Array.isArray(output) ? output.filter(isObject).map(idOf) : [];
  return ids.filter((id) => id !== null);
}

function idOf({ id }: JsonObject): string | null {
  return typeof id === "string" && id !== "" ? id : null;
}

function referenceOf({ type, role, id }: JsonObject): string | null {
  const isReference = type === "item_reference" || (type === undefined && role === undefined && typeof id === "string");
  return isReference ? String(id) : null;
}

const madeHere = /^[a-z]+_gw_([A-Za-z0-9]+)_(?:in)?\d+$/;

function responseOfItem(id: string): string | null {
  const body = madeHere.exec(id)?.[1];
  return body === undefined ? null : `resp_${body}`;
}

export const items: StoredItems = {
  id: idOf,
  reference: referenceOf,
  responseOf: responseOfItem,
  stored: (input, responseId) => storedItems([...input], responseId),
  page: (all, parameter) => listPage(all, parseListQuery(parameter)),
};
