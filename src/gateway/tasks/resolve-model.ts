// Which candidates may make a video: of the model that the client named, of what its format calls it, or of the default.
import { GatewayError } from "../../canonical/error.ts";
import { missing } from "../../dialects/errors.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import type { Catalog } from "../routing/catalog.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import { type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import type { Submit } from "./submit.ts";
import { operation } from "./task.ts";

type Routing = Pick<GatewayDependencies, "catalog" | "listings">;

/** The candidates of the model that the client's format calls by this name, else of the name itself. */
export function planFor({ catalog: holder, listings }: Routing, { request: { model }, client }: Submit): Plan {
  const catalog = holder.current();
  const behind = (name: string) => resolve(catalog, listings.now, name, operation);
  const alias = client.alias?.(model) ?? model;
  if (alias === model || catalog.routes.has(model)) return behind(model);
  try {
    return behind(alias);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    // A refusal names the model as the client did.
    return behind(model);
  }
}

/** The first candidate of a plan; undefined where there is none. */
function firstOf(plan: () => Plan): Plan["candidates"][number] | undefined {
  try {
    return plan().candidates[0];
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** True where the name is that of a route, or of a model that a provider lists. */
function isConfigured(catalog: Catalog, now: ModelLists["now"], model: string): boolean {
  try {
    return resolve(catalog, now, model, operation).found !== "unlisted";
  } catch (thrown) {
    if (thrown instanceof GatewayError) return false;
    throw thrown;
  }
}

/** The submit with the default model, where the client named none and its format's own is not configured. */
export function withModel({ catalog: holder, listings }: Routing, submit: Submit): Submit {
  const { request, client } = submit;
  if (request.unnamed !== true) return submit;
  const catalog = holder.current();
  // A provider that may have any model is no reason to ask for one that is not configured.
  if (request.model !== "" && isConfigured(catalog, listings.now, request.model)) return submit;
  const first = firstOf(() => resolveUnnamed(catalog, listings.now, request.model, operation));
  if (first !== undefined)
    return { ...submit, request: { ...request, model: `${first.provider.entry.name}/${first.model}` } };
  throw missing(client.fieldPath("model"));
}
