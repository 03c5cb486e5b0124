// Deepgram's speech, where each voice is a model.
import { isObject } from "../../lib/json.ts";
import type { ErrorCodec } from "../dialect.ts";
import { openaiErrors } from "../openai-error.ts";
import { fileReader } from "./audio-readers.ts";
import { characterUsage, stringAt, upstreamSpeech } from "./upstream-speech.ts";

const maxCharacters = 2_000;

/** https://developers.deepgram.com/docs/tts-models */
const voices = {
  alloy: "thalia",
  ash: "apollo",
  ballad: "orpheus",
  cedar: "arcas",
  coral: "aurora",
  echo: "aries",
  fable: "draco",
  marin: "cora",
  nova: "luna",
  onyx: "zeus",
  sage: "athena",
  shimmer: "helena",
  verse: "hermes",
} as const;

const linear = "encoding=linear16&sample_rate=24000";
/** A model whose name includes voice and language. */
const spoken = /^aura(?:-\d+)?-[a-z]+-[a-z]{2}$/;

/**
 * `aura-2` with a voice is `aura-2-thalia-en`. A voice may include its language, as in `celeste-es`, or be a model
 * itself.
 */
function modelOf(model: string, voice: string): string {
  if (spoken.test(voice)) return voice;
  if (spoken.test(model)) return model;
  return `${model}-${/-[a-z]{2}$/.test(voice) ? voice : `${voice}-en`}`;
}

/** `{err_code, err_msg}`, or `{category, message, details}`. */
function flattened(body: unknown): unknown {
  if (!isObject(body)) return body;
  return { message: body.err_msg ?? body.message ?? body.details, code: body.err_code ?? body.category };
}

export const deepgramErrors: ErrorCodec = {
  ...openaiErrors,
  parse: (status, body, retryAfterMs) => openaiErrors.parse(status, flattened(body), retryAfterMs),
};

/** https://developers.deepgram.com/reference/text-to-speech/speak-request */
export const deepgramSpeech = upstreamSpeech({
  name: "deepgram-speech",
  paths: { input: "text", voice: "query.model", format: "query.encoding" },
  voices,
  formats: {
    mp3: "encoding=mp3",
    opus: "encoding=opus&container=ogg",
    aac: "encoding=aac",
    flac: "encoding=flac&sample_rate=24000",
    wav: `${linear}&container=wav`,
    pcm: `${linear}&container=none`,
  },
  maxCharacters,
  voiceOf: (voice, { warnings }) => modelOf(warnings.context.model, voice),
  call: ({ query, ...body }) => ({
    path: `v1/speak?model=${encodeURIComponent(stringAt(query, "model"))}&${stringAt(query, "encoding")}`,
    body,
  }),
  reader: (context, head) => fileReader(context, head, () => characterUsage(head("dg-char-count"))),
  error: deepgramErrors,
});
