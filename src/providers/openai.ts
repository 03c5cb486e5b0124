// OpenAI itself, and any server that speaks its chat with a base URL.
import {
  openaiChat,
  openaiCompletions,
  openaiCount,
  openaiEmbeddings,
  openaiImages,
  openaiModerations,
  openaiResponses,
  openaiSpeech,
  openaiTranscriptions,
  openaiTranslations,
  plainRerank,
} from "../dialects/index.ts";
import { wantsResponses } from "../dialects/shared/openai-models.ts";
import { openaiVideos } from "../dialects/video/index.ts";
import { bearer } from "./credentials.ts";
import { readDataList } from "./model-list.ts";
import type { HttpKind } from "./provider.ts";

/** Audio in and out in OpenAI's formats. */
export const openaiAudio = [openaiSpeech, openaiTranscriptions, openaiTranslations] as const;

/** The last models for text completion; they do not support chat, and all others only chat. */
const completesText = /^(?:ft:)?(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;

/** Only models of this name complete texts, and they do nothing else in chat. */
export function servesText(names: RegExp): NonNullable<HttpKind["supports"]> {
  return (dialect, model) => dialect.operation !== "chat" || (dialect === openaiCompletions) === names.test(model);
}

/** Models that reason call functions best as responses, some of them only there. */
export const prefersResponses: NonNullable<HttpKind["prefers"]> = (request, query, client) =>
  request.operation === "chat" && wantsResponses(query, request, client === openaiChat) ? openaiResponses : undefined;

export const openai: HttpKind = {
  name: "openai",
  baseUrl: "https://api.openai.com/v1",
  environment: { credential: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  dialects: [
    openaiChat,
    openaiResponses,
    openaiCompletions,
    openaiCount,
    openaiEmbeddings,
    openaiModerations,
    openaiImages,
    ...openaiAudio,
  ],
  videos: [openaiVideos],
  defaultModels: { moderate: "omni-moderation-latest" },
  supports: servesText(completesText),
  prefers: prefersResponses,
  origin: "openai",
  options: { makesSpeech: true, customTools: true },
  signer: bearer,
  listing: { path: "models", read: readDataList },
};

export const compatible: HttpKind = {
  name: "compatible",
  dialects: [
    openaiChat,
    openaiCompletions,
    openaiEmbeddings,
    plainRerank,
    openaiModerations,
    openaiImages,
    ...openaiAudio,
  ],
  defaultModels: { moderate: "omni-moderation-latest" },
  origin: "compatible",
  signer: bearer,
  listing: { path: "models", read: readDataList },
  options: { legacyMaxTokens: true },
};
