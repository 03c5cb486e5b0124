// Models: every name that a request may use at present, with its candidates.
import { Type } from "typebox";
import type { ModelLists } from "../../gateway/routing/model-lists.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { closed, nullable, shortText, text } from "../fields.ts";
import type { LiveCatalog } from "../live-catalog.ts";
import { list, type Resource } from "../resource.ts";
import { pageById } from "./catalog-entries.ts";

interface ModelDependencies {
  readonly catalog: () => LiveCatalog;
  readonly listings: () => ModelLists;
}

const object = Type.Object({
  object: Type.Literal("model"),
  id: text("A route or an alias of one, or `provider/model` for what a provider lists."),
  kind: Type.Enum(["route", "listed"], { description: "A route of the catalog, or a model that a provider lists." }),
  candidates: Type.Array(Type.Object({ provider: text("Provider."), model: text("The provider's model ID.") })),
  display_name: nullable(text("Name for people, where the provider has one.")),
});

const filters = Type.Object(
  {
    provider: Type.Optional(shortText("Only models of this provider.")),
    kind: Type.Optional(Type.Enum(["route", "listed"], { type: "string", description: "Only models of this kind." })),
  },
  closed,
);

function allModels(dependencies: ModelDependencies): JsonObject[] {
  const { providers, routes } = dependencies.catalog().current();
  const listings = dependencies.listings();
  const routed = [...routes].map(([id, { candidates }]): JsonObject => {
    const served = candidates.map(({ provider, model }) => ({ provider: provider.entry.name, model }));
    return { object: "model", id, kind: "route", candidates: served, display_name: null };
  });
  const listed = providers.flatMap((provider) =>
    (listings.now(provider).models ?? []).map((model): JsonObject => {
      const { name } = provider.entry;
      const id = model.id.startsWith(`${name}/`) ? model.id : `${name}/${model.id}`;
      const candidates = [{ provider: name, model: model.id }];
      return { object: "model", id, kind: "listed", candidates, display_name: model.displayName ?? null };
    }),
  );
  const routeNames = new Set(routed.map(({ id }) => id));
  return [...routed, ...listed.filter(({ id }) => !routeNames.has(id))];
}

const isServedBy = ({ candidates }: JsonObject, provider: string): boolean =>
  Array.isArray(candidates) && candidates.some((each) => isObject(each) && each.provider === provider);

export function models(dependencies: ModelDependencies): Resource {
  return {
    ...{ name: "models", title: "model", object },
    list: list(filters, [""], async (_context, { filters: { provider, kind }, limit, after }) => {
      const wanted = allModels(dependencies).filter(
        (model) =>
          (kind === undefined || model.kind === kind) && (provider === undefined || isServedBy(model, provider)),
      );
      return pageById(wanted, limit, after?.[0] as string | undefined);
    }),
    get: async (_context, id) => allModels(dependencies).find((model) => model.id === id),
  };
}
