// Every field of transcription on every format: what its table says is what is sent, refused or warned of.
import {
  deepgramTranscriptions,
  elevenlabsTranscriptions,
  geminiTranscriptions,
  groqTranscriptions,
  groqTranslations,
  mistralTranscriptions,
  openaiTranscriptions,
  openaiTranslations,
  siliconflowTranscriptions,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import type { Seen } from "../support/upstream.ts";
import { stage } from "./stage.ts";
import { formOf, formSeen, wavFile } from "./transcription-forms.ts";

const { gateway, upstream: up } = await stage();

const clientOf = (dialect: FieldClient["dialect"], path: string): FieldClient => ({
  dialect,
  path: () => path,
  body: (model) => ({ model }),
  encode: (body) => ({ body: formOf([...(Object.entries(body) as [string, string][]), ["file", wavFile]]) }),
  says: {
    task: { param: "model", body: {} },
    recording: { param: "file", body: {} },
    language: { param: "language", body: { language: "de" } },
    prompt: { param: "prompt", body: { prompt: "names" } },
    format: { param: "response_format", body: { response_format: "json" } },
    temperature: { param: "temperature", body: { temperature: "0.5" } },
    granularities: { param: "timestamp_granularities", body: { "timestamp_granularities[]": "segment" } },
  },
});
const transcriptions = clientOf(openaiTranscriptions, "/v1/audio/transcriptions");
const translations = clientOf(openaiTranslations, "/v1/audio/translations");

/** Members of forms, addresses and bodies, as the tables name them. */
async function read(seen: Seen): Promise<unknown> {
  const type = seen.headers.get("content-type") ?? "";
  const query = Object.fromEntries(seen.query);
  if (type.startsWith("audio/")) return { query, bytes: seen.text };
  if (!type.startsWith("multipart/")) return seen.json;
  const parts = await formSeen(seen);
  return Object.fromEntries(parts.map(([name, value]) => [name.replace("[]", ""), value]));
}

const upstreamOf = (dialect: FieldUpstream["dialect"], model: string, reply: object): FieldUpstream => ({
  dialect,
  model,
  read,
  clients: [transcriptions],
  ready: () => up.on("*", { json: reply }),
});

const text = { text: "Hi" };
const channel = { results: { channels: [{ alternatives: [{ transcript: "Hi", words: [] }] }] } };
const candidate = { candidates: [{ content: { parts: [text] }, finishReason: "STOP" }] };

provesFields({
  title: "transcription",
  ...{ up, gateway },
  clients: [transcriptions, translations],
  upstreams: [
    upstreamOf(openaiTranscriptions, "azure/whisper", text),
    { ...upstreamOf(openaiTranslations, "azure/whisper", text), clients: [translations] },
    upstreamOf(groqTranscriptions, "groq/whisper-large-v3", text),
    { ...upstreamOf(groqTranslations, "groq/whisper-large-v3", text), clients: [translations] },
    upstreamOf(mistralTranscriptions, "mistral/voxtral-mini-latest", text),
    upstreamOf(siliconflowTranscriptions, "siliconflow/FunAudioLLM/SenseVoiceSmall", text),
    upstreamOf(deepgramTranscriptions, "deepgram/nova-3", channel),
    upstreamOf(elevenlabsTranscriptions, "elevenlabs/scribe_v1", text),
    upstreamOf(geminiTranscriptions, "gemini/gemini-2.5-flash", candidate),
  ],
});
