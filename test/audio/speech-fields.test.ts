// Every field of speech on every format: what its table says is what is sent, refused or warned of.
import {
  azureSpeech,
  deepgramSpeech,
  elevenlabsSpeech,
  geminiSpeech,
  groqSpeech,
  minimaxSpeech,
  openaiSpeech,
  siliconflowSpeech,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import type { Reply, Seen } from "../support/upstream.ts";
import { plain, samples, wavOf } from "./sounds.ts";
import { stage } from "./stage.ts";

const { gateway, upstream: up } = await stage();

const client: FieldClient = {
  dialect: openaiSpeech,
  path: () => "/v1/audio/speech",
  body: (model) => ({ model, input: "Hello there.", voice: "alloy", response_format: "wav" }),
  says: {
    input: { param: "input", body: {} },
    voice: { param: "voice", body: {} },
    ownVoice: { param: "voice", body: { voice: { id: "mine" } } },
    format: { param: "response_format", body: {} },
    isDefaultFormat: { param: "response_format", body: { response_format: undefined } },
    speed: { param: "speed", body: { speed: 1.1 } },
    instructions: { param: "instructions", body: { instructions: "Whisper." } },
    events: { param: "stream_format", body: { stream_format: "sse" } },
  },
};

const file = Buffer.concat([wavOf(samples.length), samples]);
const wav = plain(file, "audio/wav");
const google: Reply = {
  json: {
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: samples.toString("base64") } }] },
        finishReason: "STOP",
      },
    ],
  },
};
const hexadecimal: Reply = {
  json: { data: { audio: file.toString("hex"), status: 2 }, base_resp: { status_code: 0 } },
};

/** Members of the address and the headers, as the tables name them. */
const read = ({ json, query, path, headers, text }: Seen) => ({
  ...(json as object),
  query: Object.fromEntries(query),
  url: { voice_id: /text-to-speech\/([^/]+)/.exec(path)?.[1] },
  headers: Object.fromEntries(headers),
  speak: {
    text: /<voice[^>]*>(?:<prosody[^>]*>)?([^<]+)/.exec(text)?.[1],
    voice: /<voice name="([^"]+)"/.exec(text)?.[1],
    prosody: /rate="([^"]+)"/.exec(text)?.[1],
  },
});

const upstreamOf = (dialect: FieldUpstream["dialect"], model: string, reply: Reply): FieldUpstream => ({
  dialect,
  model,
  read,
  ready: () => up.on("*", reply),
});

provesFields({
  title: "speech",
  ...{ up, gateway },
  clients: [client],
  upstreams: [
    upstreamOf(openaiSpeech, "azure/gpt-4o-mini-tts", wav),
    upstreamOf(groqSpeech, "groq/canopylabs/orpheus-v1-english", wav),
    upstreamOf(siliconflowSpeech, "siliconflow/FunAudioLLM/CosyVoice2-0.5B", wav),
    upstreamOf(elevenlabsSpeech, "elevenlabs/eleven_flash_v2_5", plain(samples, "audio/pcm")),
    upstreamOf(deepgramSpeech, "deepgram/aura-2", wav),
    upstreamOf(azureSpeech, "azure-speech/neural", wav),
    upstreamOf(minimaxSpeech, "minimax/speech-2.6-hd", hexadecimal),
    upstreamOf(geminiSpeech, "gemini/gemini-2.5-flash-preview-tts", google),
  ],
});
