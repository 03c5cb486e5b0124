// Dialects of servers that speak nearly as OpenAI does: other voices, fewer formats. No client speaks them to the gateway.
import type { SpeechRequest } from "../../canonical/speech.ts";
import { pcmRate } from "../../canonical/speech.ts";
import { omitUndefined } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { formatOf } from "./audio-readers.ts";
import { openaiSoundReader } from "./openai-reader.ts";
import { unwrappedReader } from "./pcm-wav.ts";
import { upstreamSpeech, voicesByName } from "./upstream-speech.ts";

const path = "audio/speech";

/** https://console.groq.com/docs/text-to-speech: WAV files alone, so that samples are cut out of one. */
export const groqSpeech = upstreamSpeech<"wav">({
  name: "groq-speech",
  voices: voicesByName({
    autumn: ["alloy", "coral", "marin"],
    diana: ["nova", "sage"],
    hannah: ["shimmer"],
    austin: ["echo", "ash"],
    daniel: ["onyx", "cedar", "ballad"],
    troy: ["fable", "verse"],
  }),
  formats: { wav: "wav", pcm: "wav" },
  call: ({ ask, model, voice, form }) => ({ path, body: { model, input: ask.input, voice, response_format: form } }),
  reader(context, head) {
    const type = head("content-type") ?? "";
    return formatOf(context) === "pcm" && /^(?:audio\/|application\/octet-stream)/.test(type)
      ? unwrappedReader()
      : openaiSoundReader(context, head);
  },
  error: openaiErrors,
});

/** A voice belongs to its model, unless it is one's own. */
function ofModel(model: string, voice: string, { ownVoice }: SpeechRequest): string {
  return ownVoice || voice.includes(":") ? voice : `${model}:${voice}`;
}

/** https://docs.siliconflow.cn/cn/api-reference/audio/create-speech: each format has a rate of its own unless it is told one. */
export const siliconflowSpeech = upstreamSpeech<true>({
  name: "siliconflow-speech",
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
  formats: { mp3: true, opus: true, wav: true, pcm: true },
  speeds: [0.25, 4],
  call: ({ ask, model, voice, speed }) => ({
    path,
    body: omitUndefined({
      model,
      input: ask.input,
      voice: ofModel(model, voice, ask),
      response_format: ask.format,
      sample_rate: ask.format === "pcm" || ask.format === "wav" ? pcmRate : undefined,
      speed: speed === 1 ? undefined : speed,
      stream: true,
    }),
  }),
  reader: openaiSoundReader,
  error: openaiErrors,
});
