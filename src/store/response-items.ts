// The stored response of an item, for items whose id does not contain it because a provider generated the id.
import { type Static, Type } from "typebox";
import { rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({ responseId: Type.String() });
const readRows: (rows: readonly unknown[]) => Static<typeof shape>[] = rowReader("response_items", shape);

/** More would exceed the maximum parameters of a statement. */
export const mostItems = 1_000;

/** Stores which response has the items; a known item gets its newest response. At most `mostItems`. */
export async function putResponseItems(
  store: Store,
  place: { readonly responseId: string; readonly ownerKeyId: string; readonly expiresAtMs: number },
  itemIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(itemIds)].slice(0, mostItems);
  if (ids.length === 0) return;
  const rows = ids.map((_, index) => `($1, $2, $3, $${index + 4})`).join(", ");
  const sql = `insert into response_items (owner_key_id, response_id, expires_at_ms, item_id) values ${rows}
    on conflict (owner_key_id, item_id) do update set response_id = excluded.response_id,
    expires_at_ms = excluded.expires_at_ms`;
  await store.query(sql, [place.ownerKeyId, place.responseId, place.expiresAtMs, ...ids]);
}

/** The response of this owner with the item; undefined when there is none. */
export async function responseHolding(store: Store, itemId: string, ownerKeyId: string): Promise<string | undefined> {
  const sql = `select response_id as "responseId" from response_items where owner_key_id = $1 and item_id = $2`;
  return readRows(await store.query(sql, [ownerKeyId, itemId]))[0]?.responseId;
}
