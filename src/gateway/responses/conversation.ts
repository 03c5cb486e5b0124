// What a request goes on from: the chain behind a stored response, and items named by their ids.
import { GatewayError } from "../../canonical/error.ts";
import { continuableItems, inputItems, responseOfItem } from "../../dialects/stored-responses.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { responseHolding } from "../../store/response-items.ts";
import { findResponse, type ResponseRow } from "../../store/responses.ts";
import type { ResponsesDependencies } from "./dependencies.ts";

/** Items in the order of the conversation. `own` are those of the request itself, references resolved. */
export interface Conversation {
  readonly previousResponseId: string | null;
  readonly earlier: readonly JsonObject[];
  readonly own: readonly JsonObject[];
  /** True where the input is not the client's own any more. */
  readonly isResolved: boolean;
}

const previousField = "previous_response_id";

function notFound(id: string): GatewayError {
  const shown = /^[\w-]{1,80}$/.test(id) ? ` '${id}'` : "";
  return new GatewayError("invalid_value", `Previous response${shown} was not found.`, {
    param: previousField,
    code: "previous_response_not_found",
  });
}

function unfinished(): GatewayError {
  return new GatewayError("invalid_value", "The previous response is still in progress. Wait until it is complete.", {
    param: previousField,
    code: "previous_response_not_finished",
  });
}

const listOf = (text: string): JsonObject[] => {
  const list = parseExactText(text);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** The response object of a row. */
export function bodyOf(row: ResponseRow): JsonObject {
  const body = parseExactText(row.body);
  return isObject(body) ? body : {};
}

/** Every input item of a row. */
export const inputOf = (row: ResponseRow): JsonObject[] => listOf(row.input);

/** A chain is flat: the input of a row holds all that came before it. A compaction stands for everything before it. */
function chainOf(row: ResponseRow): JsonObject[] {
  const output = continuableItems(bodyOf(row));
  const at = output.findLastIndex(({ type }) => type === "compaction");
  return at < 0 ? [...inputOf(row), ...output] : output.slice(at);
}

const isReference = (item: JsonObject): boolean =>
  item.type === "item_reference" || (item.type === undefined && item.role === undefined && typeof item.id === "string");

type Find = (id: string) => Promise<ResponseRow | undefined>;

/** Rows of one owner, each read once for one request. */
function finder({ store, gateway }: ResponsesDependencies, ownerKeyId: string): Find {
  const nowMs = gateway.clock.nowMs();
  const found = new Map<string, Promise<ResponseRow | undefined>>();
  return (id) => {
    const row = found.get(id) ?? findResponse(store, id, ownerKeyId, nowMs);
    found.set(id, row);
    return row;
  };
}

const hasItem = ({ output }: JsonObject, id: string): boolean =>
  Array.isArray(output) && output.some((item) => isObject(item) && item.id === id);

/** The item behind a reference: none for one that was cut and cannot be sent back, undefined for an unknown id. */
async function itemsOf(
  dependencies: ResponsesDependencies,
  ownerKeyId: string,
  find: Find,
  id: string,
): Promise<JsonObject[] | undefined> {
  const responseId = responseOfItem(id) ?? (await responseHolding(dependencies.store, id, ownerKeyId));
  const row = responseId === undefined ? undefined : await find(responseId);
  if (row === undefined) return undefined;
  const response = bodyOf(row);
  const item = [...inputOf(row), ...continuableItems(response)].find((stored) => stored.id === id);
  if (item !== undefined) return [item];
  return hasItem(response, id) ? [] : undefined;
}

/** The items with references replaced; one to an item of the chain is satisfied by the chain. */
async function dereferenced(
  dependencies: ResponsesDependencies,
  ownerKeyId: string,
  items: readonly JsonObject[],
  earlier: readonly JsonObject[],
  find: Find,
): Promise<JsonObject[]> {
  const known = new Set(earlier.map(({ id }) => id));
  const resolved: JsonObject[] = [];
  for (const [index, item] of items.entries()) {
    if (!isReference(item)) {
      resolved.push(item);
      continue;
    }
    if (known.has(item.id)) continue;
    const meant = await itemsOf(dependencies, ownerKeyId, find, String(item.id));
    if (meant === undefined) throw unknownItem(`input[${index}].id`);
    resolved.push(...meant);
  }
  return resolved;
}

function unknownItem(path: string): GatewayError {
  return new GatewayError("invalid_value", `'${path}' is not the ID of a stored item.`, { param: path });
}

/** Resolves what a request refers to. Throws the same 400 for an id that is unknown, expired, deleted or somebody else's. */
export async function conversationOf(
  dependencies: ResponsesDependencies,
  wire: JsonObject,
  ownerKeyId: string,
): Promise<Conversation> {
  const items = inputItems(wire.input);
  const named = wire[previousField];
  const previousResponseId = typeof named === "string" && named !== "" ? named : null;
  const alone = { previousResponseId, earlier: [], own: items, isResolved: false };
  if (previousResponseId === null && !items.some(isReference)) return alone;
  const find = finder(dependencies, ownerKeyId);
  const row = previousResponseId === null ? undefined : await find(previousResponseId);
  if (previousResponseId !== null && row === undefined) throw notFound(previousResponseId);
  if (row !== undefined && row.aliveUntilMs !== null) throw unfinished();
  const earlier = row === undefined ? [] : chainOf(row);
  const own = await dereferenced(dependencies, ownerKeyId, items, earlier, find);
  return { previousResponseId, earlier, own, isResolved: true };
}

const place = /\binput\[(\d+)\]/g;

/** The same error in the client's own numbers: it has not sent the items before `offset`. */
export function inOwnNumbers(error: GatewayError, offset: number): GatewayError {
  const index = /^input\[(\d+)\]/.exec(error.param ?? "")?.[1];
  if (offset === 0 || index === undefined) return error;
  const moved = (text: string): string => text.replace(place, (_, at: string) => `input[${Number(at) - offset}]`);
  const isOwn = Number(index) >= offset;
  const { kind, code, status, retryAfterMs, cause } = error;
  return new GatewayError(kind, isOwn ? moved(error.message) : error.message, {
    param: isOwn ? moved(error.param ?? "") : previousField,
    code,
    status,
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
