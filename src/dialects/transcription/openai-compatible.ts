// Dialects of servers that write down nearly as OpenAI does, with fewer forms of reply.
import { transcriptionDialect } from "./openai.ts";

const transcriptions = "audio/transcriptions";
const whisper = ["json", "verbose_json", "text"] as const;

/** https://console.groq.com/docs/speech-to-text */
export const groqTranscriptions = transcriptionDialect({
  name: "groq-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: whisper,
  streams: false,
});

export const groqTranslations = transcriptionDialect({
  name: "groq-translations",
  path: "audio/translations",
  task: "translate",
  formats: whisper,
  fields: ["prompt", "response_format", "temperature"],
  streams: false,
});

/** https://docs.mistral.ai/api/#tag/audio.transcriptions: one form of reply; it does not take a language where it tells times. */
export const mistralTranscriptions = transcriptionDialect({
  name: "mistral-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: ["json"],
  fields: ["language", "temperature"],
  timesSegments: true,
  streams: false,
});

/** https://docs.siliconflow.cn/cn/api-reference/audio/create-audio-transcriptions: a file and a model, nothing else. */
export const siliconflowTranscriptions = transcriptionDialect({
  name: "siliconflow-transcriptions",
  path: transcriptions,
  task: "transcribe",
  formats: ["json"],
  fields: [],
  streams: false,
});
