// Reading a provider's list of models.
import { isObject, type Json } from "../lib/json.ts";
import type { ListedModel } from "./provider.ts";

function readItem(item: Json): ListedModel[] {
  if (!isObject(item) || typeof item.id !== "string") return [];
  const displayName = item.display_name ?? item.name;
  return [
    {
      id: item.id,
      ...(typeof displayName === "string" ? { displayName } : {}),
      ...(typeof item.created === "number" ? { createdAt: item.created } : {}),
      ...(typeof item.created_at === "string" && Number.isFinite(Date.parse(item.created_at))
        ? { createdAt: Math.floor(Date.parse(item.created_at) / 1000) }
        : {}),
      ...(typeof item.owned_by === "string" ? { ownedBy: item.owned_by } : {}),
    },
  ];
}

/** `{data: [{id, …}]}`, as most servers answer, or the list alone. Entries without an id are left out. */
export function readDataList(body: unknown): ListedModel[] {
  const list = isObject(body) ? body.data : (body as Json);
  return Array.isArray(list) ? list.flatMap(readItem) : [];
}
