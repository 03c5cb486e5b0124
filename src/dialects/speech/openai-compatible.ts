// Speech servers with variants of OpenAI's format: other voices, fewer formats.
import { pcmRate } from "../../canonical/speech.ts";
import { openaiErrors } from "../openai-error.ts";
import { formatOf } from "./audio-readers.ts";
import { openaiSoundReader } from "./openai-audio.ts";
import { unwrappedReader } from "./pcm-wav.ts";
import { type SpeechSetting, upstreamSpeech, voicesByName } from "./upstream-speech.ts";

const path = "audio/speech";

/** https://console.groq.com/docs/text-to-speech: only WAV files, so samples are extracted from one. */
export const groqSpeech = upstreamSpeech({
  name: "groq-speech",
  paths: { input: "input", voice: "voice", format: "response_format" },
  voices: voicesByName({
    autumn: ["alloy", "coral", "marin"],
    diana: ["nova", "sage"],
    hannah: ["shimmer"],
    austin: ["echo", "ash"],
    daniel: ["onyx", "cedar", "ballad"],
    troy: ["fable", "verse"],
  }),
  formats: { wav: "wav", pcm: "wav" },
  call: (fields, _request, { model }) => ({ path, body: { model, ...fields } }),
  reader(context, head) {
    const type = head("content-type") ?? "";
    return formatOf(context) === "pcm" && /^(?:audio\/|application\/octet-stream)/.test(type)
      ? unwrappedReader()
      : openaiSoundReader(context, head);
  },
  error: openaiErrors,
});

/** Voices are prefixed by their model, except custom ones. */
function ofModel(voice: string, { request, warnings }: SpeechSetting): string {
  return request.ownVoice || voice.includes(":") ? voice : `${warnings.context.model}:${voice}`;
}

/**
 * https://docs.siliconflow.cn/cn/api-reference/audio/create-speech: each format has a sample rate of its own unless
 * the request sets one.
 */
export const siliconflowSpeech = upstreamSpeech({
  name: "siliconflow-speech",
  paths: { input: "input", voice: "voice", format: "response_format", speed: "speed" },
  voices: voicesByName({
    anna: ["alloy", "sage"],
    bella: ["nova", "marin"],
    claire: ["shimmer"],
    diana: ["coral"],
    alex: ["echo", "ash"],
    benjamin: ["onyx", "cedar"],
    charles: ["fable", "ballad"],
    david: ["verse"],
  }),
  formats: { mp3: "mp3", opus: "opus", wav: "wav", pcm: "pcm" },
  speeds: [0.25, 4],
  voiceOf: ofModel,
  call: (fields, { format }, { model }) => ({
    path,
    body: {
      ...{ model, ...fields },
      ...(format === "pcm" || format === "wav" ? { sample_rate: pcmRate } : {}),
      stream: true,
    },
  }),
  reader: openaiSoundReader,
  error: openaiErrors,
});
