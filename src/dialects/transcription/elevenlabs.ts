// ElevenLabs' Scribe: a form in, words with their times out.
import type { TranscriptionResponse } from "../../canonical/transcription.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { elevenlabsErrors } from "../speech/elevenlabs.ts";
import {
  allTimes,
  filePart,
  formatsOf,
  formCall,
  noHint,
  recordingAt,
  type TranscriptionTable,
  tasksOf,
} from "./fields.ts";
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

/** https://elevenlabs.io/docs/api-reference/speech-to-text/convert */
const fields: TranscriptionTable = {
  task: tasksOf(["transcribe"]),
  recording: recordingAt("file"),
  language: { path: "language_code" },
  format: {
    path: "diarize",
    limit: formatsOf(allFormats),
    render: (format) => (format === "diarized_json" ? true : undefined),
  },
  temperature: { path: "temperature" },
  prompt: noHint("prompt"),
  granularities: allTimes,
};

/** Otherwise the text would include sounds other than speech. */
const always = { tag_audio_events: false, timestamps_granularity: "word" } as const;

/** Spaces have times too and are not words. */
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
  fields,
  call: (members, request, { model }) =>
    formCall("v1/speech-to-text", { model_id: model, ...always, ...members }, filePart(request)),
  parse,
  error: elevenlabsErrors,
});
