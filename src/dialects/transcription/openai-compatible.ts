// Servers whose transcription is nearly OpenAI's, with fewer formats of the response.
import { transcriptionServer } from "./openai.ts";

const transcriptions = "audio/transcriptions";
const whisper = ["json", "verbose_json", "text"] as const;

/** https://console.groq.com/docs/speech-to-text */
export const groqTranscriptions = transcriptionServer({
  name: "groq-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: whisper,
});

export const groqTranslations = transcriptionServer({
  name: "groq-translations",
  path: "audio/translations",
  task: "translate",
  formats: whisper,
  has: ["prompt", "format", "temperature"],
});

/** https://docs.mistral.ai/api/#tag/audio.transcriptions: one form of reply; it does not take a language where it tells times. */
export const mistralTranscriptions = transcriptionServer({
  name: "mistral-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: ["json"],
  has: ["language", "temperature"],
  timesSegments: true,
});

/** https://docs.siliconflow.cn/cn/api-reference/audio/create-audio-transcriptions: a file and a model, nothing else. */
export const siliconflowTranscriptions = transcriptionServer({
  name: "siliconflow-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: ["json"],
  has: [],
});
