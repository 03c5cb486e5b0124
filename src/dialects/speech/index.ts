// The list of dialects of speech.
export { azureSpeech } from "./azure.ts";
export { deepgramSpeech } from "./deepgram.ts";
export { elevenlabsSpeech } from "./elevenlabs.ts";
export { geminiSpeech } from "./gemini.ts";
export { minimaxSpeech } from "./minimax.ts";
export { openaiSpeech } from "./openai.ts";
export { groqSpeech, siliconflowSpeech } from "./openai-compatible.ts";
