// Lists of models and voices: their canonical form, a reader for each format, and the names of image models.

import type { ListedVoice } from "../canonical/speech.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { type ListedSupports, supportsOfCohere, supportsOfGemini, supportsOfItem } from "./listed-supports.ts";

/** A model as a provider lists it. `createdAt` in Unix seconds. */
export interface ListedModel {
  readonly id: string;
  readonly displayName?: string;
  readonly createdAt?: number;
  readonly ownedBy?: string;
  /** Members of Anthropic's list in addition to these. */
  readonly details?: JsonObject;
  /** What it accepts. Absent: the list does not contain it. */
  readonly supports?: ListedSupports;
}

/** Members of Anthropic's list in addition to the name (@anthropic-ai/sdk 1.10.0, `ModelInfo`). */
const detailNames = [
  "capabilities",
  "deprecated_at",
  "lifecycle",
  "line",
  "max_input_tokens",
  "max_tokens",
  "retires_at",
] as const;

function detailsOf(item: JsonObject): JsonObject {
  const details: JsonObject = {};
  for (const name of detailNames) if (item[name] !== undefined) details[name] = item[name];
  return details;
}

function readDataItem(item: Json): ListedModel[] {
  if (!isObject(item) || typeof item.id !== "string") return [];
  const displayName = item.display_name ?? item.name;
  return [
    {
      id: item.id,
      ...(typeof displayName === "string" ? { displayName } : {}),
      ...(typeof item.created === "number" ? { createdAt: item.created } : {}),
      ...(typeof item.created_at === "string" && Number.isFinite(Date.parse(item.created_at))
        ? { createdAt: Math.floor(Date.parse(item.created_at) / 1000) }
        : {}),
      ...(item.type === "model" ? { details: detailsOf(item) } : {}),
      ...(typeof item.owned_by === "string" ? { ownedBy: item.owned_by } : {}),
      ...supportsOfItem(item),
    },
  ];
}

/** `{data: [{id, …}]}`, as most servers return it, or only the list. Entries without an id are left out. */
export function readDataList(body: unknown): ListedModel[] {
  const list = isObject(body) ? body.data : (body as Json);
  return Array.isArray(list) ? list.flatMap(readDataItem) : [];
}

/** The objects of a list under this member, each as at most one model. */
function readList(body: unknown, member: string, read: (item: JsonObject) => ListedModel | null): ListedModel[] {
  const list = isObject(body) ? body[member] : undefined;
  return (Array.isArray(list) ? list : []).flatMap((item) => (isObject(item) ? (read(item) ?? []) : []));
}

const named = (id: Json | undefined, ownedBy: string): ListedModel | null =>
  typeof id === "string" ? { id, ownedBy } : null;

/** `{models: [{name: "models/…", displayName}]}`. */
export const readGeminiModels = (body: unknown): ListedModel[] =>
  readList(body, "models", (item) =>
    typeof item.name === "string"
      ? {
          id: item.name.replace(/^models\//, ""),
          ...(typeof item.displayName === "string" ? { displayName: item.displayName } : {}),
          ownedBy: "google",
          ...supportsOfGemini(item),
        }
      : null,
  );

/** `{models: [{name, endpoints, features, context_length}]}`. */
export const readCohereModels = (body: unknown): ListedModel[] =>
  readList(body, "models", (item) => {
    const model = named(item.name, "cohere");
    return model === null ? null : { ...model, ...supportsOfCohere(item) };
  });

/** `{stt: [{canonical_name}], tts: [{canonical_name}]}`; a model of several languages has a row for each. */
export function readDeepgramModels(body: unknown): ListedModel[] {
  const listed = ["stt", "tts"].flatMap((member) =>
    readList(body, member, ({ canonical_name: name }) => named(name, "deepgram")),
  );
  return [...new Map(listed.map((model) => [model.id, model])).values()];
}

/** A bare list of `{model_id, name}`, without models that only transcribe. */
export const readElevenlabsModels = (body: unknown): ListedModel[] =>
  readList({ models: body }, "models", ({ model_id: id }) => named(id, "elevenlabs"));

/** The server's description of itself: `{model_id}`. */
export function readTeiInfo(body: unknown): ListedModel[] {
  return isObject(body) && typeof body.model_id === "string" ? [{ id: body.model_id }] : [];
}

/** Names of image models: where one provider serves both chat and images, only the name distinguishes them. */
const imageWords =
  /image|imagin|dall-?e|diffusion|flux|sdxl|sd-?3|seedream|cogview|kolors|t2i|i2i|wanx|recraft|ideogram|hidream|banana/i;

/** True for the name of an image model. */
export function isImageModelName(model: string): boolean {
  return imageWords.test(model);
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function genderOf(word: string): Pick<ListedVoice, "gender"> {
  const lower = word.toLowerCase();
  return lower === "female" || lower === "male" ? { gender: lower } : {};
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Library voices are refused on free plans, so the account's own and the default ones come first. */
const isOfLibrary = ({ category }: JsonObject): boolean => category === "professional" || category === "famous";

/** `{voices: [{voice_id, name, category, labels: {gender}}]}`; a name is often followed by a description. */
export function readElevenlabsVoices(body: unknown): ListedVoice[] {
  const items = objectsIn(isObject(body) ? body.voices : undefined).filter(({ voice_id: id }) => textOf(id) !== "");
  const ordered = [...items.filter((item) => !isOfLibrary(item)), ...items.filter(isOfLibrary)];
  return ordered.map(({ voice_id: id, name, labels }) => ({
    id: textOf(id),
    name: textOf(name).replace(/\s+-\s.*$/, ""),
    ...genderOf(isObject(labels) ? textOf(labels.gender) : ""),
  }));
}

/** `[{ShortName, DisplayName, Gender, Locale}]`; multilingual voices first, since the language of a text is unknown. */
export function readAzureVoices(body: unknown): ListedVoice[] {
  const items = objectsIn(body).filter(({ ShortName: id }) => textOf(id) !== "");
  const isMultilingual = ({ ShortName: id }: JsonObject): boolean => /Multilingual/i.test(textOf(id));
  const ordered = [...items.filter(isMultilingual), ...items.filter((item) => !isMultilingual(item))];
  return ordered.map(({ ShortName: id, DisplayName: name, Gender: gender }) => ({
    id: textOf(id),
    name: textOf(name),
    ...genderOf(textOf(gender)),
  }));
}
