// OpenAI, and any server with OpenAI's chat completions at a configured base URL.
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

/** The last models with text completion. They do not support chat, and all others support only chat. */
const completesText = /^(?:ft:)?(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/;

/** Whether a model supports a dialect: models with these names support only text completion, all others only chat. */
export function servesText(names: RegExp): NonNullable<HttpKind["supports"]> {
  return (dialect, model) => dialect.operation !== "chat" || (dialect === openaiCompletions) === names.test(model);
}

/** Reasoning models support functions best on the Responses API, some of them only there. */
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
