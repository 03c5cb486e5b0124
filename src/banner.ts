// What the first start prints: the address, the keys once, the models that can be reached, and a line that works as pasted.

import type { FirstKeys } from "./config/secrets.ts";
import type { Catalog } from "./gateway/catalog.ts";
import type { Listings } from "./gateway/listings.ts";
import { allModels } from "./http/models.ts";

const mostModels = 12;

function modelLines(catalog: Catalog, listings: Listings): string[] {
  const names = allModels(catalog, listings).map((model) => model.id);
  const shown = names.slice(0, mostModels).join(", ");
  const more = names.length > mostModels ? `, and ${names.length - mostModels} more` : "";
  const silent = catalog.providers.filter((provider) => listings.now(provider).models === null);
  const unread = silent.map((provider) => `${provider.name} (its list could not be read yet)`);
  return [`  models      ${shown}${more}`, ...(unread.length === 0 ? [] : [`  also        ${unread.join(", ")}`])];
}

/** A model that can answer a chat: a route first, else the sandbox, which is always there. */
function trialModel(catalog: Catalog): string {
  const [route] = catalog.routes.keys();
  return route !== undefined && catalog.providers.length > 0 && /^[\w./:-]+$/.test(route) ? route : "sandbox/chat";
}

/** The lines for a person who starts the gateway. Keys are shown only when they were made just now. */
export function banner(url: string, keys: FirstKeys, catalog: Catalog, listings: Listings): string[] {
  const shown = keys.clientKey ?? "$TURNPIKE_KEY";
  const body = `{"model":"${trialModel(catalog)}","messages":[{"role":"user","content":"Hello"}]}`;
  return [
    ...(keys.clientKey === null ? [] : [`  client key  ${keys.clientKey}   (shown this once)`]),
    ...(keys.adminKey === null ? [] : [`  admin key   ${keys.adminKey}   (shown this once)`]),
    ...modelLines(catalog, listings),
    `  try         curl ${url}/v1/chat/completions -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" -d '${body}'`,
    `  docs        ${url}/docs`,
  ];
}
