// The sandbox's transcription: recognizes its own speech word for word, with times. For other audio it returns a fixed
// text.
import { pcmRate } from "../../canonical/speech.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Segment, TranscriptionRequest, TranscriptionResponse, Word } from "../../canonical/transcription.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { soundSeconds } from "../../dialects/shared/audio-duration.ts";
import { soundOf } from "../../dialects/shared/audio-format.ts";
import { cuesOf } from "../../dialects/transcription/subtitles.ts";
import type { CanonicalReply } from "../provider.ts";
import type { Directives } from "./directives.ts";
import { secondsAt, secondsOf, spokenIn } from "./sound.ts";
import { paced } from "./stream.ts";

const unknown = "The sandbox transcribes only speech that it generated. This is a placeholder transcript.";
const wordForm = /\S+/g;

/** Maps positions in a text to seconds. */
type Timing = (at: number) => number;

const toMilliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

function wordsOf(text: string, timing: Timing): Word[] {
  return [...text.matchAll(wordForm)].map(({ 0: word, index }) => ({
    word,
    start: timing(index),
    end: timing(index + word.length),
  }));
}

const evenTiming =
  (length: number, seconds: number): Timing =>
  (place) =>
    toMilliseconds((place * seconds) / length);

function answerOf(request: TranscriptionRequest, text: string, seconds: number, timing: Timing): TranscriptionResponse {
  const words = wordsOf(text, timing);
  const segments: Segment[] = cuesOf(words);
  return {
    operation: "transcribe",
    model: `sandbox/${request.model}`,
    text,
    language: request.language ?? "en",
    seconds,
    segments,
    words,
    usage: { ...zeroUsage, units: [{ kind: "audioMs", amount: Math.round(seconds * 1_000) }] },
  };
}

/** Raw samples have no duration, but those of the sandbox are known. */
const lengthOf = (bytes: Uint8Array): number =>
  toMilliseconds(soundOf(bytes) === null ? bytes.length / (2 * pcmRate) : soundSeconds(bytes));

/** A recording of the sandbox that is shorter than its text was cut. */
const toleranceSeconds = 0.1;

/** The same recording always gets the same transcript, also as a translation. */
export function transcribeReply(request: TranscriptionRequest): TranscriptionResponse {
  const { bytes } = request.recording;
  const spoken = spokenIn(bytes);
  const length = lengthOf(bytes);
  if (spoken !== null && length + toleranceSeconds >= secondsOf(spoken))
    return answerOf(request, spoken.text, length, (at) => toMilliseconds(secondsAt(at, spoken.speed)));
  const seconds = toMilliseconds(soundSeconds(bytes));
  return answerOf(request, unknown, seconds, evenTiming(unknown.length, seconds));
}

const place = { choice: 0, block: 0 } as const;

function* wordByWord({ text, usage = zeroUsage }: TranscriptionResponse): Generator<StreamEvent> {
  for (const word of text.match(/\S+\s*/g) ?? []) yield { type: "text", ...place, text: word };
  yield { type: "finish", finishReasons: [{ kind: "end" }], usage };
}

export function transcribeStream(
  response: TranscriptionResponse,
  directives: Directives,
  signal: AbortSignal,
): CanonicalReply {
  return { events: paced(wordByWord(response), directives, signal) };
}
