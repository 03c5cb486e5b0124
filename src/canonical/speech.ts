// The canonical request to speak a text, and how sound is named.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** `pcm` is headerless: signed 16 bit, little-endian, 24,000 Hz, one channel. */
export const audioFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type AudioFormat = (typeof audioFormats)[number];

/** What each format is called on the wire. */
export const soundTypes: { readonly [format in AudioFormat]: string } = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** Voices that every client may name; others are a matter of the model, whose catalog entry declares them. */
export const standardVoices: readonly string[] = [
  ...["alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar"],
];

/** A voice as a provider lists it. */
export interface ListedVoice {
  readonly id: string;
  readonly name: string;
  readonly gender?: "female" | "male";
}

/** Samples a second of `pcm`. */
export const pcmRate = 24_000;

export interface SpeechRequest {
  readonly operation: "speak";
  readonly model: string;
  /** Sound is always passed on as it comes. */
  readonly stream: true;
  readonly input: string;
  /** A name of the client's, or an id that only the provider knows. */
  readonly voice: string;
  /** The voice is the client's own, by the id that its provider gave it. */
  readonly ownVoice?: true;
  readonly format: AudioFormat;
  /** The client named no format: `format` is the default, and a provider that lacks it may give its nearest one. */
  readonly isDefaultFormat?: true;
  /** 1 is the voice's own speed. */
  readonly speed: number;
  /** How to speak, in words. */
  readonly instructions?: string;
  /** True where the client wants events that carry the sound in base64. */
  readonly events: boolean;
  readonly unmappedFields: readonly UnmappedField[];
}

/** Sound in one piece, where somebody needs it whole. */
export interface SpeechResponse {
  readonly operation: "speak";
  readonly model: string;
  readonly format: AudioFormat;
  readonly bytes: Uint8Array;
  readonly usage?: Usage;
}
