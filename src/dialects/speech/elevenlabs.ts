// The dialect of ElevenLabs' speech. No client speaks it to the gateway.
import { pcmRate } from "../../canon/speech.ts";
import { compact, isObject } from "../../lib/json.ts";
import type { ErrorSide } from "../dialect.ts";
import { openaiErrors } from "../openai-error.ts";
import { documentReader, isDocument } from "./openai-reader.ts";
import { formatOf, plainReader } from "./readers.ts";
import { sampleReader } from "./samples.ts";
import { charactersTold, lengthTold, speechServer } from "./server.ts";

/** Voices of its library that every account has. https://elevenlabs.io/docs/capabilities/voices */
const voices = {
  alloy: "21m00Tcm4TlvDq8ikWAM",
  ash: "pNInz6obpgDQGcFmaJgB",
  ballad: "onwK4e9ZLuTAKqWW03F9",
  cedar: "nPczCjzI2devNBz1zQrb",
  coral: "XrExE9yKIg1WjnnlVkGX",
  echo: "TxGEqnHWrfWFTfGW9XjX",
  fable: "JBFqnCBsd6RMkjVDRZzb",
  marin: "cgSgspJ2msm6clMCkdW9",
  nova: "EXAVITQu4vr4xnSDxMaL",
  onyx: "VR6AewLTigWG4xSOukaG",
  sage: "pFZP5JQG7iQjIQuC4Bku",
  shimmer: "XB0fDUnXU5powFXDhCwa",
  verse: "IKne3meq5aSn9XLyUdCD",
} as const;

/** A code that says too little by its status: 401 is also an account without credit. */
function flattened(body: unknown): unknown {
  const detail = isObject(body) ? body.detail : undefined;
  if (!isObject(detail)) return body;
  return { message: detail.message, code: detail.status ?? detail.code, type: detail.type };
}

export const elevenlabsErrors: ErrorSide = {
  ...openaiErrors,
  parse: (status, body, retryAfterMs) => openaiErrors.parse(status, flattened(body), retryAfterMs),
};

/** https://elevenlabs.io/docs/api-reference/text-to-speech/stream: a WAV file is samples with a header of ours. */
export const elevenlabsSpeech = speechServer({
  name: "elevenlabs-speech",
  voices,
  formats: { mp3: "mp3_44100_128", opus: "opus_48000_128", wav: "pcm_24000", pcm: "pcm_24000" },
  speeds: [0.7, 1.2],
  call: ({ ask, model, voice, form, speed }) => ({
    path: `v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=${form}`,
    body: compact({
      text: ask.input,
      model_id: model,
      voice_settings: speed === 1 ? undefined : { speed },
    }),
  }),
  reader(context, head) {
    const asked = formatOf(context);
    const type = head("content-type") ?? "";
    if (isDocument(type)) return documentReader(asked);
    const usage = () => charactersTold(head("character-cost"));
    if (asked === "wav" || asked === "pcm") return sampleReader(asked, { rate: pcmRate }, lengthTold(head), usage);
    return plainReader(asked, type, usage);
  },
  error: elevenlabsErrors,
});
