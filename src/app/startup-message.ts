// The output of the first start: the URL, the keys once, the available models, and a command to paste.

import type { FirstKeys } from "../config/secrets.ts";
import type { Candidate, Catalog } from "../gateway/routing/catalog.ts";
import type { ModelLists } from "../gateway/routing/model-lists.ts";
import { allModels } from "../http/models.ts";
import { type Provider, serves } from "../providers/provider.ts";

const mostModels = 12;

function modelLines(catalog: Catalog, listings: ModelLists): string[] {
  const names = allModels(catalog, listings).map((model) => model.id);
  const shown = names.slice(0, mostModels).join(", ");
  const more = names.length > mostModels ? `, and ${names.length - mostModels} more` : "";
  const silent = catalog.providers.filter((provider) => listings.now(provider).models === null);
  const unread = silent.map((provider) => `${provider.entry.name} (model list not available yet)`);
  return [`  models      ${shown}${more}`, ...(unread.length === 0 ? [] : [`  also        ${unread.join(", ")}`])];
}

/** Names of models that do not support chat, although their provider does. */
const otherThanChat = /tts|speech|whisper|transcri|audio|embed|bge|minilm|rerank|moderat|image|video|dall-?e|sora/i;

const chats = ({ provider, model }: Candidate): boolean =>
  !otherThanChat.test(model) && serves(provider, "chat", model);

/** Names that need no escaping in shell quotes. */
const isPlain = (name: string): boolean => /^[\w./:-]+$/.test(name);

/** A model for a chat request: a route first, then a model of a local server, otherwise the sandbox. */
function trialModel({ routes }: Catalog, listings: ModelLists, local: readonly Provider[]): string {
  const route = [...routes.values()].find(({ name, candidates }) => isPlain(name) && candidates.every(chats));
  if (route !== undefined) return route.name;
  const candidates = local.flatMap((provider) =>
    (listings.now(provider).models ?? []).map(({ id }) => ({ provider, model: id })),
  );
  return candidates.find((each) => isPlain(each.model) && chats(each))?.model ?? "sandbox/chat";
}

/** A key that is neither new nor configured cannot be shown again. */
function clientKeyLines({ clientKey, clientKeyGiven }: FirstKeys): string[] {
  if (clientKey !== null) return [`  client key  ${clientKey}   (shown only once)`];
  return clientKeyGiven
    ? []
    : ["  client key  unchanged; set TURNPIKE_KEY, or create one with 'turnpike keys create --name NAME'"];
}

/** The lines for a person who starts the gateway. Keys are only shown when they were just generated. */
export function startupMessage(
  url: string,
  keys: FirstKeys,
  catalog: Catalog,
  listings: ModelLists,
  local: readonly Provider[],
): string[] {
  const shown = keys.clientKey ?? "$TURNPIKE_KEY";
  const body = `{"model":"${trialModel(catalog, listings, local)}","messages":[{"role":"user","content":"Hello"}]}`;
  return [
    ...clientKeyLines(keys),
    ...(keys.adminKey === null ? [] : [`  admin key   ${keys.adminKey}   (shown only once)`]),
    ...modelLines(catalog, listings),
    `  try         curl ${url}/v1/chat/completions -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" -d '${body}'`,
    `  docs        ${url}/docs`,
  ];
}
