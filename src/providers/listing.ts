// Reading a provider's list of models.
import { isObject, type Json } from "../lib/json.ts";
import type { ListedModel } from "./provider.ts";

function readItem(item: Json): ListedModel[] {
  if (!isObject(item) || typeof item.id !== "string") return [];
  return [
    {
      id: item.id,
      ...(typeof item.display_name === "string" ? { displayName: item.display_name } : {}),
      ...(typeof item.created === "number" ? { createdAt: item.created } : {}),
      ...(typeof item.created_at === "string" && Number.isFinite(Date.parse(item.created_at))
        ? { createdAt: Math.floor(Date.parse(item.created_at) / 1000) }
        : {}),
      ...(typeof item.owned_by === "string" ? { ownedBy: item.owned_by } : {}),
    },
  ];
}

/** `{data: [{id, …}]}`, as OpenAI and Anthropic and most compatible servers answer. Entries without an id are left out. */
export function readDataList(body: unknown): ListedModel[] {
  return isObject(body) && Array.isArray(body.data) ? body.data.flatMap(readItem) : [];
}
