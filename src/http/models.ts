// The models that a caller may use, in the format of the client's protocol.
import { GatewayError } from "../canonical/error.ts";
import { allowsCandidate, allowsName } from "../gateway/policy/access-rules.ts";
import type { Caller } from "../gateway/policy/caller.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { ModelLists } from "../gateway/routing/model-lists.ts";
import { candidatesOf } from "../gateway/routing/resolve.ts";
import type { ListedModel } from "../providers/provider.ts";
import type { HandlerContext } from "./endpoint.ts";
import { type Model, modelShapes } from "./model-list-formats.ts";
import { type Protocol, protocols } from "./protocols.ts";
import { queryOf } from "./target.ts";
import { writeJson } from "./write.ts";

function modelOf(listed: ListedModel, owner: string): Model {
  return {
    id: listed.id,
    displayName: listed.displayName ?? listed.id,
    createdAt: listed.createdAt ?? 0,
    ownedBy: listed.ownedBy ?? owner,
    ...(listed.details === undefined ? {} : { details: listed.details }),
  };
}

/** Every listed model of every provider, with the name that is always unique. */
function* listedModels(catalog: Catalog, listings: ModelLists): Generator<{ prefixed: string; model: Model }> {
  for (const provider of catalog.providers)
    for (const listed of listings.now(provider).models ?? [])
      yield { prefixed: `${provider.entry.name}/${listed.id}`, model: modelOf(listed, provider.entry.name) };
}

/**
 * Routes first, then what each provider lists. A name that several of them have is listed once, for the one that it
 * resolves to, and then each provider's own as `provider/model`.
 */
export function allModels(catalog: Catalog, listings: ModelLists): Model[] {
  const models = new Map<string, Model>();
  for (const name of catalog.routes.keys()) models.set(name, modelOf({ id: name }, "turnpike"));
  const listed = [...listedModels(catalog, listings)];
  const uses = new Map<string, number>([...models.keys()].map((name) => [name, 1]));
  for (const { model } of listed) uses.set(model.id, (uses.get(model.id) ?? 0) + 1);
  for (const { prefixed, model } of listed) {
    if (!models.has(model.id)) models.set(model.id, model);
    if ((uses.get(model.id) ?? 0) > 1) models.set(prefixed, { ...model, id: prefixed });
  }
  return [...models.values()];
}

/** Finds a listed model by any name that a request may use. */
function findModel(catalog: Catalog, listings: ModelLists, id: string | undefined): Model | undefined {
  const found = allModels(catalog, listings).find((model) => model.id === id);
  if (found !== undefined || id === undefined) return found;
  for (const { prefixed, model } of listedModels(catalog, listings)) if (prefixed === id) return { ...model, id };
  return undefined;
}

/** Whether the caller's rules allow this model, and at least one of its providers. */
function mayUse(caller: Caller | null, catalog: Catalog, listings: ModelLists, id: string): boolean {
  const rules = caller?.access ?? [];
  if (rules.length === 0) return true;
  const candidates = candidatesOf(catalog, listings.now, id);
  return (
    rules.every((access) => allowsName(access, id)) &&
    candidates.some((candidate) => rules.every((access) => allowsCandidate(access, candidate)))
  );
}

type ProtocolOf = (request: Request) => Protocol;

/** `GET …/models`. */
export function listModels(catalog: () => Catalog, listings: ModelLists, protocolOf: ProtocolOf) {
  return ({ request, requestId, caller }: HandlerContext): Response => {
    const protocol = protocolOf(request);
    const models = allModels(catalog(), listings).filter(({ id }) => mayUse(caller, catalog(), listings, id));
    const list = modelShapes[protocol].list(models, queryOf(request));
    return writeJson(list, requestId, protocols[protocol].idHeaders);
  };
}

/** `GET …/models/{id}`; the id may contain slashes. */
export function getModel(catalog: () => Catalog, listings: ModelLists, protocolOf: ProtocolOf) {
  return ({ request, requestId, params, caller }: HandlerContext): Response => {
    const protocol = protocolOf(request);
    const model = findModel(catalog(), listings, params.id);
    if (model !== undefined && mayUse(caller, catalog(), listings, model.id))
      return writeJson(modelShapes[protocol].item(model), requestId, protocols[protocol].idHeaders);
    throw new GatewayError("model_not_found", "The model does not exist or is not configured.", {
      param: "model",
    });
  };
}
