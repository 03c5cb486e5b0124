// Reading the lists of voices that speech services have: one reader for each form.
import type { ListedVoice } from "../canonical/speech.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function genderOf(word: string): Pick<ListedVoice, "gender"> {
  const lower = word.toLowerCase();
  return lower === "female" || lower === "male" ? { gender: lower } : {};
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Voices of the library are refused on free plans, so the account's own and the default ones come first. */
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

/** `[{ShortName, DisplayName, Gender, Locale}]`; voices of many languages first, since a text may be in any. */
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
