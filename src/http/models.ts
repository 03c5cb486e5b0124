// The models that a caller can ask for, in the shape of the protocol that asks.
import { GatewayError } from "../canon/error.ts";
import type { Catalog } from "../gateway/catalog.ts";
import type { Listings } from "../gateway/listings.ts";
import type { ListedModel } from "../providers/provider.ts";
import type { PlainVisit } from "./endpoint.ts";
import { type Model, modelShapes } from "./model-shapes.ts";
import { type Protocol, sides } from "./sides.ts";
import { queryOf } from "./target.ts";
import { writeJson } from "./write.ts";

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

type ProtocolOf = (request: Request) => Protocol;

/** `GET …/models`. */
export function listModels(catalog: () => Catalog, listings: Listings, protocolOf: ProtocolOf) {
  return ({ request, requestId }: PlainVisit): Response => {
    const protocol = protocolOf(request);
    const list = modelShapes[protocol].list(allModels(catalog(), listings), queryOf(request));
    return writeJson(list, requestId, sides[protocol].idHeaders);
  };
}

/** `GET …/models/{id}`; the id may hold slashes. */
export function getModel(catalog: () => Catalog, listings: Listings, protocolOf: ProtocolOf) {
  return ({ request, requestId, params }: PlainVisit): Response => {
    const protocol = protocolOf(request);
    const model = allModels(catalog(), listings).find((candidate) => candidate.id === params.id);
    if (model !== undefined) return writeJson(modelShapes[protocol].item(model), requestId, sides[protocol].idHeaders);
    throw new GatewayError("model_not_found", "The model does not exist or is not configured here.", {
      param: "model",
    });
  };
}
