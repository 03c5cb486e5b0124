// Images and audio in a reply: how they are requested, and how servers of this dialect return them.
import type { AudioBlock, ChatRequest, OutputModalities } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext } from "../dialect.ts";
import { textOnly, unsupported } from "../errors.ts";
import { readDataUri } from "../shared/media.ts";
import type { Warnings } from "../shared/warnings.ts";

/** Raw samples: the only format in streams, the same in complete replies. */
const samplesFormat = "pcm16";
const samplesType = "audio/pcm";

/** A voice is required, and other providers' voice names are invalid here. */
const defaultVoice = "alloy";
const voices = new Set([
  ...[defaultVoice, "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"],
  ...["marin", "cedar"],
]);

function voiceOf({ voice }: NonNullable<OutputModalities["speech"]>): string {
  if (voice === undefined || voices.has(voice.name)) return voice?.name ?? defaultVoice;
  throw unsupported(voice.path, "this voice is not available");
}

/** `modalities`: audio as in OpenAI's API, images and their formats as compatible servers added them. */
export function renderOutputModalities(request: ChatRequest, warnings: Warnings): JsonObject {
  if (request.media === undefined) return {};
  const { image, speech, path } = request.media;
  const { makesImages, makesSpeech } = warnings.context.options ?? {};
  if ((image && !makesImages) || (speech && !makesSpeech)) throw unsupported(path, textOnly);
  const form = omitUndefined({ aspect_ratio: image?.aspectRatio, image_size: image?.size });
  return omitUndefined({
    modalities: ["text", ...(image ? ["image"] : []), ...(speech ? ["audio"] : [])],
    image_config: Object.keys(form).length === 0 ? undefined : form,
    audio: speech === undefined ? undefined : { voice: voiceOf(speech), format: samplesFormat },
  });
}

/** An image whose bytes are in the reply. */
interface Picture {
  readonly type: "image";
  readonly source: { readonly kind: "bytes"; readonly mediaType: string; readonly base64: string };
}

/** The images of a message or a fragment of it. Images by URL are not downloaded. */
export function parseImages(images: Json | undefined): Picture[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image): Picture[] => {
    const url = isObject(image) && isObject(image.image_url) ? image.image_url.url : undefined;
    const source = typeof url === "string" ? readDataUri(url) : null;
    return source === null ? [] : [{ type: "image", source }];
  });
}

/** The audio of a complete message, in the requested format. */
export function parseSpeech(audio: Json | undefined, { request }: ReadContext): AudioBlock[] {
  if (!isObject(audio) || typeof audio.data !== "string" || audio.data === "") return [];
  const mediaType = request?.operation === "chat" && request.media?.speech !== undefined ? samplesType : "audio/wav";
  return [{ type: "audio", source: { kind: "bytes", mediaType, base64: audio.data } }];
}
