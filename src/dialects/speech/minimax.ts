// MiniMax's speech: audio in hexadecimal, and errors with a success status.
import { type AudioFormat, pcmRate, soundTypes } from "../../canonical/speech.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openaiErrors } from "../openai-error.ts";
import { soundOfTyped } from "../shared/audio-format.ts";
import { isRefusal, parseError } from "../video/upstreams/minimax.ts";
import { type AudioChunk, type AudioDecoder, formatOf, jsonAudioReader } from "./audio-readers.ts";
import { characterUsage, upstreamSpeech } from "./upstream-speech.ts";

/** Its system voices. https://platform.minimax.io/docs/faq/system-voice-id */
const voices = {
  alloy: "English_Graceful_Lady",
  ash: "English_Trustworth_Man",
  ballad: "English_expressive_narrator",
  cedar: "English_ManWithDeepVoice",
  coral: "English_radiant_girl",
  echo: "English_Diligent_Man",
  fable: "English_magnetic_voiced_man",
  marin: "English_compelling_lady1",
  nova: "English_captivating_female1",
  onyx: "English_Deep-VoicedGentleman",
  sage: "English_CalmWoman",
  shimmer: "English_Soft-spokenGirl",
  verse: "English_PatientMan",
} as const;

const mp3Bits = 128_000;

/** In a stream, the last document may repeat all of the audio. */
function decoderFor(requested: AudioFormat): AudioDecoder {
  let format = requested;
  let hasAudio = false;
  return {
    get format() {
      return format;
    },
    decode(body: JsonObject, whole: boolean): AudioChunk {
      if (isRefusal(body)) throw parseError(200, body);
      const data = isObject(body.data) ? body.data : {};
      const extra = isObject(body.extra_info) ? body.extra_info : {};
      const done = data.status === 2;
      const again = done && !whole && hasAudio;
      const sound = again || typeof data.audio !== "string" ? undefined : Buffer.from(data.audio, "hex");
      if (sound !== undefined && sound.length > 0 && !hasAudio) {
        format = soundOfTyped(sound, soundTypes[requested]) ?? requested;
        hasAudio = true;
      }
      const count = extra.usage_characters;
      const usage = typeof count === "number" ? characterUsage(count) : undefined;
      return { ...(sound === undefined ? {} : { sound }), ...(usage === undefined ? {} : { usage }), done };
    },
  };
}

/** https://platform.minimax.io/docs/api-reference/speech-t2a-http: WAV files are not available as streams. */
export const minimaxSpeech = upstreamSpeech({
  name: "minimax-speech",
  paths: {
    input: "text",
    voice: "voice_setting.voice_id",
    format: "audio_setting.format",
    speed: "voice_setting.speed",
  },
  voices,
  formats: { mp3: "mp3", flac: "flac", wav: "wav", pcm: "pcm" },
  speeds: [0.5, 2],
  call({ voice_setting, audio_setting, ...body }, { format }, { model }) {
    const stream = format !== "wav";
    return {
      path: "t2a_v2",
      body: {
        ...{ model, ...body, stream },
        ...(stream ? { stream_options: { exclude_aggregated_audio: true } } : {}),
        voice_setting: { speed: 1, ...(voice_setting as JsonObject) },
        audio_setting: {
          ...(audio_setting as JsonObject),
          ...(format === "mp3" ? { sample_rate: 32_000, bitrate: mp3Bits } : { sample_rate: pcmRate }),
          channel: 1,
        },
        output_format: "hex",
      },
    };
  },
  reader: (context, head) => jsonAudioReader(head("content-type"), decoderFor(formatOf(context))),
  error: { ...openaiErrors, parse: parseError },
});
