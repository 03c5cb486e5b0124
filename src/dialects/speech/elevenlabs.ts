// ElevenLabs' speech.
import { pcmRate } from "../../canonical/speech.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ErrorCodec } from "../dialect.ts";
import { openaiErrors } from "../openai-error.ts";
import { refusalError } from "../upstream-error.ts";
import { fileReader, formatOf, isDocument } from "./audio-readers.ts";
import { sampleReader } from "./pcm-wav.ts";
import { characterUsage, contentLength, stringAt, upstreamSpeech } from "./upstream-speech.ts";

/**
 * Default voices, available until 2026-12-31 to accounts created before March 2026; for other accounts their own are
 * listed. https://help.elevenlabs.io/hc/en-us/articles/26942950589969, read 2026-11-22.
 */
const voices = {
  alloy: "SAz9YHcvj6GT2YYXdXww",
  ash: "pNInz6obpgDQGcFmaJgB",
  ballad: "onwK4e9ZLuTAKqWW03F9",
  cedar: "nPczCjzI2devNBz1zQrb",
  coral: "XrExE9yKIg1WjnnlVkGX",
  echo: "iP95p4xoKVk53GoZ742B",
  fable: "JBFqnCBsd6RMkjVDRZzb",
  marin: "cgSgspJ2msm6clMCkdW9",
  nova: "EXAVITQu4vr4xnSDxMaL",
  onyx: "pqHfZKP75CvOlQylNhV4",
  sage: "pFZP5JQG7iQjIQuC4Bku",
  shimmer: "Xb7hH8MSUJpSbSDYk0k2",
  verse: "IKne3meq5aSn9XLyUdCD",
} as const;

/** Codes that are more precise than the status: 401 is also an account without credit. */
function flattened(body: unknown): unknown {
  const detail = isObject(body) ? body.detail : undefined;
  if (!isObject(detail)) return body;
  return { message: detail.message, code: detail.code ?? detail.status, type: detail.type };
}

/** `{detail: {type: "payment_required", code: "paid_plan_required", message}}`: the plan does not include this voice. */
function isAboutVoice(status: number, body: unknown): boolean {
  const detail = isObject(body) && isObject(body.detail) ? body.detail : {};
  return status === 402 && /\bvoices?\b/i.test(String(detail.message ?? ""));
}

export const elevenlabsErrors: ErrorCodec = {
  ...openaiErrors,
  parse(status, body, retryAfterMs) {
    if (!isAboutVoice(status, body)) return openaiErrors.parse(status, flattened(body), retryAfterMs);
    const { message, code } = flattened(body) as JsonObject;
    return refusalError({ status: 400, message: String(message), code: String(code), param: "voice" });
  },
};

/**
 * https://elevenlabs.io/docs/api-reference/text-to-speech/stream: a WAV file is made from samples with a header added
 * by the gateway.
 */
export const elevenlabsSpeech = upstreamSpeech({
  name: "elevenlabs-speech",
  paths: { input: "text", voice: "url.voice_id", format: "query.output_format", speed: "voice_settings.speed" },
  voices,
  formats: { mp3: "mp3_44100_128", opus: "opus_48000_128", wav: "pcm_24000", pcm: "pcm_24000" },
  speeds: [0.7, 1.2],
  call: ({ url, query, ...body }, _request, { model }) => ({
    path: `v1/text-to-speech/${encodeURIComponent(stringAt(url, "voice_id"))}/stream?output_format=${stringAt(query, "output_format")}`,
    body: { ...body, model_id: model },
  }),
  reader(context, head) {
    const requested = formatOf(context);
    const usage = () => characterUsage(head("character-cost"));
    const isSamples = (requested === "wav" || requested === "pcm") && !isDocument(head("content-type") ?? "");
    return isSamples
      ? sampleReader(requested, { rate: pcmRate }, contentLength(head), usage)
      : fileReader(context, head, usage);
  },
  error: elevenlabsErrors,
});
