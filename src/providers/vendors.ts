// The table of providers with formats of their own: each row is a URL, a way to sign, and the supported dialects.

import type { UpstreamDialect } from "../dialects/dialect.ts";
import {
  anthropicCount,
  anthropicMessages,
  azureSpeech,
  cohereEmbeddings,
  cohereRerank,
  deepgramSpeech,
  deepgramTranscriptions,
  elevenlabsSpeech,
  elevenlabsTranscriptions,
  geminiBatchEmbeddings,
  gemini as geminiChat,
  geminiCount,
  geminiImages,
  geminiSpeech,
  geminiTranscriptions,
  imagenImages,
  jinaEmbeddings,
  openaiEmbeddings,
  plainRerank,
  teiEmbeddings,
  teiRerank,
  voyageEmbeddings,
  voyageRerank,
} from "../dialects/index.ts";
import { falVideos, geminiVeo, replicateVideos, runwayVideos, viduVideos } from "../dialects/video/index.ts";
import { bearer, inHeader } from "./credentials.ts";
import {
  readAzureVoices,
  readCohereModels,
  readDataList,
  readDeepgramModels,
  readElevenlabsModels,
  readElevenlabsVoices,
  readGeminiModels,
  readTeiInfo,
} from "./model-list.ts";
import type { HttpKind } from "./provider.ts";

/** Models of one family generate only images, and have a dialect of their own. */
export function servesImages(dialect: UpstreamDialect, model: string): boolean {
  return dialect.operation !== "image" || (dialect === imagenImages) === /imagen/i.test(model);
}

type Row = Omit<HttpKind, "origin">;

const regionName = /^[a-z][a-z0-9]{1,40}$/;

