// The conversation that a request continues: the items before a stored response, and items that it refers to by id.
import type { Item } from "../../dialects/dialect.ts";
import type { StoredRequest } from "../../dialects/stored-responses.ts";
import type { JsonObject } from "../../lib/json.ts";
import { responseHolding } from "../../store/response-items.ts";
import { findResponse, type ResponseRow } from "../../store/responses.ts";
import type { IncomingRequest, Overrides } from "../pipeline/gateway-request.ts";
import { documentOf, inputOf, type ResponsesDependencies } from "./persist.ts";
import { openSummary } from "./sealed-summary.ts";

/** Items in the order of the conversation. `own` are those of the request itself, with references resolved. */
export interface Conversation {
  readonly earlier: readonly Item[];
  readonly own: readonly Item[];
  /** True if the input differs from the client's. */
  readonly isResolved: boolean;
}

/** The lookups of one request: rows of one owner, each read once. */
interface Lookup extends ResponsesDependencies {
  readonly ownerKeyId: string;
  find(id: string): Promise<ResponseRow | undefined>;
}

function lookup(dependencies: ResponsesDependencies, ownerKeyId: string): Lookup {
  const { store, gateway } = dependencies;
  const nowMs = gateway.clock.nowMs();
  const found = new Map<string, Promise<ResponseRow | undefined>>();
  const find = (id: string): Promise<ResponseRow | undefined> => {
    const row = found.get(id) ?? findResponse(store, id, ownerKeyId, nowMs);
    found.set(id, row);
    return row;
  };
  return { ...dependencies, ownerKeyId, find };
}

/** The input of a row contains all earlier items, so a single row is enough. */
async function chainBehind(from: Lookup, id: string): Promise<readonly Item[]> {
  const { codec, find } = from;
  const row = await find(id);
  if (row === undefined) throw codec.refusals.previousNotFound(id);
  if (row.aliveUntilMs !== null) throw codec.refusals.previousNotFinished();
  const { items, replacesInput } = codec.documents.continuation(await documentOf(from, row));
  return replacesInput ? items : [...(await inputOf(from, row)), ...items];
}

/** The items of a reference: none for an item that was cut and cannot be sent back, undefined for an unknown id. */
async function itemsBehind(from: Lookup, id: string): Promise<Item[] | undefined> {
  const { codec, store, ownerKeyId, find } = from;
  const responseId = codec.items.responseOf(id) ?? (await responseHolding(store, id, ownerKeyId));
  const row = responseId === undefined ? undefined : await find(responseId);
  if (row === undefined) return undefined;
  const response = await documentOf(from, row);
  const items = [...(await inputOf(from, row)), ...codec.documents.continuation(response).items];
  const item = items.find((stored) => codec.items.id(stored) === id);
  if (item !== undefined) return [item];
  return codec.documents.itemIds(response).includes(id) ? [] : undefined;
}

/** The items with references replaced; a reference to an earlier item of the conversation is dropped. */
async function dereferenced(from: Lookup, items: readonly Item[], earlier: readonly Item[]): Promise<Item[]> {
  const { codec } = from;
  const ids = new Set(earlier.map(codec.items.id));
  const resolved: Item[] = [];
  for (const [index, item] of items.entries()) {
    const id = codec.items.reference(item);
    if (id === null) resolved.push(item);
    else if (!ids.has(id)) {
      const found = await itemsBehind(from, id);
      if (found === undefined) throw codec.refusals.itemNotFound(index);
      resolved.push(...found);
    }
  }
  return resolved;
}

/**
 * Resolves what a request refers to. Throws the same 400 for an id that is unknown, expired, deleted or another
 * owner's.
 */
export async function conversationOf(
  dependencies: ResponsesDependencies,
  { previousId, items, wantsCompaction }: StoredRequest,
  ownerKeyId: string,
): Promise<Conversation> {
  const { reference } = dependencies.codec.items;
  if (previousId === null && items.every((item) => reference(item) === null))
    return { earlier: [], own: items, isResolved: wantsCompaction };
  const from = lookup(dependencies, ownerKeyId);
  const earlier = previousId === null ? [] : await chainBehind(from, previousId);
  // Each request can be within the limits of a body, while all of them together block the event loop.
  const { maxConversationItems } = dependencies.gateway.limits;
  if (earlier.length + items.length > maxConversationItems)
    throw dependencies.codec.refusals.conversationTooLong(maxConversationItems);
  return { earlier, own: await dereferenced(from, items, earlier), isResolved: true };
}

/** The request for an upstream: stored items first, compactions decrypted, without fields for the gateway only. */
export function upstreamRequest(
  dependencies: ResponsesDependencies,
  { wire, context }: IncomingRequest,
  { earlier, own, isResolved }: Conversation,
): Overrides & { readonly wire: JsonObject } {
  const { requests, compactions } = dependencies.codec;
  const items = [...earlier, ...own];
  const opened = compactions.open(items, (sealed) => openSummary(dependencies, context.caller.keyId, sealed));
  const { pinnedTo } = opened;
  return {
    wire: requests.forUpstream(wire, isResolved || opened.items !== items ? opened.items : null),
    ...(pinnedTo === undefined ? {} : { pinnedTo }),
  };
}
