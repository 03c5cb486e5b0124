// Reading a provider's list of models.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ListedModel } from "./provider.ts";

/** What Anthropic's list says of a model beyond its name (@anthropic-ai/sdk 1.10.0, `ModelInfo`). */
const detailNames = [
  "capabilities",
  "deprecated_at",
  "lifecycle",
  "line",
  "max_input_tokens",
  "max_tokens",
  "retires_at",
] as const;

function detailsOf(item: JsonObject): JsonObject {
  const details: JsonObject = {};
  for (const name of detailNames) if (item[name] !== undefined) details[name] = item[name];
  return details;
}

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
      ...(item.type === "model" ? { details: detailsOf(item) } : {}),
      ...(typeof item.owned_by === "string" ? { ownedBy: item.owned_by } : {}),
    },
  ];
}

/** `{data: [{id, …}]}`, as most servers answer, or the list alone. Entries without an id are left out. */
export function readDataList(body: unknown): ListedModel[] {
  const list = isObject(body) ? body.data : (body as Json);
  return Array.isArray(list) ? list.flatMap(readItem) : [];
}
