// Output modalities in addition to text: images and audio, and their formats.
import type { OutputModalities } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { isAbsent } from "../shared/json-accessors.ts";

const config = "generationConfig";
const modalitiesPath = `${config}.responseModalities`;
const voiceMembers = ["voiceConfig", "prebuiltVoiceConfig", "voiceName"] as const;

function inside(object: Json | undefined, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((value, name) => (isObject(value) ? value[name] : undefined), object);
}

function readImage(form: Json | undefined): NonNullable<OutputModalities["image"]> {
  const { aspectRatio, imageSize } = isObject(form) ? form : {};
  return {
    ...(typeof aspectRatio === "string" && aspectRatio !== "" ? { aspectRatio } : {}),
    ...(typeof imageSize === "string" && imageSize !== "" ? { size: imageSize } : {}),
  };
}

function readSpeech(form: Json | undefined, extras: UnmappedField[]): NonNullable<OutputModalities["speech"]> {
  const path = `${config}.speechConfig`;
  const name = inside(form, voiceMembers);
  for (const [member, value] of Object.entries(isObject(form) ? form : {})) {
    if (member === "voiceConfig" || isAbsent(value)) continue;
    // With a single voice, a conversation of several speakers would be wrong.
    extras.push({ path: `${path}.${member}`, rule: member === "multiSpeakerVoiceConfig" ? "reject" : "warn" });
  }
  if (typeof name !== "string" || name === "") return {};
  return { voice: { name, path: [path, ...voiceMembers].join(".") } };
}

/** The requested images or audio; undefined for text only. Their formats have no effect without a modality. */
export function readOutputModalities(generation: JsonObject, extras: UnmappedField[]): OutputModalities | undefined {
  const { responseModalities, imageConfig, speechConfig } = generation;
  const wanted = new Set(
    (Array.isArray(responseModalities) ? responseModalities : []).map((kind) => String(kind).toUpperCase()),
  );
  const [hasImage, hasSpeech] = [wanted.delete("IMAGE"), wanted.delete("AUDIO")];
  const others = [...wanted].filter((kind) => kind !== "TEXT" && kind !== "MODALITY_UNSPECIFIED");
  if (others.length > 0) extras.push({ path: modalitiesPath, rule: "reject" });
  if (!hasImage && !isAbsent(imageConfig)) extras.push({ path: `${config}.imageConfig`, rule: "warn" });
  if (!hasSpeech && !isAbsent(speechConfig)) extras.push({ path: `${config}.speechConfig`, rule: "warn" });
  if (!hasImage && !hasSpeech) return undefined;
  return {
    path: modalitiesPath,
    ...(hasImage ? { image: readImage(imageConfig) } : {}),
    ...(hasSpeech ? { speech: readSpeech(speechConfig, extras) } : {}),
  };
}

/** The members of `generationConfig` for them. Here audio is returned without text, images with text. */
export function renderOutputModalities(modalities: OutputModalities | undefined): JsonObject {
  if (modalities === undefined) return {};
  const { image, speech } = modalities;
  const form = omitUndefined({ aspectRatio: image?.aspectRatio, imageSize: image?.size });
  const voice = speech?.voice?.name;
  return omitUndefined({
    responseModalities: [...(image ? ["TEXT", "IMAGE"] : []), ...(speech ? ["AUDIO"] : [])],
    imageConfig: isAbsent(form) ? undefined : form,
    speechConfig: voice === undefined ? undefined : { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
  });
}
