// The canonical request to write down what is said in a recording, and its answer.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** A recording as the client sent it: its bytes are never copied. The name's ending tells some upstreams what it is. */
export interface AudioInput {
  readonly name: string;
  /** Told from the bytes where they say it, else as declared. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface TranscriptionRequest {
  readonly operation: "transcribe";
  /** `translate`: written down in English, whatever is spoken. */
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
  /** `A`, `B` … where the upstream tells voices apart. */
  readonly speaker?: string;
  /** What else the upstream said about it, in OpenAI's names. */
  readonly detail?: Readonly<Record<string, number | readonly number[]>>;
}

export interface TranscriptionResponse {
  readonly operation: "transcribe";
  readonly model: string;
  readonly text: string;
  /** An English name in lower case, or ISO 639-1 where the upstream told that. */
  readonly language?: string;
  /** Length of the recording in seconds. */
  readonly seconds?: number;
  readonly segments?: readonly Segment[];
  readonly words?: readonly Word[];
  readonly usage?: Usage;
}
