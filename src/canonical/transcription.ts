// The canonical transcription request and its response.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** A recording as the client sent it; its bytes are never copied. Some upstreams use the extension of the name. */
export interface AudioInput {
  readonly name: string;
  /** By the bytes if they show it, otherwise as declared. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface TranscriptionRequest {
  readonly operation: "transcribe";
  /** `translate`: transcribed in English, whatever the spoken language. */
  readonly task: "transcribe" | "translate";
  readonly model: string;
  readonly stream: boolean;
  readonly recording: AudioInput;
  /** ISO 639-1. */
  readonly language?: string;
  readonly prompt?: string;
  readonly format: TranscriptFormat;
  readonly temperature?: number;
  readonly granularities: readonly ("word" | "segment")[];
  readonly unmappedFields: readonly UnmappedField[];
}

/** Times in seconds from the start. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** `A`, `B` … if the upstream distinguishes speakers. */
  readonly speaker?: string;
  /** Other members of the upstream, with OpenAI's names. */
  readonly detail?: Readonly<Record<string, number | readonly number[]>>;
}

export interface TranscriptionResponse {
  readonly operation: "transcribe";
  readonly model: string;
  readonly text: string;
  /** An English name in lower case, or ISO 639-1 if the upstream returned that. */
  readonly language?: string;
  /** Length of the recording in seconds. */
  readonly seconds?: number;
  readonly segments?: readonly Segment[];
  readonly words?: readonly Word[];
  readonly usage?: Usage;
}
