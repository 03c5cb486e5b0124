// Azure's own speech service: SSML in, an audio file out.
import { isObject, type Json } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { fileReader, formatOf, isDocument, plainReader } from "./audio-readers.ts";
import { stringAt, upstreamSpeech } from "./upstream-speech.ts";

/**
 * https://learn.microsoft.com/azure/ai-services/speech-service/openai-voices, read 2026-11-22. The OpenAI voices exist
 * only in the regions `northcentralus` and `swedencentral`; the alternatives exist in every region.
 */
const voices = {
  alloy: { preferred: "en-US-AlloyMultilingualNeural", everywhere: "en-US-EvelynMultilingualNeural" },
  ash: "en-US-AndrewMultilingualNeural",
  ballad: "en-US-BrandonMultilingualNeural",
  cedar: "en-US-ChristopherMultilingualNeural",
  coral: "en-US-CoraMultilingualNeural",
  echo: { preferred: "en-US-EchoMultilingualNeural", everywhere: "en-US-DerekMultilingualNeural" },
  fable: { preferred: "en-US-FableMultilingualNeural", everywhere: "en-GB-OllieMultilingualNeural" },
  marin: "en-US-AvaMultilingualNeural",
  nova: { preferred: "en-US-NovaMultilingualNeural", everywhere: "en-US-AmandaMultilingualNeural" },
  onyx: { preferred: "en-US-OnyxMultilingualNeural", everywhere: "en-US-DavisMultilingualNeural" },
  sage: "en-US-EmmaMultilingualNeural",
  shimmer: { preferred: "en-US-ShimmerMultilingualNeural", everywhere: "en-US-PhoebeMultilingualNeural" },
  verse: "en-US-BrianMultilingualNeural",
} as const;

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Characters that XML does not allow, escaped or not. */
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

function escaped(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** A voice's name starts with its language. */
const languageOf = (voice: string): string => /^[a-z]{2,3}-[A-Z][A-Za-z]{1,3}/.exec(voice)?.[0] ?? "en-US";

function ssml(speak: Json | undefined): string {
  const [text, voice] = [stringAt(speak, "text"), stringAt(speak, "voice")];
  const speed = isObject(speak) && typeof speak.prosody === "number" ? speak.prosody : 1;
  const percent = Math.round((speed - 1) * 100);
  const spoken =
    percent === 0 ? escaped(text) : `<prosody rate="${percent > 0 ? "+" : ""}${percent}%">${escaped(text)}</prosody>`;
  const space = "http://www.w3.org/2001/10/synthesis";
  return `<speak version="1.0" xmlns="${space}" xml:lang="${languageOf(voice)}"><voice name="${escaped(voice)}">${spoken}</voice></speak>`;
}

const formatHeader = "x-microsoft-outputformat";
const encoder = new TextEncoder();

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech: its errors are their status. */
export const azureSpeech = upstreamSpeech({
  name: "azure-speech",
  paths: { input: "speak.text", voice: "speak.voice", format: `headers.${formatHeader}`, speed: "speak.prosody" },
  voices,
  formats: {
    mp3: "audio-24khz-96kbitrate-mono-mp3",
    opus: "ogg-24khz-16bit-mono-opus",
    wav: "riff-24khz-16bit-mono-pcm",
    pcm: "raw-24khz-16bit-mono-pcm",
  },
  speeds: [0.5, 2],
  call: ({ speak, headers }) => ({
    path: "cognitiveservices/v1",
    body: {},
    bytes: { type: "application/ssml+xml", bytes: encoder.encode(ssml(speak)) },
    headers: { [formatHeader]: stringAt(headers, formatHeader) },
  }),
  reader(context, head) {
    // The Content-Type of samples states their bits, with a type that other servers use for files.
    const isSamples = formatOf(context) === "pcm" && !isDocument(head("content-type") ?? "");
    return isSamples ? plainReader("pcm", "audio/pcm") : fileReader(context, head);
  },
  error: openaiErrors,
});
