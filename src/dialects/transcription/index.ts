// The list of dialects of transcription.
export { deepgramTranscriptions } from "./deepgram.ts";
export { elevenlabsTranscriptions } from "./elevenlabs.ts";
export { geminiTranscriptions } from "./gemini.ts";
export { openaiTranscriptions, openaiTranslations } from "./openai.ts";
export {
  groqTranscriptions,
  groqTranslations,
  mistralTranscriptions,
  siliconflowTranscriptions,
} from "./openai-compatible.ts";
