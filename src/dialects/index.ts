// The list of dialects.

import { anthropicMessages } from "./anthropic-messages/index.ts";
import { anthropicCount } from "./anthropic-messages/token-count.ts";
import { bedrockConverse } from "./bedrock-converse/index.ts";
import type { Dialect } from "./dialect.ts";
import { geminiBatchEmbeddings, geminiEmbeddings } from "./embeddings/gemini.ts";
import { openaiEmbeddings } from "./embeddings/openai.ts";
import {
  cohereEmbeddings,
  dashscopeEmbeddings,
  jinaEmbeddings,
  ollamaEmbeddings,
  teiEmbeddings,
  voyageEmbeddings,
} from "./embeddings/servers.ts";
import { vertexEmbeddings } from "./embeddings/vertex.ts";
import { gemini } from "./gemini/index.ts";
import { modelFromPath } from "./gemini/request.ts";
import { geminiCount } from "./gemini/token-count-dialect.ts";
import { dashscopeImageEdits, dashscopeImages, dashscopeImageTasks, speaksImages } from "./images/dashscope.ts";
import { geminiImages, wantsImages } from "./images/gemini.ts";
import { imagenImages } from "./images/imagen.ts";
import { minimaxImages } from "./images/minimax.ts";
import { openaiImageEdits, openaiImages, openaiImageVariations } from "./images/openai.ts";
import { arkImages, siliconflowImages, xaiImages, zhipuImages } from "./images/openai-compatible.ts";
import { mistralModerations } from "./moderations/mistral.ts";
import { openaiModerations } from "./moderations/openai.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiCompletions } from "./openai-completions/index.ts";
import { openaiCompaction } from "./openai-responses/compaction-dialect.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import { openaiStoredResponses } from "./openai-responses/stored-responses.ts";
import { openaiCount } from "./openai-responses/token-count.ts";
import { cohereRerank, plainRerank } from "./rerank/clients.ts";
import { dashscopeFlatRerank, dashscopeRerank, teiRerank, voyageRerank } from "./rerank/servers.ts";
import { openaiSpeech } from "./speech/openai.ts";
import type { StoredResponses } from "./stored-responses.ts";
import { openaiTranscriptions, openaiTranslations } from "./transcription/openai.ts";

export { type ModeratorForm, moderatorIn } from "./moderations/chat-moderation.ts";
export { moderatorForms } from "./moderations/moderator-forms.ts";
export { azureSpeech } from "./speech/azure.ts";
export { deepgramSpeech } from "./speech/deepgram.ts";
export { elevenlabsSpeech } from "./speech/elevenlabs.ts";
export { geminiSpeech } from "./speech/gemini.ts";
export { minimaxSpeech } from "./speech/minimax.ts";
export { groqSpeech, siliconflowSpeech } from "./speech/openai-compatible.ts";
export { deepgramTranscriptions } from "./transcription/deepgram.ts";
export { elevenlabsTranscriptions } from "./transcription/elevenlabs.ts";
export { geminiTranscriptions } from "./transcription/gemini.ts";
export {
  groqTranscriptions,
  groqTranslations,
  mistralTranscriptions,
  siliconflowTranscriptions,
} from "./transcription/openai.ts";

/** The wire of stored responses. */
export const storedResponses: StoredResponses = openaiStoredResponses;

/** The dialects that clients can use. */
export const dialects: readonly Dialect[] = [
  openaiChat,
  openaiCompletions,
  openaiResponses,
  anthropicMessages,
  gemini,
  openaiEmbeddings,
  geminiEmbeddings,
  geminiBatchEmbeddings,
  anthropicCount,
  geminiCount,
  openaiCount,
  openaiSpeech,
  openaiTranscriptions,
  openaiTranslations,
  plainRerank,
  cohereRerank,
  openaiModerations,
  openaiImages,
  openaiImageEdits,
  openaiImageVariations,
  dashscopeImages,
  dashscopeImageEdits,
  geminiImages,
  imagenImages,
];

export {
  anthropicCount,
  anthropicMessages,
  arkImages,
  bedrockConverse,
  cohereEmbeddings,
  cohereRerank,
  dashscopeEmbeddings,
  dashscopeFlatRerank,
  dashscopeImageEdits,
  dashscopeImages,
  dashscopeImageTasks,
  dashscopeRerank,
  gemini,
  geminiBatchEmbeddings,
  geminiCount,
  geminiEmbeddings,
  geminiImages,
  imagenImages,
  jinaEmbeddings,
  minimaxImages,
  mistralModerations,
  modelFromPath,
  ollamaEmbeddings,
  openaiChat,
  openaiCompaction,
  openaiCompletions,
  openaiCount,
  openaiEmbeddings,
  openaiImageEdits,
  openaiImages,
  openaiImageVariations,
  openaiModerations,
  openaiResponses,
  openaiSpeech,
  openaiTranscriptions,
  openaiTranslations,
  plainRerank,
  siliconflowImages,
  speaksImages,
  teiEmbeddings,
  teiRerank,
  vertexEmbeddings,
  voyageEmbeddings,
  voyageRerank,
  wantsImages,
  xaiImages,
  zhipuImages,
};
