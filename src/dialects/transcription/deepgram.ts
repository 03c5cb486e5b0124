// The dialect of Deepgram's transcription: a recording as it is, everything else in the query. No client speaks it to the gateway.
import type { Segment, TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext, UpstreamRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { deepgramErrors } from "../speech/deepgram.ts";
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
function call(request: TranscriptionRequest, { model }: RenderContext): UpstreamRequest {
  const query = new URLSearchParams({ model, smart_format: "true", utterances: "true" });
  if (request.language === undefined) query.set("detect_language", "true");
  else query.set("language", request.language);
  if (request.format === "diarized_json") query.set("diarize", "true");
  const { mediaType, bytes } = request.recording;
  return { path: `v1/listen?${query}`, body: {}, bytes: { type: mediaType, bytes } };
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
  formats: allFormats,
  hints: ["language"],
  call,
  parse,
  error: deepgramErrors,
});