const chat: readonly Row[] = [
  {
    // Its SDK uses the base URL without /v1.
    name: "anthropic",
    baseUrl: "https://api.anthropic.com",
    environment: { credential: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
    dialects: [anthropicMessages, anthropicCount],
    signer: inHeader("x-api-key"),
    listing: { path: "v1/models?limit=1000", read: readDataList },
    headers: { "anthropic-version": "2023-06-01" },
  },
  {
    // Its SDK uses the base URL without a version.
    name: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    environment: { credential: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
    dialects: [
      ...[geminiChat, geminiCount, geminiBatchEmbeddings, geminiImages, imagenImages],
      ...[geminiSpeech, geminiTranscriptions],
    ],
    supports: servesImages,
    videos: [geminiVeo],
    mediaSchemes: ["gs:"],
    signer: inHeader("x-goog-api-key"),
    listing: { path: "v1beta/models?pageSize=1000", read: readGeminiModels },
  },
];

const texts: readonly Row[] = [
  {
    name: "cohere",
    baseUrl: "https://api.cohere.com",
    environment: { credential: "CO_API_KEY", baseUrl: "CO_API_URL" },
    dialects: [cohereEmbeddings, cohereRerank, plainRerank],
    options: { ranks: "any" },
    paths: { rerank: "v1/rerank" },
    signer: bearer,
    listing: { path: "v1/models?page_size=1000", read: readCohereModels },
  },
  {
    name: "jina",
    baseUrl: "https://api.jina.ai/v1",
    barePath: "v1",
    environment: { credential: "JINA_API_KEY", baseUrl: "JINA_BASE_URL" },
    dialects: [jinaEmbeddings, plainRerank],
    options: { ranks: "media" },
    signer: bearer,
  },
  {
    name: "voyage",
    baseUrl: "https://api.voyageai.com/v1",
    barePath: "v1",
    environment: { credential: "VOYAGE_API_KEY", baseUrl: "VOYAGE_BASE_URL" },
    dialects: [voyageEmbeddings, voyageRerank],
    signer: bearer,
  },
  {
    // Text Embeddings Inference: a local server for one model, with native and compatible formats.
    name: "tei",
    baseUrl: "http://127.0.0.1:8080",
    environment: { credential: "TEI_API_KEY", baseUrl: "TEI_BASE_URL" },
    dialects: [openaiEmbeddings, teiEmbeddings, teiRerank],
    signer: bearer,
    listing: { path: "info", read: readTeiInfo },
    options: { embeddings: { mostItems: 32 } },
    paths: { embeddings: "v1/embeddings" },
  },
];

const audio: readonly Row[] = [
  {
    name: "elevenlabs",
    baseUrl: "https://api.elevenlabs.io",
    environment: { credential: "ELEVENLABS_API_KEY", baseUrl: "ELEVENLABS_BASE_URL" },
    dialects: [elevenlabsSpeech, elevenlabsTranscriptions],
    supports: ({ operation }, model) => (operation === "transcribe") === model.startsWith("scribe"),
    signer: inHeader("xi-api-key"),
    listing: { path: "v1/models", read: readElevenlabsModels },
    voiceList: { path: "v1/voices", read: readElevenlabsVoices },
  },
  {
    // Its voices are models.
    name: "deepgram",
    baseUrl: "https://api.deepgram.com",
    environment: { credential: "DEEPGRAM_API_KEY", baseUrl: "DEEPGRAM_BASE_URL" },
    dialects: [deepgramSpeech, deepgramTranscriptions],
    supports: ({ operation }, model) => (operation === "speak") === model.startsWith("aura"),
    signer: inHeader("authorization", "Token "),
    listing: { path: "v1/models", read: readDeepgramModels },
  },
  {
    // Azure's own speech service, which is separate from the models: one region, one key, and voices as models.
    name: "azure-speech",
    environment: { credential: "AZURE_SPEECH_KEY", baseUrl: "AZURE_SPEECH_ENDPOINT" },
    dialects: [azureSpeech],
    signer: inHeader("ocp-apim-subscription-key"),
    voiceList: { path: "cognitiveservices/voices/list", read: readAzureVoices },
    account: {
      members: { region: ["AZURE_SPEECH_REGION"] },
      baseUrl: ({ region }) => (region === undefined ? undefined : `https://${region}.tts.speech.microsoft.com`),
      fault: ({ region }) =>
        region === undefined || regionName.test(region)
          ? null
          : { member: "region", problem: "must be the name of a region, such as 'westeurope'" },
    },
  },
];

const videos: readonly Row[] = [
  {
    name: "vidu",
    baseUrl: "https://api.vidu.com/ent/v2",
    barePath: "ent/v2",
    environment: { credential: "VIDU_API_KEY", baseUrl: "VIDU_BASE_URL" },
    dialects: [],
    videos: [viduVideos],
    signer: inHeader("authorization", "Token "),
  },
  {
    // The public API uses the host with `dev`.
    name: "runway",
    baseUrl: "https://api.dev.runwayml.com/v1",
    barePath: "v1",
    environment: { credential: "RUNWAYML_API_SECRET", baseUrl: "RUNWAYML_BASE_URL" },
    dialects: [],
    videos: [runwayVideos],
    signer: bearer,
    headers: { "x-runway-version": "2024-11-06" },
  },
  {
    // Its list has thousands of models of many vendors, so it is not read.
    name: "replicate",
    baseUrl: "https://api.replicate.com/v1",
    barePath: "v1",
    environment: { credential: "REPLICATE_API_TOKEN", baseUrl: "REPLICATE_BASE_URL" },
    dialects: [],
    videos: [replicateVideos],
    signer: bearer,
  },
  {
    name: "fal",
    baseUrl: "https://queue.fal.run",
    environment: { credential: "FAL_KEY", baseUrl: "FAL_BASE_URL" },
    dialects: [],
    videos: [falVideos],
    signer: inHeader("authorization", "Key "),
  },
];

/** Each kind's name is the origin of its state. */
const kindOf = (row: Row): HttpKind => ({ ...row, origin: row.name });

export const vendors = {
  chat: chat.map(kindOf),
  texts: texts.map(kindOf),
  audio: audio.map(kindOf),
  videos: videos.map(kindOf),
} as const;
