// Deepgram: speech, whose voices are models, and what is said in recordings.
import { deepgramSpeech, deepgramTranscriptions } from "../dialects/index.ts";
import { isObject, type Json } from "../lib/json.ts";
import type { Secret } from "../lib/secret.ts";
import type { ListedModel, ProviderKind } from "./provider.ts";

const readItem = (item: Json): ListedModel[] =>
  isObject(item) && typeof item.canonical_name === "string" ? [{ id: item.canonical_name, ownedBy: "deepgram" }] : [];

/** `{stt: [{canonical_name}], tts: [{canonical_name}]}`; a model of several languages stands there once for each. */
function readModels(body: unknown): ListedModel[] {
  if (!isObject(body)) return [];
  const listed = [body.stt, body.tts].flatMap((list) => (Array.isArray(list) ? list.flatMap(readItem) : []));
  return [...new Map(listed.map((model) => [model.id, model])).values()];
}

const speaks = /^aura/;

export const deepgram: ProviderKind = {
  kind: "deepgram",
  baseUrl: "https://api.deepgram.com",
  environment: { credential: "DEEPGRAM_API_KEY", baseUrl: "DEEPGRAM_BASE_URL" },
  dialects: [deepgramSpeech, deepgramTranscriptions],
  speaks: ({ operation }, model) => (operation === "speak") === speaks.test(model),
  origin: "deepgram",
  authorize: (credential: Secret) => ({ authorization: `Token ${credential.reveal()}` }),
  listing: { path: "v1/models", read: readModels },
};
