// The rows of audio: speech and transcription.
import { soundTypes } from "../canonical/speech.ts";
import { openaiSpeech, openaiTranscriptions, openaiTranslations } from "../dialects/index.ts";
import type { FormRule, KeyRule, ModelEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const common = { kind: "ask", method: "POST", access: client, ...protocols.openai } as const;
const recording: FormRule = { only: true, files: { file: "The audio file, at most 25 MiB." } };

export const audioEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/audio/speech",
    operationId: "createSpeech",
    summary: "Generates audio from text. The audio is streamed while it is generated.",
    dialect: openaiSpeech,
    replyTypes: [...Object.values(soundTypes), "text/event-stream"],
  },
  {
    ...common,
    path: "/v1/audio/transcriptions",
    operationId: "createTranscription",
    summary: "Transcribes audio.",
    dialect: openaiTranscriptions,
    form: recording,
  },
  {
    ...common,
    path: "/v1/audio/translations",
    operationId: "createTranslation",
    summary: "Translates audio into English.",
    dialect: openaiTranslations,
    form: recording,
  },
];
