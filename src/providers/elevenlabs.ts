// ElevenLabs: speech, and what is said in recordings.
import { elevenlabsSpeech, elevenlabsTranscriptions } from "../dialects/index.ts";
import { isObject, type Json } from "../lib/json.ts";
import type { Secret } from "../lib/secret.ts";
import type { ListedModel, ProviderKind } from "./provider.ts";
import { readElevenlabsVoices } from "./voice-lists.ts";

const readItem = (item: Json): ListedModel[] =>
  isObject(item) && typeof item.model_id === "string" ? [{ id: item.model_id, ownedBy: "elevenlabs" }] : [];

/** A bare list of `{model_id, name}`, without the models that only listen. */
const readModels = (body: unknown): ListedModel[] => (Array.isArray(body) ? body.flatMap(readItem) : []);

const listens = /^scribe/;

export const elevenlabs: ProviderKind = {
  kind: "elevenlabs",
  baseUrl: "https://api.elevenlabs.io",
  environment: { credential: "ELEVENLABS_API_KEY", baseUrl: "ELEVENLABS_BASE_URL" },
  dialects: [elevenlabsSpeech, elevenlabsTranscriptions],
  speaks: ({ operation }, model) => (operation === "transcribe") === listens.test(model),
  origin: "elevenlabs",
  authorize: (credential: Secret) => ({ "xi-api-key": credential.reveal() }),
  listing: { path: "v1/models", read: readModels },
  voiceList: { path: "v1/voices", read: readElevenlabsVoices },
};
