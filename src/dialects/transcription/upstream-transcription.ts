// Transcription servers, and what their replies have in common.
import type {
  Segment,
  TranscriptFormat,
  TranscriptionRequest,
  TranscriptionResponse,
  Word,
} from "../../canonical/transcription.ts";
import { oneUnit, type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { upstreamsOf } from "../upstream-format.ts";
import { cuesOf } from "./subtitles.ts";

/** The format of transcription servers. */
export const upstreamTranscription = upstreamsOf<TranscriptionRequest, TranscriptionResponse>("transcribe");

/** All reply formats. */
export const allFormats: readonly TranscriptFormat[] = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"];

/** A word with its speaker, whose id is only valid within this reply. */
export interface SpokenWord extends Word {
  readonly who?: string;
}

/** Consecutive words of one speaker. Speakers get letters in the order of their first words. */
export function segmentsBySpeaker(words: readonly SpokenWord[]): Segment[] {
  const letters = new Map<string, string>();
  const runs: SpokenWord[][] = [];
  for (const word of words) {
    const run = runs.at(-1);
    if (run !== undefined && run[0]?.who === word.who) run.push(word);
    else runs.push([word]);
  }
  return runs.flatMap((run) => {
    const who = run[0]?.who ?? "";
    if (!letters.has(who)) letters.set(who, speakerLetter(letters.size));
    return cuesOf(run).map((cue) => ({ ...cue, speaker: letters.get(who) ?? "A" }));
  });
}

const letters = 26;

/** `A` for 0, `B` for 1, and the number after `Z`. */
function speakerLetter(index: number): string {
  return index < letters ? String.fromCharCode(65 + index) : String(index + 1);
}

/** Seconds as a usage; undefined for none. */
export function secondsUsed(seconds: unknown): Usage | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return undefined;
  return { ...zeroUsage, ...oneUnit("audioMs", seconds * 1_000) };
}

/** A time on the wire. */
export function secondsIn(value: JsonObject[string]): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The text of a reply. Throws if it has none. */
export function textIn(value: JsonObject[string]): string {
  if (typeof value !== "string") throw invalidUpstreamResponse("the response has no text");
  return value;
}
