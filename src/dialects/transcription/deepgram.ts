// Deepgram's transcription: the recording is the body, all other fields are in the query.
import type { Segment, TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { deepgramErrors } from "../speech/deepgram.ts";
import { allTimes, formatsOf, noHint, recordingAt, type TranscriptionTable, tasksOf } from "./fields.ts";
import {
  allFormats,
  type SpokenWord,
  secondsIn,
  secondsUsed,
  segmentsBySpeaker,
  textIn,
  upstreamTranscription,
} from "./upstream-transcription.ts";

/** https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded */
const fields: TranscriptionTable = {
  task: tasksOf(["transcribe"]),
  recording: recordingAt("bytes"),
  format: {
    path: "query.diarize",
    limit: formatsOf(allFormats),
    render: (format) => (format === "diarized_json" ? "true" : undefined),
  },
  language: { path: "query.language" },
  prompt: noHint("prompt"),
  temperature: noHint("temperature"),
  granularities: allTimes,
};

function call(
  { query: members }: JsonObject,
  { recording }: TranscriptionRequest,
  { model }: RenderContext,
): UpstreamRequest {
  const queryMembers = (isObject(members) ? members : {}) as Record<string, string>;
  const query = new URLSearchParams({ model, smart_format: "true", utterances: "true", ...queryMembers });
  if (queryMembers.language === undefined) query.set("detect_language", "true");
  return { path: `v1/listen?${query}`, body: {}, bytes: { type: recording.mediaType, bytes: recording.bytes } };
}

const speakerOf = (speaker: Json | undefined): { who?: string } =>
  typeof speaker === "number" ? { who: String(speaker) } : {};

function wordsOf(alternative: JsonObject): SpokenWord[] {
  return objectsIn(alternative.words).map(({ word, punctuated_word: written, start, end, speaker }) => ({
    word: String(written ?? word ?? ""),
    start: secondsIn(start),
    end: secondsIn(end),
    ...speakerOf(speaker),
  }));
}

function segmentsOf(utterances: Json | undefined): Segment[] {
  return objectsIn(utterances).map(({ transcript, start, end }) => ({
    text: String(transcript ?? ""),
    start: secondsIn(start),
    end: secondsIn(end),
  }));
}

function parse(wire: unknown): TranscriptionResponse {
  const { metadata, results } = isObject(wire) ? wire : {};
  if (!isObject(results)) throw invalidUpstreamResponse("the response has no results");
  const [channel = {}] = objectsIn(results.channels);
  const [alternative = {}] = objectsIn(channel.alternatives);
  const words = wordsOf(alternative);
  const spoken = words.some(({ who }) => who !== undefined);
  const seconds = isObject(metadata) ? metadata.duration : undefined;
  const usage = secondsUsed(seconds);
  return {
    operation: "transcribe",
    model: "",
    text: textIn(alternative.transcript),
    ...(typeof channel.detected_language === "string" ? { language: channel.detected_language } : {}),
    ...(typeof seconds === "number" ? { seconds } : {}),
    segments: spoken ? segmentsBySpeaker(words) : segmentsOf(results.utterances),
    words: words.map(({ word, start, end }) => ({ word, start, end })),
    ...(usage === undefined ? {} : { usage }),
  };
}

export const deepgramTranscriptions = upstreamTranscription({
  name: "deepgram-transcriptions",
  fields,
  call,
  parse,
  error: deepgramErrors,
});
