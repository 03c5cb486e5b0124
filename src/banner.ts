// What the first start prints: the address, the keys once, the models that can be reached, and a line that works as pasted.

import type { FirstKeys } from "./config/secrets.ts";
import type { Candidate, Catalog } from "./gateway/catalog.ts";
import type { Listings } from "./gateway/listings.ts";
import { allModels } from "./http/models.ts";
import { dialectsOf } from "./providers/provider.ts";

const mostModels = 12;

function modelLines(catalog: Catalog, listings: Listings): string[] {
  const names = allModels(catalog, listings).map((model) => model.id);
  const shown = names.slice(0, mostModels).join(", ");
  const more = names.length > mostModels ? `, and ${names.length - mostModels} more` : "";
  const silent = catalog.providers.filter((provider) => listings.now(provider).models === null);
  const unread = silent.map((provider) => `${provider.name} (its list could not be read yet)`);
  return [`  models      ${shown}${more}`, ...(unread.length === 0 ? [] : [`  also        ${unread.join(", ")}`])];
}

/** Names of models that answer no chat, though their provider does. */
const otherThanChat = /tts|speech|whisper|transcri|audio|embed|rerank|moderat|image|video|dall-?e|sora/i;

const chats = ({ provider, model }: Candidate): boolean =>
  !otherThanChat.test(model) && dialectsOf(provider, model).some(({ operation }) => operation === "chat");

/** A model that can answer a chat: a route first, else the sandbox, which is always there. */
function trialModel({ routes }: Catalog): string {
  const fitting = [...routes.values()].find(
    ({ name, candidates }) => /^[\w./:-]+$/.test(name) && candidates.every(chats),
  );
  return fitting?.name ?? "sandbox/chat";
}

/** A key that is neither new nor given cannot be shown again. */
function clientKeyLines({ clientKey, clientKeyGiven }: FirstKeys): string[] {
  if (clientKey !== null) return [`  client key  ${clientKey}   (shown this once)`];
  return clientKeyGiven
    ? []
    : ["  client key  as before: put it into TURNPIKE_KEY, or make one with 'turnpike keys create --name NAME'"];
}

/** The lines for a person who starts the gateway. Keys are shown only when they were made just now. */
export function banner(url: string, keys: FirstKeys, catalog: Catalog, listings: Listings): string[] {
  const shown = keys.clientKey ?? "$TURNPIKE_KEY";
  const body = `{"model":"${trialModel(catalog)}","messages":[{"role":"user","content":"Hello"}]}`;
  return [
    ...clientKeyLines(keys),
    ...(keys.adminKey === null ? [] : [`  admin key   ${keys.adminKey}   (shown this once)`]),
    ...modelLines(catalog, listings),
    `  try         curl ${url}/v1/chat/completions -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" -d '${body}'`,
    `  docs        ${url}/docs`,
  ];
}
