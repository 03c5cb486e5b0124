// The dialect of ElevenLabs' Scribe: a form, and words with their times. No client speaks it to the gateway.
import type { TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { RenderContext, UpstreamRequest } from "../dialect.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { elevenlabsErrors } from "../speech/elevenlabs.ts";
import { filePart, formCall } from "./request.ts";
import { cuesOf } from "./subtitles.ts";
import {
  allFormats,
  type SpokenWord,
  secondsIn,
  secondsUsed,
  segmentsBySpeaker,
  textIn,
  upstreamTranscription,
} from "./upstream-transcription.ts";

/** https://elevenlabs.io/docs/api-reference/speech-to-text/convert: what is no speech would stand in the text. */
function call(request: TranscriptionRequest, { model }: RenderContext): UpstreamRequest {
  const wire = omitUndefined({
    model_id: model,
    language_code: request.language,
    tag_audio_events: false,
    timestamps_granularity: "word",
    diarize: request.format === "diarized_json" ? true : undefined,
    temperature: request.temperature,
  });
  return formCall("v1/speech-to-text", wire, filePart(request));
}

/** Spaces have times too, and are no words. */
function wordsOf(list: JsonObject[string]): SpokenWord[] {
  return objectsIn(list)
    .filter(({ type }) => type === undefined || type === "word")
    .map(({ text, start, end, speaker_id: who }) => ({
      word: String(text ?? ""),
      start: secondsIn(start),
      end: secondsIn(end),
      ...(typeof who === "string" ? { who } : {}),
    }));
}

function parse(wire: unknown): TranscriptionResponse {
  const body = isObject(wire) ? wire : {};
  const words = wordsOf(body.words);
  const seconds = body.audio_duration_secs;
  const usage = secondsUsed(seconds);
  return {
    operation: "transcribe",
    model: "",
    text: textIn(body.text),
    ...(typeof body.language_code === "string" ? { language: body.language_code } : {}),
    ...(typeof seconds === "number" ? { seconds } : {}),
    segments: words.some(({ who }) => who !== undefined) ? segmentsBySpeaker(words) : cuesOf(words),
    words: words.map(({ word, start, end }) => ({ word, start, end })),
    ...(usage === undefined ? {} : { usage }),
  };
}

export const elevenlabsTranscriptions = upstreamTranscription({
  name: "elevenlabs-transcriptions",
  formats: allFormats,
  hints: ["language", "temperature"],
  call,
  parse,
  error: elevenlabsErrors,
});
