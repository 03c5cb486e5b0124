// The list of models that a caller can ask for, in OpenAI's shape and in Anthropic's.
import { GatewayError } from "../canon/error.ts";
import type { Catalog } from "../gateway/catalog.ts";
import type { Listings } from "../gateway/listings.ts";
import type { ListedModel } from "../providers/provider.ts";
import type { PlainVisit } from "./endpoint.ts";
import { writeJson } from "./write.ts";

/** `createdAt` in Unix seconds; the epoch where nobody said. */
interface Model {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: number;
  readonly ownedBy: string;
}

/** The names of dialect version headers whose presence asks for Anthropic's shape. */
export const versionHeaders = ["vendor-version", "anthropic-version"] as const;

function modelOf(listed: ListedModel, owner: string): Model {
  return {
    id: listed.id,
    displayName: listed.displayName ?? listed.id,
    createdAt: listed.createdAt ?? 0,
    ownedBy: listed.ownedBy ?? owner,
  };
}

/** Routes first, then what each provider lists; a name that occurs twice is listed once. */
export function allModels(catalog: Catalog, listings: Listings): Model[] {
  const models = new Map<string, Model>();
  for (const name of catalog.routes.keys()) models.set(name, modelOf({ id: name }, "turnpike"));
  for (const provider of catalog.providers)
    for (const listed of listings.now(provider).models ?? [])
      if (!models.has(listed.id)) models.set(listed.id, modelOf(listed, provider.name));
  return [...models.values()];
}

const openaiItem = (model: Model) => ({
  id: model.id,
  object: "model",
  created: model.createdAt,
  owned_by: model.ownedBy,
});

const anthropicItem = (model: Model) => ({
  type: "model",
  id: model.id,
  display_name: model.displayName,
  created_at: new Date(model.createdAt * 1000).toISOString(),
});

/** Anthropic pages its list: `limit`, `after_id`, `before_id`. */
function anthropicPage(models: readonly Model[], url: string) {
  const query = new URL(url).searchParams;
  const limit = pageLimit(query.get("limit"));
  const ids = models.map((model) => model.id);
  const after = query.get("after_id");
  const before = query.get("before_id");
  const from = after === null ? 0 : ids.indexOf(after) + 1;
  const to = before === null || !ids.includes(before) ? ids.length : ids.indexOf(before);
  const page = before === null ? models.slice(from, from + limit) : models.slice(Math.max(from, to - limit), to);
  const hasMore = before === null ? from + limit < models.length : to - limit > from;
  return {
    data: page.map(anthropicItem),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function pageLimit(text: string | null): number {
  if (text === null) return 20;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new GatewayError("invalid_value", "Invalid 'limit': it must be a whole number from 1 to 1000.", {
    param: "limit",
  });
}

/** Whether a request to the list speaks that protocol: its version header says so. */
export const wantsAnthropic = (request: Request): boolean => versionHeaders.some((name) => request.headers.has(name));

/** `GET /v1/models`. */
export function listModels(catalog: () => Catalog, listings: Listings) {
  return ({ request, requestId }: PlainVisit): Response => {
    const models = allModels(catalog(), listings);
    if (wantsAnthropic(request)) return writeJson(anthropicPage(models, request.url), requestId, ["request-id"]);
    return writeJson({ object: "list", data: models.map(openaiItem) }, requestId);
  };
}

/** `GET /v1/models/{id}`; the id may hold slashes. */
export function getModel(catalog: () => Catalog, listings: Listings) {
  return ({ request, requestId, params }: PlainVisit): Response => {
    const model = allModels(catalog(), listings).find((candidate) => candidate.id === params.id);
    if (model === undefined)
      throw new GatewayError("model_not_found", "The model does not exist or is not configured here.", {
        param: "model",
      });
    if (wantsAnthropic(request)) return writeJson(anthropicItem(model), requestId, ["request-id"]);
    return writeJson(openaiItem(model), requestId);
  };
}
