// The rows of sound: text spoken, and speech written down.
import { soundTypes } from "../canonical/speech.ts";
import { openaiSpeech, openaiTranscriptions, openaiTranslations } from "../dialects/index.ts";
import type { FormRule, KeyRule, ModelEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const common = { kind: "ask", method: "POST", access: client, ...protocols.openai } as const;
const recording: FormRule = { only: true, files: { file: "The recording, at most 25 MiB." } };

export const audioEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/audio/speech",
    operationId: "createSpeech",
    summary: "A text spoken, as a file of sound that begins before it is finished.",
    dialect: openaiSpeech,
    replyTypes: [...Object.values(soundTypes), "text/event-stream"],
  },
  {
    ...common,
    path: "/v1/audio/transcriptions",
    operationId: "createTranscription",
    summary: "What is said in a recording.",
    dialect: openaiTranscriptions,
    form: recording,
  },
  {
    ...common,
    path: "/v1/audio/translations",
    operationId: "createTranslation",
    summary: "What is said in a recording, in English.",
    dialect: openaiTranslations,
    form: recording,
  },
];
